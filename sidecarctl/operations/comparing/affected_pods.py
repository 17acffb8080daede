"""How many pods the change of a set reaches: of those that run, or of those that workloads would have."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sidecarctl.api.workloads import Workload, pod_template_paths, replica_count, workload_of
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.values import Object
from sidecarctl.injection.context import Context
from sidecarctl.injection.identity import Identity
from sidecarctl.injection.selection import select
from sidecarctl.inputs.world import Located, World
from sidecarctl.operations.status import SetStatus
from sidecarctl.tasks.pod_states import PodState

_HELD = frozenset((PodState.HELD_BY_PARTITION, PodState.HELD_BY_SELECTOR, PodState.PAUSED, PodState.NOT_UPDATE))


class RunningPods(NamedTuple):
    """The pods that run now, by what the new version of a set means for them.

    `matched` of them are of its rollout: `updated` need nothing, `in_place` can be updated in place (`held` of these
    are kept back by the strategy), `recreate` must be recreated. `left_out` are selected, but not part of it.
    """

    matched: int
    updated: int
    in_place: int
    held: int
    recreate: int
    left_out: int


class FuturePods(NamedTuple):
    """The pods of workloads that the set applies to: in both versions, only in the new, only in the old one.

    `uncounted` workloads, which a version applies to, do not say how many pods they have.
    """

    workloads: int
    kept: int
    gained: int
    lost: int
    uncounted: int


def running_pods(status: SetStatus) -> RunningPods:
    """The numbers behind the status of a set's new version."""
    old = [pod for pod in status.pods if not pod.updated]
    in_place = [pod for pod in old if pod.upgradable]
    return RunningPods(
        matched=len(status.pods),
        updated=len(status.pods) - len(old),
        in_place=len(in_place),
        held=sum(pod.state in _HELD for pod in in_place),
        recreate=len(old) - len(in_place),
        left_out=len(status.left_out),
    )


@dataclass(frozen=True, slots=True)
class Selectors:
    """Which sets of one version apply to a workload's pods."""

    context: Context
    namespace: str

    def of(self, found: Located, path: Path) -> frozenset[str]:
        """The names of the sets; SidecarctlError where a pod would be rejected."""
        identity = Identity(found.reference.namespace or self.namespace, f"{found.reference.name}-0")
        selection = select(value_at(found.manifest, path), self.context, identity)
        return frozenset(choice.sidecarset.name for choice in selection.applied)


def future_pods(
    old: World, new: World, workloads: Iterable[Located], namespace: str, kinds: Sequence[Workload] = ()
) -> tuple[dict[str, FuturePods], list[Finding]]:
    """The numbers for every set that applies to a workload; findings about those that cannot be told."""
    versions = [Selectors(Context(one.sidecarsets, namespaces=one.namespaces), namespace) for one in (old, new)]
    counts: dict[str, Counter[str]] = {}
    findings: list[Finding] = []
    for found in workloads:
        try:
            _count(found, versions, counts, kinds)
        except SidecarctlError as fault:
            findings += found.findings(fault.findings)
    return {
        name: FuturePods(*(count[field] for field in FuturePods._fields)) for name, count in counts.items()
    }, findings


def _count(
    found: Located, versions: Sequence[Selectors], counts: dict[str, Counter[str]], kinds: Sequence[Workload]
) -> None:
    workload = workload_of(found.manifest, kinds)
    paths = pod_template_paths(found.manifest, kinds)
    if workload is None or not paths:
        return
    before, after = (one.of(found, paths[0]) for one in versions)
    for name in before | after:
        count = counts.setdefault(name, Counter())
        count["workloads"] += 1
        if workload.pods != "replicas":
            count["uncounted"] += 1
            continue
        kind = "kept" if name in before & after else "gained" if name in after else "lost"
        count[kind] += replica_count(found.manifest, workload)


def is_pod_to_be(pod: Object) -> bool:
    """Whether a pod is no running one, but a manifest from which one will be made."""
    return not pod.get("status")
