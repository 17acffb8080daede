"""`python -m benchmarks.expectations [COUNT]`: `sidecarctl test` of very many cases over 500 workloads, read once."""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import installed, kept, run
from benchmarks.table import Row, show

_SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {logging: "true"}}
  containers: [{name: log-agent, image: "registry.example.com/log-agent:2.4.1"}]
"""
_WORKLOAD = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{number}, namespace: shop-{namespace}}}
spec:
  template:
    metadata: {{labels: {{app: web-{number}, logging: "true"}}}}
    spec: {{containers: [{{name: web, image: "registry.example.com/web:1"}}]}}
"""
_CASE = """\
- name: case {number}
  select: {{namespace: shop-{namespace}}}
  expect:
    injected: [logs]
    containers: {{log-agent: {{image: "*/log-agent:2.*"}}}}
    order: [log-agent, web]
"""
_WORKLOADS, _NAMESPACES = 500, 20


def measured(programs: Path, count: int = 1000) -> Iterator[Row]:
    """A row for so many cases; `programs` is the folder of the installed ones."""
    workloads = (_WORKLOAD.format(number=each, namespace=each % _NAMESPACES) for each in range(_WORKLOADS))
    manifests = kept("tested.yaml", "".join([_SET, *workloads]))
    head = f"apiVersion: sidecarctl.dev/v1alpha1\nkind: SidecarTest\ninputs: {{manifests: [{manifests}]}}\ncases:\n"
    cases = (_CASE.format(number=each, namespace=each % _NAMESPACES) for each in range(count))
    tests = kept("many.sidecartest.yaml", "".join([head, *cases]))
    ended = run(programs / "sidecarctl", "test", "-q", tests)
    yield Row(f"test, {count:,} cases over {_WORKLOADS} workloads", f"{ended.cpu:.1f} s", "3 s")


if __name__ == "__main__":
    show(measured(installed(), *map(int, sys.argv[1:] or ("1000",))))
