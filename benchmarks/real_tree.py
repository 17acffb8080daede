"""A tree like those of public repositories: mostly what no SidecarSet has to do with, and workloads that all differ.

5 MB in 550 files. By bytes: 70 CustomResourceDefinitions 72 % (most of them below 45 KB), 220 workloads of which no
two are alike 16 %, ConfigMaps 9 % (dashboards, also as a list, and configuration), RBAC, Services, rules 2 %.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.varied_manifests import varied_workloads

_CRDS, _CRD_BYTES = 70, 3_600_000
_CONFIG_MAPS, _CONFIG_MAP_BYTES = 45, 500_000
_WORKLOADS = 220
_OTHERS = 215

_TEXT = """
the of a is to be and in for this if it are not or field set value name must default container resource object
pod when specified used list more information type string will that an optional by with may as which
"""
_WORDS = _TEXT.split()
_TYPES = ("string", "integer", "boolean", "object", "array")


def make_tree(folder: Path) -> Path:
    """Write the tree, always the same one; the folder."""
    for name, text in files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def files() -> Iterator[tuple[str, str]]:
    """The paths of the files, and their texts."""
    draw = random.Random(7)
    for number in range(_CRDS):
        size = int(_CRD_BYTES / _CRDS * draw.choice((0.5, 0.6, 0.7, 0.75, 0.8, 1, 1.9, 1.9)) / 1.02)
        yield f"crds/crd-{number:02}.yaml", _crd(number, size, draw)
    for number in range(_CONFIG_MAPS):
        folder = "dashboards" if number % 3 else "config"
        yield f"{folder}/config-{number:02}.yaml", _config_map(number, _CONFIG_MAP_BYTES // _CONFIG_MAPS, draw)
    for number, text in enumerate(varied_workloads(_WORKLOADS)):
        yield f"apps/team-{number % 20:02}/workload-{number:03}.yaml", text
    for number in range(_OTHERS):
        made: Callable[[int, random.Random], str] = draw.choice((_role, _role, _binding, _service, _service, _rules))
        yield f"base/part-{number % 30:02}/part-{number:03}.yaml", made(number, draw)


def _sentence(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(_WORDS, k=words)).capitalize() + "."


def _crd(number: int, size: int, draw: random.Random) -> str:
    head = f"""\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.16.5
  name: things{number}.example.com
spec:
  group: example.com
  names:
    kind: Thing{number}
    listKind: Thing{number}List
    plural: things{number}
    singular: thing{number}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {{}}
    schema:
      openAPIV3Schema:
        description: {_sentence(draw, 12)}
        type: object
        properties:
"""
    lines: list[str] = []
    length = len(head)
    while length < size:
        field = [*_field(draw, 10)]
        lines += field
        length += sum(map(len, field))
    return head + "".join(lines)


def _field(draw: random.Random, indent: int) -> Iterator[str]:
    before = " " * indent
    kind = draw.choice(_TYPES) if indent < 24 else "string"
    yield f"{before}{draw.choice(_WORDS)}{draw.randint(0, 99_999)}:\n"
    if draw.random() < 0.3:
        yield f"{before}  description: |-\n"
        for _ in range(draw.randint(1, 5)):
            yield f"{before}    {_sentence(draw, 11)}\n"
    elif draw.random() < 0.6:
        yield f"{before}  description: {_sentence(draw, 9)}\n{before}    {_sentence(draw, 8)}\n"
    if kind == "object":
        yield f"{before}  properties:\n"
        for _ in range(draw.randint(1, 5)):
            yield from _field(draw, indent + 4)
    elif kind == "array":
        yield f"{before}  items:\n{before}    type: string\n"
        yield f"{before}  x-kubernetes-list-type: atomic\n"
    elif kind == "string" and draw.random() < 0.2:
        yield f"{before}  enum:\n" + "".join(f"{before}  - {draw.choice(_WORDS)}\n" for _ in range(3))
    yield f"{before}  type: {kind}\n"


def _config_map(number: int, size: int, draw: random.Random) -> str:
    if number % 15 == 1:
        parts = [_config_data(f"list-{number}-{index}", size // 3, draw, json_only=True) for index in range(3)]
        items = ["- " + part.replace("\n", "\n  ").rstrip(" ") for part in parts]
        return "apiVersion: v1\nkind: ConfigMapList\nitems:\n" + "".join(items)
    head = "# generated from the dashboards\n" if number % 4 == 0 else ""
    return head + _config_data(f"config-{number}", size, draw, json_only=number % 3 != 0)


def _config_data(name: str, size: int, draw: random.Random, *, json_only: bool) -> str:
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: monitoring\ndata:\n"
    lines: list[str] = []
    while sum(map(len, lines)) < size * 0.7:
        lines += _panel(draw) if json_only else [f"[section.{len(lines)}]", f"setting = {_sentence(draw, 5)}"]
    name = "dashboard.json" if json_only else "app.conf"
    return head + f"  {name}: |\n" + "".join(f"    {line}\n" for line in lines)


def _panel(draw: random.Random) -> list[str]:
    panel = {
        "title": _sentence(draw, 3),
        "targets": [{"expr": f"sum(rate(requests_total[{draw.randint(1, 9)}m])) by (pod)", "refId": "A"}],
        "gridPos": {"h": draw.randint(1, 12), "w": 24, "x": 0, "y": 0},
    }
    return json.dumps(panel, indent=2).split("\n")


def _role(number: int, draw: random.Random) -> str:
    rules = "".join(
        f'- apiGroups: ["{draw.choice(("", "apps", "batch"))}"]\n  resources:\n  - {draw.choice(_WORDS)}s\n'
        f"  verbs: [get, list, watch]\n"
        for _ in range(draw.randint(2, 12))
    )
    head = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n"
    return f"{head}metadata:\n  name: role-{number}\nrules:\n{rules}"


def _binding(number: int, draw: random.Random) -> str:
    del draw
    return f"""\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: binding-{number}
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: role-{number}
subjects:
- kind: ServiceAccount
  name: account-{number}
  namespace: shop
"""


def _service(number: int, draw: random.Random) -> str:
    account = f"---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: account-{number}\n  namespace: shop\n"
    return f"""\
apiVersion: v1
kind: Service
metadata:
  name: service-{number}
  namespace: shop
  labels: {{app: shop-{number}}}
spec:
  selector:
    app: shop-{number}
  ports:
  - name: http   # for the ingress
    port: {draw.randint(80, 9999)}
    targetPort: http
""" + (account if number % 2 else "")


def _rules(number: int, draw: random.Random) -> str:
    head = f"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: rules-{number}\nspec:\n"
    return f"{head}  groups:\n  - name: group-{number}\n    rules:\n" + "".join(
        f"""\
    - alert: Alert{index}
      annotations:
        description: 'Pod {{{{ $labels.pod }}}}: {_sentence(draw, 9)}'
      expr: |
        sum(rate(errors_total{{job="service-{number}"}}[5m])) > 0.0{draw.randint(1, 9)}
      for: 15m
      labels:
        severity: warning
"""
        for index in range(draw.randint(2, 8))
    )
