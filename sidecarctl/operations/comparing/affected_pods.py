"""How many pods a SidecarSet change reaches: of running pods, or of those that workloads would create."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sidecarctl.api.workloads import Workload, pod_template_paths, workload_of
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.injection.select.selection import select
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.world import World
from sidecarctl.operations.planning.replicas import number_as_written
from sidecarctl.operations.status import SetStatus
from sidecarctl.rollout.summary.pod_states import PodState

_HELD = frozenset((PodState.HELD_BY_PARTITION, PodState.HELD_BY_SELECTOR, PodState.PAUSED, PodState.NOT_UPDATE))


class RunningPods(NamedTuple):
    """Running pods, counted by what the new version of a SidecarSet means for them.

    `matched` of them take part in its rollout: `updated` need nothing, `in_place` can be updated in place (the
    strategy holds back `held` of these), `recreate` must be recreated. `left_out` are selected, but do not take part.
    """

    matched: int
    updated: int
    in_place: int
    held: int
    recreate: int
    left_out: int


class FuturePods(NamedTuple):
    """The pods of workloads that the SidecarSet applies to: in both versions, only the new one, only the old one.

    The SidecarSet also applies to `uncounted` workloads, whose number of pods is not known.
    """

    workloads: int
    kept: int
    gained: int
    lost: int
    uncounted: int


def running_pods(status: SetStatus) -> RunningPods:
    """The counts of the new version of a SidecarSet, from its status."""
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
    """Decides which SidecarSets of one version apply to the pods of a workload."""

    context: InjectionContext
    namespace: str

    def of(self, found: Located, path: Path) -> frozenset[str]:
        """The names of the SidecarSets; SidecarctlError if a pod would be rejected."""
        identity = Identity(found.reference.namespace or self.namespace, f"{found.reference.name}-0")
        selection = select(value_at(found.manifest, path), self.context, identity)
        return frozenset(choice.sidecarset.name for choice in selection.applied)


def future_pods(
    old: World, new: World, workloads: Iterable[Located], namespace: str, kinds: Sequence[Workload] = ()
) -> tuple[dict[str, FuturePods], list[Finding]]:
    """The counts for every SidecarSet that applies to a workload, and findings about the others."""
    versions = [
        Selectors(InjectionContext(item.sidecarsets, namespaces=item.namespaces), namespace) for item in (old, new)
    ]
    counts: dict[str, Counter[str]] = {}
    findings: list[Finding] = []
    for found in workloads:
        try:
            remark = _count(found, versions, counts, kinds)
        except SidecarctlError as fault:
            findings += found.findings(fault.findings)
        else:
            findings += found.findings([remark]) if remark else []
    return {
        name: FuturePods(*(count[field] for field in FuturePods._fields)) for name, count in counts.items()
    }, findings


def _count(
    found: Located, versions: Sequence[Selectors], counts: dict[str, Counter[str]], kinds: Sequence[Workload]
) -> Finding | None:
    """Count the pods of a workload for each SidecarSet that applies to them; a note if their number is a default."""
    workload = workload_of(found.manifest, kinds)
    paths = pod_template_paths(found.manifest, kinds)
    if workload is None or not paths:
        return None
    before, after = (version.of(found, paths[0]) for version in versions)
    number, remark = number_as_written(found, workload)
    for name in before | after:
        count = counts.setdefault(name, Counter())
        count["workloads"] += 1
        if workload.pods != "replicas":
            count["uncounted"] += 1
            continue
        kind = "kept" if name in before & after else "gained" if name in after else "lost"
        count[kind] += number
    return remark if before | after else None
