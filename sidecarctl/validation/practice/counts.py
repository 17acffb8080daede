"""partition and maxUnavailable, as numbers of the given pods.

Source: docs/behaviour/rollout.md, "One round".
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from sidecarctl.api.int_or_string import percentage, share
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import ObjectReference, reference_of
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import Release
from sidecarctl.validation.practice.matched import Match
from sidecarctl.validation.rules import warned

_PATH: Path = ("spec", "updateStrategy")
_PODS = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{{strategy}}}
  containers: [{{name: agent, image: 'agent:1.2'}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: one, labels: {{app: web}}}}
spec: {{nodeName: a, containers: [{{name: main, image: 'main:1'}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: two, labels: {{app: web}}}}
spec: {{nodeName: b, containers: [{{name: main, image: 'main:1'}}]}}
---
apiVersion: v1
kind: Node
metadata: {{name: a, labels: {{topology.kubernetes.io/zone: east}}}}
---
apiVersion: v1
kind: Node
metadata: {{name: b, labels: {{topology.kubernetes.io/zone: west}}}}
"""

PERCENTAGE = warned(
    "percentage-of-few",
    "A percentage of the given pods is neither none nor all of them.",
    why="Percentages are rounded up: with few pods, even a small percentage means all of them. Up to Kruise 1.7 they "
    "are rounded down: a maxUnavailable of no pods stalls the rollout, which is an error.",
    mend="write a number instead of a percentage",
    within="stream",
    fails=_PODS.format(strategy="maxUnavailable: 60%"),
    passes=_PODS.format(strategy="maxUnavailable: 50%"),
)
ZONE = warned(
    "zone-goes-at-once",
    "maxUnavailable is less than the pods of each zone.",
    why="Unless scatterStrategy spreads them, all pods of a zone may be updated at the same time, and no pod "
    "of that zone is available.",
    mend="lower maxUnavailable below the pods of the smallest zone with more than one pod, or use scatterStrategy",
    within="stream",
    fails=_PODS.replace("west", "east").format(strategy="maxUnavailable: 2"),
    passes=_PODS.replace("west", "east").format(strategy="maxUnavailable: 1"),
)


def count_findings(match: Match, uncounted: Collection[ObjectReference] = ()) -> Iterator[Finding]:
    """Percentages that mean none or all of the pods of a SidecarSet, if the number of pods is known.

    Of a single pod every percentage does: only a rollout that stalls is worth saying.
    """
    if any(reference_of(pod) in uncounted for pod in match.pods):
        return
    strategy, release, total = match.spec["updateStrategy"], match.sidecarset.release, len(match.pods)
    if strategy.get("type") != "RollingUpdate" or not total:
        return
    for field in ("partition", "maxUnavailable"):
        value = strategy.get(field)
        percent = percentage(value) if isinstance(value, str) else None
        if percent is None or percent in {0, 100}:
            continue
        number = share(percent, total, up=release.percent_up)
        if number == 0 or number >= total:
            said = "none" if number == 0 else "all"
            message = (
                f"{value} of {total} pods are {said} of them" if total > 1 else f"{value} of 1 pod is {said} of it"
            )
            found = PERCENTAGE.at((*_PATH, field), message)
            if field == "maxUnavailable" and number == 0:
                yield _stalled(found, release)
            elif total > 1:
                yield found


def _stalled(finding: Finding, release: Release) -> Finding:
    message = f"{finding.message}: {release.behaviour} rounds down and never updates a ready pod"
    return finding._replace(severity=Severity.ERROR, message=message)


def zone_findings(match: Match, nodes: Sequence[Object], label: str) -> Iterator[Finding]:
    """Zones, by a node label, in which all pods may be unavailable at once."""
    strategy = match.spec["updateStrategy"]
    if strategy.get("type") != "RollingUpdate":
        return
    allowed = _number(strategy.get("maxUnavailable", 1), len(match.pods), match.sidecarset.release)
    for zone, total in _by_zone(match.pods, nodes, label).items():
        if 1 < total <= allowed:
            message = f"{allowed} pods may be unavailable, and {zone} has only {total}"
            yield ZONE.at((*_PATH, "maxUnavailable"), message)


def _number(value: Value, total: int, release: Release) -> int:
    if isinstance(value, str):
        percent = percentage(value)
        return 0 if percent is None else share(percent, total, up=release.percent_up)
    return int(value)


def _by_zone(pods: Sequence[Object], nodes: Sequence[Object], label: str) -> Mapping[str, int]:
    zones = {
        (node.get("metadata") or {}).get("name"): ((node.get("metadata") or {}).get("labels") or {}).get(label)
        for node in nodes
    }
    found = (zones.get((pod.get("spec") or {}).get("nodeName")) for pod in pods)
    return Counter(zone for zone in found if zone)
