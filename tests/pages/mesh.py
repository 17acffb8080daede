"""A cluster of 300 pods with four SidecarSets, one of them a mesh proxy in the middle of its upgrade.

`python -m tests.pages.mesh FOLDER` writes it, to look at pages of it.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run

_SETS = {
    "mesh-proxy": ("2.8.1", "2.9.0", {"mesh": "enabled"}),
    "log-shipper": ("1.14.2", "1.15.0", {"logs": "shipped"}),
    "otel-collector": ("0.98.0", "0.98.0", {"telemetry": "otel"}),
    "vault-agent": ("1.17.2", "1.17.2", {"secrets": "vault"}),
}
"""SidecarSets: the version before, the version after, and the labels of their pods."""
_LABELS: dict[str, str] = {}
for _before, _after, _selected in _SETS.values():
    _LABELS |= _selected
_APPS = {
    "checkout": {"cart": 28, "checkout": 42, "pricing": 16, "promotions": 10},
    "payments": {"payments-api": 36, "ledger": 24, "fraud-scoring": 18},
    "search": {"query": 30, "indexer": 14, "suggest": 12},
    "storefront": {"web": 48, "images": 12, "sessions": 10},
}
"""Namespaces, and the replicas of their Deployments: 300 pods."""


def write_mesh(folder: Path) -> None:
    """Write before/ and after/ (each with SidecarSets and Deployments), and pods.json, a dump of the cluster."""
    for name, index in (("before", 0), ("after", 1)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "sidecarsets.yaml").write_text("---\n".join(_set(each, index) for each in _SETS))
        (folder / name / "deployments.yaml").write_text("---\n".join(map(_deployment, _apps())))
    (folder / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": _pods(folder)}))


def _apps() -> Iterator[tuple[str, str, int]]:
    return ((namespace, app, count) for namespace, apps in _APPS.items() for app, count in apps.items())


def _set(name: str, index: int) -> str:
    version = _SETS[name][index]
    [(key, value)] = _SETS[name][2].items()
    more = ""
    if name == "log-shipper" and index:
        more = "    args: [--buffer=64MiB, --output=logs.example.com:443/v2/push, --compress=zstd]\n"
    strategy = "partition: 20%\n    maxUnavailable: 4" if name == "mesh-proxy" else "maxUnavailable: 10%"
    return f"""apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: {name}
spec:
  selector:
    matchLabels: {{{key}: {value}}}
  updateStrategy:
    type: RollingUpdate
    {strategy}
  containers:
  - name: {name}
    image: registry.example.com/platform/{name}:{version}
{more}    resources:
      requests: {{cpu: 100m, memory: 96Mi}}
"""


def _labels(app: str) -> dict[str, str]:
    """Every pod is in the mesh; the others have some of the further sidecars."""
    wanted = [label for place, label in enumerate(_LABELS) if place == 0 or (len(app) + place) % 3]
    return {"app": app, **{label: _LABELS[label] for label in wanted}}


def _deployment(of: tuple[str, str, int]) -> str:
    namespace, app, replicas = of
    labels = json.dumps(_labels(app))
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: {app}, namespace: {namespace}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: {app}}}}}
  template:
    metadata:
      labels: {labels}
    spec:
      containers:
      - name: {app}
        image: registry.example.com/{namespace}/{app}:3.4.1
        ports: [{{containerPort: 8080}}]
"""


def _pods(folder: Path) -> list[Object]:
    """The pods, most with the old proxy; some updated, some not ready, some created while the webhook was away."""
    plain = [_pod(*of, ordinal) for of in _apps() for ordinal in range(of[2])]
    old = _injected(folder, "before", [pod for place, pod in enumerate(plain) if _fate(place) != "new"])
    new = _injected(folder, "after", [pod for place, pod in enumerate(plain) if _fate(place) == "new"])
    made = {pod["metadata"]["uid"]: pod for pod in (*old, *new)}
    return [
        _running(pod if _fate(place) == "bare" else made[pod["metadata"]["uid"]], place)
        for place, pod in enumerate(plain)
    ]


def _fate(place: int) -> str:
    return "bare" if place % 43 == 7 else "new" if place % 9 == 4 else "old"


def _injected(folder: Path, version: str, pods: list[Object]) -> list[Object]:
    dump = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
    ended = run("inject", "-s", folder / version / "sidecarsets.yaml", "-", "-o", "json", stdin=dump.encode())
    assert ended.code == 0, ended.stderr
    items: list[Object] = json.loads(ended.stdout)["items"]
    return items


def _pod(namespace: str, app: str, _replicas: int, ordinal: int) -> Object:
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": f"{app}-5d8f7c9b6",
        "uid": f"rs-{app}",
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{app}-5d8f7c9b6-{_suffix(app, ordinal)}",
            "namespace": namespace,
            "uid": f"{app}-{ordinal}",
            "labels": {
                **_labels(app),
                "pod-template-hash": "5d8f7c9b6",
                "topology.kubernetes.io/zone": f"eu-west-1{'abc'[ordinal % 3]}",
            },
            "creationTimestamp": "2026-05-01T08:00:00Z",
            "ownerReferences": [owner],
        },
        "spec": {"containers": [{"name": app, "image": f"registry.example.com/{namespace}/{app}:3.4.1"}]},
    }


def _suffix(app: str, ordinal: int) -> str:
    """Five letters such as Kubernetes gives names, the same ones each time."""
    alphabet = "bcdfghjklmnpqrstvwxz2456789"
    return "".join(alphabet[each % len(alphabet)] for each in sha256(f"{app} {ordinal}".encode()).digest()[:5])


def _running(pod: Object, place: int) -> Object:
    ready = place % 37 != 3
    statuses = [
        {"name": item["name"], "image": item["image"], "imageID": f"sha256:{item['image']}", "ready": ready}
        for item in pod["spec"]["containers"]
    ]
    condition = {"type": "Ready", "status": str(ready)}
    status = {"phase": "Running", "conditions": [condition], "containerStatuses": statuses}
    return {**pod, "spec": {**pod["spec"], "nodeName": f"node-{place % 24:02}"}, "status": status}


if __name__ == "__main__":
    write_mesh(Path(sys.argv[1]))
