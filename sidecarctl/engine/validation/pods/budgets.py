"""PodUnavailableBudgets, and the SidecarSets whose rollouts they hold back.

Source: docs/behavior/pod-unavailable-budget.md.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.workloads import WITHOUT_SCALE
from sidecarctl.engine.facts.findings import Finding, reference_of
from sidecarctl.engine.injection.uncomputed_steps import covers, webhooked
from sidecarctl.engine.releases.feature_gates import BUDGETS_FOR_UPDATES, is_on
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.budget_spec import COUNTED, PROTECT, BudgetSpec, budget_spec, operations
from sidecarctl.engine.sidecarset.sets import SYSTEM_NAMESPACES
from sidecarctl.engine.sidecarset.world import GivenPod, Located, World
from sidecarctl.engine.validation.pods.matched import Match, namespace_of
from sidecarctl.engine.validation.pods.running import Collapsed
from sidecarctl.engine.validation.rules import Rule, noted, warned

_STREAM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{maxUnavailable: 2}}
  containers: [{{name: agent, image: 'agent:1.2'}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: web-0, namespace: shop, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1'}}]}}
---
apiVersion: policy.kruise.io/v1alpha1
kind: PodUnavailableBudget
metadata: {{name: web, namespace: shop{metadata}}}
spec: {{selector: {{matchLabels: {{app: web}}}}, {spec}}}
status: {{totalReplicas: 5}}
"""
_WITH_GATE = f"While Kruise's feature gate {BUDGETS_FOR_UPDATES} is on (`--feature-gates`), "
_SECOND = """\
---
apiVersion: policy.kruise.io/v1alpha1
kind: PodUnavailableBudget
metadata: {{name: second, namespace: {namespace}}}
spec: {{selector: {{matchLabels: {{app: web}}}}, maxUnavailable: 2}}
"""
_FIRST = _STREAM.format(metadata="", spec="maxUnavailable: 2")
_NONE = (0, "0%")
_FIELD_OF = {True: ("spec", "maxUnavailable"), False: ("spec", "minAvailable")}

NEVER = warned(
    "pub-never-has-room",
    "PodUnavailableBudget that never has room",
    "A PodUnavailableBudget lets at least one of its pods be updated at a time.",
    why=f"{_WITH_GATE}Kruise refuses to change the image of a pod whose budget has no room, and the SidecarSet "
    "stalls at the first such pod, the pods of other workloads included.",
    mend="raise maxUnavailable, lower minAvailable, or leave UPDATE out of the protected operations",
    within="stream",
    fails=_STREAM.format(metadata="", spec="maxUnavailable: 0"),
    passes=_STREAM.format(metadata="", spec="maxUnavailable: 2"),
)
LOWER = noted(
    "pub-below-max-unavailable",
    "maxUnavailable above a PodUnavailableBudget",
    "maxUnavailable of a SidecarSet is not above what the PodUnavailableBudgets of its pods allow.",
    why=f"{_WITH_GATE}a wave ends at the first pod that is refused, and Kruise waits longer after each refusal.",
    mend="lower maxUnavailable of the SidecarSet to the smallest of its budgets",
    within="stream",
    fails=_STREAM.format(metadata="", spec="maxUnavailable: 1"),
    passes=_STREAM.format(metadata="", spec="maxUnavailable: 2"),
)
TWICE = warned(
    "pods-of-two-pubs",
    "Pods of two PodUnavailableBudgets",
    "A pod is covered by one PodUnavailableBudget at most.",
    why="Only the budget that the pod's annotation names decides, but each of them counts the pod.",
    mend="let each pod be covered by one PodUnavailableBudget",
    within="stream",
    fails=_FIRST + _SECOND.format(namespace="shop"),
    passes=_FIRST + _SECOND.format(namespace="other"),
)
WORDS = warned(
    "pub-protect-operations",
    "Unknown word in kruise.io/pub-protect-operations",
    f"The annotation {PROTECT} names operations.",
    why="Kruise splits it at commas and compares the parts as they are: one with a space or in lower case protects "
    "nothing.",
    mend="write some of DELETE,UPDATE,EVICT, with commas and without spaces",
    within="stream",
    fails=_STREAM.format(metadata=f", annotations: {{{PROTECT}: 'DELETE, update'}}", spec="maxUnavailable: 2"),
    passes=_STREAM.format(metadata=f", annotations: {{{PROTECT}: 'DELETE,UPDATE'}}", spec="maxUnavailable: 2"),
    until="1.9",
)
IDLE = warned(
    "pub-of-daemonset",
    "PodUnavailableBudget without a number of replicas",
    "A PodUnavailableBudget with maxUnavailable covers pods of workloads that have a number of replicas.",
    why="A DaemonSet or Job has none, and counts as -1 pod: maxUnavailable then protects none of its pods.",
    mend="write minAvailable as a number, or protectTotalReplicas",
    within="stream",
    fails=_STREAM.format(metadata="", spec="maxUnavailable: 1").replace("totalReplicas: 5", "totalReplicas: -1"),
    passes=_STREAM.format(metadata="", spec="maxUnavailable: 2"),
)


class Covered(NamedTuple):
    """A budget with the pods that it covers, and how many there should be (None: not in the inputs)."""

    budget: Located
    spec: BudgetSpec
    pods: Sequence[GivenPod]
    total: int | None

    def room(self, release: Release) -> int | None:
        """How many pods may be down at a time; None if that is not known, or the budget refuses nothing."""
        desired = self.desired(release)
        if self.total is None or desired is None or (desired <= 0 and release.budget_of_none_frees):
            return None
        return max(0, self.total - desired)

    def desired(self, release: Release) -> int | None:
        """How many pods must stay available."""
        return None if self.total is None else self.spec.desired(self.total, release)

    def is_closed(self, release: Release) -> bool:
        """Whether it never has room for the update of a pod, as far as the inputs show."""
        spec = self.spec
        if "UPDATE" not in spec.protects:
            return False
        if self.total is None:
            return spec.max_unavailable in _NONE if spec.max_unavailable is not None else spec.min_available == "100%"
        return self.total > 0 and self.room(release) == 0


def budget_findings(world: World, matches: Sequence[Match]) -> Iterator[tuple[str | None, Finding]]:
    """Findings about budgets and pods, with subjects and places; those about a SidecarSet have its name instead."""
    release = next((item.release for item in world.sidecarsets), None)
    if release is None:
        return
    found = [
        item
        for item in _covered(world, release)
        if release.budget_everywhere or item.spec.name.namespace not in SYSTEM_NAMESPACES
    ]
    for item in found:
        yield from ((None, finding) for finding in _of_budget(item, release))
    yield from ((None, finding) for finding in _covered_twice(found))
    if is_on(BUDGETS_FOR_UPDATES, world.gates, release):
        yield from ((None, finding) for finding in _closed(found, matches, release))
        yield from _lower(found, matches, release)


def _covered(world: World, release: Release) -> Iterator[Covered]:
    looked_at = []
    for pod in world.pods:
        workload = pod.template.workload if pod.template else None
        looked_at.append((pod, webhooked(pod.manifest, namespace_of(pod.manifest), workload)))
    for budget in world.budgets:
        spec = budget_spec(budget.manifest, release)
        name = spec.name._replace(namespace=budget.reference.namespace or spec.name.namespace)
        pods = [pod for pod, item in looked_at if item.namespace == name.namespace and covers(budget.manifest, item)]
        yield Covered(budget, spec._replace(name=name), pods, _total(spec, pods, release))


def _total(spec: BudgetSpec, pods: Sequence[GivenPod], release: Release) -> int | None:
    """TotalReplicas of a budget: of the workloads among the inputs, else as recorded."""
    if spec.total is not None and release.budget_total == "always":
        return spec.total
    made = [pod for pod in pods if pod.template]
    if any(pod.reference.kind == "Deployment" for pod in made):
        made = [pod for pod in made if pod.reference.kind != "ReplicaSet"]  # it is the Deployment's
    sized = [pod for pod in made if pod.reference.kind in COUNTED]
    if not made or not all(pod.is_number_known for pod in sized):
        recorded: int | None = spec.status.get("totalReplicas")
        return recorded
    unsized = (len(made) - len(sized)) * (-1 if release.budget_counts_down else 0)
    counted = sum(pod.number for pod in sized) + unsized
    return spec.total if spec.total is not None and spec.target is None and counted == 0 else counted


def _of_budget(item: Covered, release: Release) -> Iterator[Finding]:
    budget, spec = item.budget, item.spec
    annotation = ((budget.manifest.get("metadata") or {}).get("annotations") or {}).get(PROTECT)
    if annotation and release.budget_annotations and not release.budget_fields:
        parts = [part for part in annotation.split(",") if part] or [annotation]
        odd = [part for part in parts if part not in operations(release)]
        if odd:
            said = ", ".join(f'"{part}"' for part in odd)
            yield _at(WORDS, budget, ("metadata", "annotations", PROTECT), f"{said} protects nothing")
    is_idle = item.total == -1 or (item.total == 0 and any(pod.reference.kind in WITHOUT_SCALE for pod in item.pods))
    if is_idle and spec.max_unavailable is not None and item.desired(release) == 0:
        message = f"it protects no pod: the pods' workload counts as {item.total}"
        yield _at(IDLE, budget, ("spec", "maxUnavailable"), message)


def _closed(found: Sequence[Covered], matches: Sequence[Match], release: Release) -> Iterator[Finding]:
    for item in found:
        names = [match.sidecarset.name for match in _updating(matches, item)]
        if names and item.is_closed(release):
            spec = item.spec
            of = "" if item.total is None else f" of {item.total:,} pods"
            which = "SidecarSets" if len(names) > 1 else "SidecarSet"
            message = f"{spec.limit_text}{of} never lets an update through: {which} {', '.join(names)} will stall"
            yield _at(NEVER, item.budget, _FIELD_OF[spec.max_unavailable is not None], message)


def _lower(found: Sequence[Covered], matches: Sequence[Match], release: Release) -> Iterator[tuple[str, Finding]]:
    for match in matches:
        rooms = [
            (room, item)
            for item in found
            if _updating([match], item) and "UPDATE" in item.spec.protects
            if (room := item.room(release))
        ]
        if not rooms or not all(pod.is_number_known for pod in match.pods):
            continue
        room, item = min(rooms, key=lambda pair: pair[0])
        allowed = match.allowed
        if allowed > room:
            message = (
                f"{allowed:,} pods may be unavailable, and PodUnavailableBudget {item.spec.name} allows "
                f"{room:,} of {item.total:,}"
            )
            yield match.sidecarset.name, LOWER.at(("spec", "updateStrategy", "maxUnavailable"), message)


def _updating(matches: Sequence[Match], item: Covered) -> list[Match]:
    """The SidecarSets that update pods of a budget."""
    ids = set(map(id, item.pods))
    return [
        match
        for match in matches
        if match.spec["updateStrategy"].get("type") == "RollingUpdate" and any(id(pod) in ids for pod in match.pods)
    ]


def _covered_twice(found: Sequence[Covered]) -> Iterator[Finding]:
    by_pod: dict[int, tuple[GivenPod, list[str]]] = {}
    for item in found:
        for pod in item.pods:
            by_pod.setdefault(id(pod), (pod, []))[1].append(str(item.spec.name))
    several: Collapsed[list[str]] = Collapsed()
    for pod, names in by_pod.values():
        if len(names) > 1:
            several.add(pod, [(tuple(names), names)])
    for names, pod, more in several:
        others = f" (and {more} more)" if more else ""
        message = f"PodUnavailableBudgets {' and '.join(names)} cover it: one decides, all count it{others}"
        yield TWICE.at(pod.path, message)._replace(subject=pod.reference, place=pod.place(pod.path))


def _at(rule: Rule, budget: Located, path: tuple[str, ...], message: str) -> Finding:
    return rule.at(path, message)._replace(subject=reference_of(budget.manifest), place=budget.place(path))
