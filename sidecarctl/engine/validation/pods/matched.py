"""The given pods that a SidecarSet selects, and findings that follow from that alone: numbers, zones, order.

Source: docs/behavior/injection.md, "Which sets apply"; docs/behavior/rollout.md, "One round".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.quantities import percentage, share
from sidecarctl.engine.api.workloads import labels_beside
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, Severity, reference_of
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.feature_gates import SORTS_CONTAINERS
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.conversion import spec_in_v1beta1
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, Matcher, SidecarSet, is_bound_to
from sidecarctl.engine.sidecarset.unknown_namespaces import namespace_warnings
from sidecarctl.engine.sidecarset.world import GivenPod, World
from sidecarctl.engine.validation.practice.good_practice import sides
from sidecarctl.engine.validation.practice.values import held_back
from sidecarctl.engine.validation.rules import noted, warned

_AGENT = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
"""
_ONE = """\
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{app: web}}}}
"""
_APP = "spec: {{containers: [{{name: main, image: 'main:1'}}]}}"


def stream(sidecarset: str, *others: str, pod: str = _APP) -> str:
    """An example of a rule, for `format`: a SidecarSet, other objects, and a Pod of namespace shop that it selects.

    The texts are what comes below the selector of the SidecarSet, and below the metadata of the Pod.
    """
    return "---\n".join([_AGENT + f"  {sidecarset}\n", *others, _ONE + f"{pod}\n"])


_SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  {containers}
---
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{{labels}}}}}
spec: {{containers: [{{name: main, image: 'main:1'}}]}}
"""
_ORDINARY = "containers: [{name: agent, image: 'agent:1.2'}]"
_SETS = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: logs}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: logs, image: 'logs:1.2'}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: traces}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: traces, image: 'traces:1.2', podInjectPolicy: {policy}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: one, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1'}}]}}
"""

NOTHING = warned(
    "selector-matches-nothing",
    "Selector that matches no pod",
    "A SidecarSet selects at least one of the given pods.",
    why="The selector or the namespaceSelector may have a mistake.",
    mend="compare the selectors with the labels of the pods; `explain` shows which requirement does not match",
    within="stream",
    fails=_SET.format(containers=_ORDINARY, labels="app: shop"),
    passes=_SET.format(containers=_ORDINARY, labels="app: web"),
)
BETWEEN = noted(
    "order-between-sidecarsets",
    "Undefined order between SidecarSets",
    "No two SidecarSets of the same scope inject containers on the same side of the app containers of a pod.",
    why="Of two SidecarSets that both name the namespace, or both do not, Kruise does not define which comes first. "
    f"Only the feature gate {SORTS_CONTAINERS} defines the order. sidecarctl orders them by name.",
    mend="if the order matters, put both containers into one SidecarSet",
    within="stream",
    fails=_SETS.format(policy="BeforeAppContainer"),
    passes=_SETS.format(policy="AfterAppContainer"),
)


class Match(NamedTuple):
    """A SidecarSet, its spec in v1beta1 form, and the pods that it selects."""

    sidecarset: SidecarSet
    spec: Object
    pods: Sequence[GivenPod]

    @property
    def number(self) -> int:
        """How many pods it selects."""
        return sum(pod.number for pod in self.pods)

    @property
    def allowed(self) -> int:
        """How many of them may be unavailable."""
        limit = self.spec["updateStrategy"].get("maxUnavailable", 1)
        return _number(limit, self.number, self.sidecarset.release)


def matches_of(world: World) -> list[Match]:
    """Each SidecarSet with its pods; none if its selector is malformed."""
    return [
        Match(sidecarset, spec_in_v1beta1(sidecarset), [pod for pod in world.pods if _selects(matcher, pod)])
        for sidecarset in world.sidecarsets
        for matcher in [Matcher(sidecarset, world.namespaces)]
    ]


def match_findings(match: Match, world: World) -> Iterator[Finding]:
    """Findings about which pods a SidecarSet selects; the inputs contain at least one pod."""
    if match.pods or not match.spec.get("selector"):  # one without a selector is rejected anyhow
        return
    matcher, message = Matcher(match.sidecarset, world.namespaces), "no pod among the inputs is selected"
    if unsure := {namespace_of(pod.manifest) for pod in world.pods if _may_select(matcher, pod)}:
        for missing in namespace_warnings(match.sidecarset, world, unsure):
            message = f"whether a pod among the inputs is selected is not known: {missing.message}"
            yield NOTHING.at(missing.path, message, missing.hint)
        return
    near = (
        (pod, where)
        for pod in world.pods
        for where, labels in labels_beside(pod.manifest, pod.holder)
        if _selects(matcher, pod, labels)
    )
    if found := next(near, None):
        message += f": {found[0].reference} has the labels {found[1]}, where they do not count"
        yield NOTHING.at(("spec", "selector"), message, "write them into metadata.labels of the pod or its template")
    else:
        yield NOTHING.at(("spec", "selector"), message)


def namespace_of(pod: Object) -> str:
    """The namespace of a pod, `default` for one that names none."""
    return (pod.get("metadata") or {}).get("namespace") or DEFAULT_NAMESPACE


def _selects(matcher: Matcher, pod: GivenPod, further: Labels | None = None) -> bool:
    """Whether a pod is selected, or would be with further labels."""
    metadata = pod.manifest.get("metadata") or {}
    labels = metadata.get("labels")
    labels = labels if further is None else {**(labels or {}), **further}
    try:
        return matcher.mismatch(metadata.get("namespace") or "", labels) is None
    except ImpossibleError:
        return False


def _may_select(matcher: Matcher, pod: GivenPod) -> bool:
    """Whether a pod is selected if the labels of its namespace, which are not known, are."""
    labels = (pod.manifest.get("metadata") or {}).get("labels")
    try:
        return matcher.may_match(namespace_of(pod.manifest), labels)
    except ImpossibleError:
        return False


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
    "Percentage that is none or all of the pods",
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
    "maxUnavailable that takes a whole zone",
    "maxUnavailable is less than the pods of each zone.",
    why="Unless scatterStrategy spreads them, all pods of a zone may be updated at the same time, and no pod "
    "of that zone is available.",
    mend="lower maxUnavailable below the pods of the smallest zone with more than one pod, or use scatterStrategy",
    within="stream",
    fails=_PODS.replace("west", "east").format(strategy="maxUnavailable: 2"),
    passes=_PODS.replace("west", "east").format(strategy="maxUnavailable: 1"),
)


def count_findings(match: Match) -> Iterator[Finding]:
    """A partition of all pods of a SidecarSet, percentages that mean none or all of them, if their number is known.

    For a single pod every percentage does, so only a rollout that stalls is reported.
    """
    if not all(pod.is_number_known for pod in match.pods):
        return
    strategy, release, total = match.spec["updateStrategy"], match.sidecarset.release, match.number
    if strategy.get("type") != "RollingUpdate" or not total:
        return
    partition = strategy.get("partition")
    if isinstance(partition, int) and partition >= total:
        yield held_back(partition, f"all {total} pods keep" if total > 1 else "the only pod keeps")
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
    message = f"{finding.message}: {release.behavior} rounds down and never updates a ready pod"
    return finding._replace(severity=Severity.ERROR, message=message)


def zone_findings(match: Match, nodes: Sequence[Object], label: str) -> Iterator[Finding]:
    """Zones, by a node label, in which all pods may be unavailable at once."""
    strategy = match.spec["updateStrategy"]
    if strategy.get("type") != "RollingUpdate":
        return
    allowed = match.allowed
    for zone, total in _by_zone(match.pods, nodes, label).items():
        if 1 < total <= allowed:
            message = f"{allowed} pods may be unavailable, and {zone} has only {total}"
            yield ZONE.at((*_PATH, "maxUnavailable"), message)


def _number(value: Value, total: int, release: Release) -> int:
    if isinstance(value, str):
        percent = percentage(value)
        return 0 if percent is None else share(percent, total, up=release.percent_up)
    return int(value)


def _by_zone(pods: Sequence[GivenPod], nodes: Sequence[Object], label: str) -> Mapping[str, int]:
    zones = {
        (node.get("metadata") or {}).get("name"): ((node.get("metadata") or {}).get("labels") or {}).get(label)
        for node in nodes
    }
    found = (zones.get((pod.manifest.get("spec") or {}).get("nodeName")) for pod in pods)
    return Counter(zone for zone in found if zone)


def order_findings(matches: Sequence[Match], gates: frozenset[str]) -> Iterator[tuple[str, Finding]]:
    """Groups of SidecarSets of one scope that share a side of some pod: one note for each group, at its last name."""
    if len(matches) < 2 or _is_certain(matches, gates):
        return
    sharing: dict[tuple[int, bool, str], tuple[list[str], Object]] = {}
    for match in sorted(matches, key=lambda item: item.sidecarset.name):
        for pod in (item.manifest for item in match.pods):
            is_bound = match.sidecarset.release.namespace_bound_first and is_bound_to(
                match.sidecarset, namespace_of(pod)
            )
            for side in sides(match.spec):
                names, _ = sharing.setdefault((id(pod), is_bound, side), ([], pod))
                names.append(match.sidecarset.name)
    groups: dict[tuple[str, ...], Object] = {}
    for names, pod in sorted(sharing.values(), key=lambda item: -len(item[0])):
        if len(names) > 1 and not any(set(names) <= set(group) for group in groups):
            groups[tuple(names)] = pod
    for group, pod in groups.items():
        yield group[-1], BETWEEN.at(("spec", "containers"), f"{_undefined(group)} (in {reference_of(pod)})")


def _undefined(names: Sequence[str]) -> str:
    if len(names) == 2:
        return f"whether {names[0]} or {names[1]} comes first is not defined"
    return f"the order of {', '.join(names[:-1])} and {names[-1]} is not defined"


def _is_certain(matches: Iterable[Match], gates: frozenset[str]) -> bool:
    """Whether the feature gate decides the order; old releases do not have it."""
    return SORTS_CONTAINERS in gates and all(match.sidecarset.release.sort_gate for match in matches)
