"""Rules for canary SidecarSets and their base.

Source: docs/behaviour/validation.md, "Strategies".
"""

from collections.abc import Iterator, Mapping

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.sidecarset.canaries import BASE, base_of
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.rules import kruise

_PATH: Path = ("metadata", "annotations", BASE)
_CANARY = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: log-agent-canary
  annotations: {{apps.kruise.io/sidecarset-canary: 'true', apps.kruise.io/sidecarset-base: {base}}}
spec:
  selector: {{matchLabels: {{app: web, canary: 'true'}}}}
  updateStrategy: {{type: {type}}}
  containers: [{{name: log-agent, image: log-agent:1.3}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: log-agent, image: log-agent:1.2}}]
"""

BASE_EXISTS = kruise(
    "canary-base",
    "The base of a canary is another existing SidecarSet that is not a canary itself.",
    why="A canary replaces its base in the pods that both select.",
    mend="name an existing SidecarSet in apps.kruise.io/sidecarset-base, and give it as an input too",
    within="stream",
    fails=_CANARY.format(base="log-agent-old", type="NotUpdate"),
    passes=_CANARY.format(base="log-agent", type="NotUpdate"),
)
TYPE = kruise(
    "canary-type",
    "A canary has updateStrategy.type NotUpdate.",
    why="A canary is for new pods; it takes no part in rollouts.",
    mend="write updateStrategy: {type: NotUpdate}",
    within="stream",
    fails=_CANARY.format(base="log-agent", type="RollingUpdate"),
    passes=_CANARY.format(base="log-agent", type="NotUpdate"),
)


def canary_findings(sidecarset: SidecarSet, others: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """Errors of a canary, given all SidecarSets by name; none for a SidecarSet that is not a canary."""
    name = base_of(sidecarset)
    if not name:
        return
    base = others.get(name)
    if name == sidecarset.name:
        yield BASE_EXISTS.at(_PATH, "a canary cannot be its own base")
    elif base is None:
        yield BASE_EXISTS.at(_PATH, f'SidecarSet "{name}" not found')
    elif base_of(base):
        yield BASE_EXISTS.at(_PATH, f'the base "{name}" is a canary itself')
    kind = sidecarset.spec["updateStrategy"]["type"]
    if kind != "NotUpdate":
        yield TYPE.at(_PATH, f"a canary has updateStrategy.type NotUpdate, not {kind}")
