"""`python -m benchmarks.validation [COUNT]`: `sidecarctl validate` of very many SidecarSets, conflicts included.

A stream of 2 KB documents. All of them have two container names in common, so that only their selectors keep them
apart.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import installed, kept, run
from benchmarks.table import Row, show

_TEXT = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: log-agent-{number}
  labels: {{team: observability}}
spec:
  selector:
    matchLabels: {selector}
  namespaceSelector:
    matchLabels: {{kubernetes.io/metadata.name: shop-{namespace}}}
  updateStrategy: {{type: RollingUpdate, maxUnavailable: 10%}}
  containers:
  - name: log-agent
    image: registry.example.com/platform/log-agent:2.{minor}
    podInjectPolicy: AfterAppContainer
    shareVolumePolicy: {{type: enabled}}
    command: [/log-agent, --config=/etc/log-agent/agent.yaml, --output={padding}]
    env:
    - {{name: POD, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}
    - {{name: NODE, valueFrom: {{fieldRef: {{fieldPath: spec.nodeName}}}}}}
    ports: [{{name: metrics, containerPort: 9100}}]
    resources: {{limits: {{cpu: 100m, memory: 128Mi}}, requests: {{cpu: 50m, memory: 64Mi}}}}
    livenessProbe: {{httpGet: {{path: /healthz, port: metrics}}}}
    volumeMounts:
    - {{name: settings, mountPath: /etc/log-agent}}
    - {{name: spool, mountPath: /var/spool/log-agent}}
  - name: exporter
    image: registry.example.com/platform/exporter:1.{minor}
    args: [--verbose, --target={padding}]
    resources: {{limits: {{cpu: 100m, memory: 128Mi}}, requests: {{cpu: 50m, memory: 64Mi}}}}
    volumeMounts: [{{name: spool, mountPath: /var/spool/log-agent}}]
  volumes:
  - {{name: settings, configMap: {{name: log-agent}}}}
  - {{name: spool, emptyDir: {{sizeLimit: 1Gi}}}}
"""
SELECTORS = {
    "an app of its own each": "{{app: app-{number}}}",
    "one of 100 apps and of 100 tiers": "{{app: app-{first}, tier: tier-{second}}}",
}


def stream(selector: str, number: int) -> bytes:
    """The text of so many SidecarSets."""
    return "---\n".join(
        _TEXT.format(
            number=index,
            selector=selector.format(number=index, first=index % 100, second=index // 100, digit=index % 10),
            namespace=index % 50,
            minor=index % 7,
            padding="x" * 300,
        )
        for index in range(number)
    ).encode()


def measured(programs: Path, count: int) -> Iterator[Row]:
    """A row for each kind of selectors; `programs` is the folder of the installed ones."""
    for about, selector in SELECTORS.items():
        text = stream(selector, count).decode()
        ended = run(programs / "sidecarctl", "validate", kept("sidecarsets.yaml", text), "-o", "json")
        yield Row(f"validate, {count:,} SidecarSets, {about}", f"{ended.cpu:.1f} s", "20 s")


if __name__ == "__main__":
    show(measured(installed(), *map(int, sys.argv[1:] or ("10000",))))
