"""Validation of very many SidecarSets, conflicts included: `python -m benchmarks.validation [NUMBER]`.

CPU time of reading, decoding and checking in one process, from the text of a stream of 2 KB documents. All of them
have two container names in common, so that only their selectors keep them apart.
"""

import sys
import time
from collections.abc import Iterator

from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.streams import split
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.admission import admit
from sidecarctl.validation.checking import check
from sidecarctl.validation.given import Given

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
    "one of 10 apps: all conflict": "{{app: app-{digit}}}",
}


def stream(selector: str, number: int) -> bytes:
    """The text of so many SidecarSets."""
    return "---\n".join(
        _TEXT.format(
            number=one,
            selector=selector.format(number=one, first=one % 100, second=one // 100, digit=one % 10),
            namespace=one % 50,
            minor=one % 7,
            padding="x" * 300,
        )
        for one in range(number)
    ).encode()


def measured(number: int) -> Iterator[str]:
    """A line for each kind of selectors."""
    for about, selector in SELECTORS.items():
        text = stream(selector, number)
        start = time.process_time()
        manifests: list[Object] = [
            document.value for chunk in split([text], len(text)) for document in Reader().documents(chunk)
        ]
        sets = [admit(manifest) for manifest in manifests]
        read = time.process_time()
        found = check(Given(sets, manifests={one["metadata"]["name"]: one for one in manifests}))
        done = time.process_time()
        refused = sum(one.is_refused for one in found)
        size = len(text) // number
        yield (
            f"{number:,} SidecarSets of {size:,} bytes, {about}: {done - start:.1f} s CPU, "
            f"{done - read:.1f} s of them checks; {refused:,} refused"
        )


if __name__ == "__main__":
    for line in measured(*map(int, sys.argv[1:] or ("10000",))):
        print(line)
