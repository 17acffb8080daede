"""`make record-pods`: the pods that Kubernetes' own controllers create of the workloads in a folder of tests.

There is no kubelet: the pods are recorded as the API server has them after their creation, without times and uids.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from sidecarctl.engine.facts.values import Object, Value
from tests.cluster.api import Api, until
from tests.cluster.control_plane import CACHE, ControlPlane, refuse_missing

CONTROLLERS = CACHE / "sidecarctl-tests" / "controllers" / "controllers"
FOLDER = Path(__file__).parents[1] / "engine" / "api" / "recorded_pods"
_COLLECTIONS = {
    "CronJob": "/apis/batch/v1/namespaces/{}/cronjobs",
    "DaemonSet": "/apis/apps/v1/namespaces/{}/daemonsets",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "ReplicaSet": "/apis/apps/v1/namespaces/{}/replicasets",
    "ReplicationController": "/api/v1/namespaces/{}/replicationcontrollers",
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets",
}
_PODS = "/api/v1/namespaces/{}/pods"
_BY_THE_SERVER = ("namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields", "finalizers")
_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SUFFIX = re.compile(r"-[a-z0-9]{5}$")
_MINUTES = re.compile(r"\b(nightly)-\d{8}\b")


def main() -> None:
    """Record the pods of every manifest beside it; each has a namespace of its own."""
    refuse_missing()
    with tempfile.TemporaryDirectory() as folder, _running(Path(folder)) as api:
        api.create("/api/v1/nodes", {"metadata": {"name": "node-1"}})
        assert (
            api.patch("/api/v1/nodes/node-1", {"spec": {"taints": None}}, "merge").code == 200
        )  # which admission adds
        manifests = {path: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))}
        for path, manifest in manifests.items():
            api.create("/api/v1/namespaces", {"metadata": {"name": path.stem}})
            api.create(_COLLECTIONS[manifest["kind"]].format(path.stem), manifest)
        for path, manifest in manifests.items():
            pods = _pods(api, path.stem, manifest["spec"])
            path.with_suffix(".json").write_text(json.dumps(pods, indent=1) + "\n")
            sys.stdout.write(f"{path.stem}: {len(pods)} pods\n")


@contextmanager
def _running(folder: Path) -> Iterator[Api]:
    server = ControlPlane(folder)
    try:
        server.start()
        words = [str(CONTROLLERS), str(server.kubeconfig(folder / "kubeconfig"))]
        with (folder / "controllers.log").open("wb") as log, server.api() as api:
            controllers = subprocess.Popen(words, stdout=log, stderr=log)
            try:
                yield api
            finally:
                controllers.kill()
                controllers.wait()
    finally:
        server.stop()


def _pods(api: Api, namespace: str, spec: Object) -> list[Object]:
    """The pods of a workload in the order of their names, when all are there."""
    path = _PODS.format(namespace)
    job = spec.get("jobTemplate", {}).get("spec", {})
    number = spec.get("replicas") or spec.get("parallelism") or job.get("parallelism") or 1
    found = until(lambda: len(items := api.get(path)["items"]) == number and items, lambda: f"no pods in {namespace}")
    named = sorted(found, key=lambda pod: pod["metadata"]["name"])
    return [_trimmed(pod, index) for index, pod in enumerate(named)]


def _trimmed(pod: Object, index: int) -> Object:
    """A pod with zeros and a number for what is random in its names."""
    metadata = {key: value for key, value in pod["metadata"].items() if key not in _BY_THE_SERVER}
    metadata["name"] = _SUFFIX.sub(f"-{index:05}", metadata["name"])
    text = json.dumps({"metadata": metadata, "spec": pod["spec"]})
    made: Value = json.loads(_MINUTES.sub(r"\1-00000", _UID.sub("UID", text)))
    assert isinstance(made, dict)
    return made


if __name__ == "__main__":
    main()
