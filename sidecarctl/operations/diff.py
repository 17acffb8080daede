"""Two versions of the SidecarSets of a repository: what each change means, for running pods and pods of workloads."""

from collections.abc import Iterator, Sequence

from sidecarctl.api.workloads import Workload
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.world import World
from sidecarctl.operations.checking.release_findings import gate_findings
from sidecarctl.operations.checking.sidecarset_warnings import world_canary_notes
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods, future_pods, running_pods
from sidecarctl.operations.comparing.judging import SetDiff, judged
from sidecarctl.operations.comparing.rollout_shift import RolloutShift, SelectedPods, rollout_shift, selected_pods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange, added, changed, removed
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import statuses_of
from sidecarctl.validation.updates import canaries_by_base


class DiffFacts(NamedTuple):
    """Every SidecarSet of either version, by name, and the feature gates in force."""

    sets: Sequence[SetDiff]
    gates: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether any SidecarSet differs."""
        return any(item.change.change != "unchanged" for item in self.sets)


class Pods(NamedTuple):
    """The running pods (`decoding.check` passed) and the workloads; `namespace` is their default."""

    running: Sequence[Object] = ()
    workloads: Sequence[Located] = ()
    namespace: str = "default"
    kinds: Sequence[Workload] = ()


def diff_report(
    old: World, new: World, pods: Pods, gates: frozenset[str] = frozenset(), only: Sequence[str] = ()
) -> Report[DiffFacts]:
    """The differences between two worlds of SidecarSets; an objection if a change does not reach running pods."""
    changes = [change for change in _changes(old, new) if not only or change.name in only]
    findings = [*gate_findings(new, gates), *world_canary_notes(new)]
    findings += [finding for change in changes for finding in _located(change, new)]
    running: dict[str, RunningPods] = {}
    future: dict[str, FuturePods] = {}
    if pods.running:
        statuses = statuses_of(new, pods.running, [change.name for change in changes if change.new])
        findings += [item for item in statuses.findings if item.reason is Reason.NAMESPACE_UNKNOWN]
        running = {item.sidecarset.name: running_pods(item) for item in statuses.sets}
    if pods.workloads:
        future, problems = future_pods(old, new, pods.workloads, pods.namespace, pods.kinds)
        findings += problems
        future = {change.name: future.get(change.name, FuturePods(0, 0, 0, 0, 0)) for change in changes}
    sets = [
        judged(SetDiff(item, running.get(item.name), future.get(item.name), *_moved(item, old, new, pods.running)))
        for item in changes
    ]
    is_objection = any(item.change.verdict.is_objection for item in sets)
    objections = [_objection(item.change, new) for item in sets if item.change.verdict is Verdict.RECREATE]
    facts = DiffFacts(sets, gates)
    return Report("diff", facts, findings, is_objection=is_objection, objections=objections, release=new.release)


def _objection(change: SetChange, new: World) -> Finding:
    """The objection to a change that requires recreating pods; rejected changes have findings."""
    message = f"pods must be recreated to get this change, because of {', '.join(change.causes) or 'the change'}"
    [found] = new.sources[change.name].findings([error(Reason.PODS_MUST_BE_RECREATED, message)])
    return found


def _moved(
    change: SetChange, old: World, new: World, pods: Sequence[Object]
) -> tuple[RolloutShift | None, SelectedPods | None]:
    """What the change does to the rollout and to the selection of running pods, if any."""
    if not pods or change.change == "unchanged":
        return None, None
    try:
        selected = selected_pods(change.name, change.old, change.new, (old, new), pods)
        shift = rollout_shift(old, new, change.name, pods) if change.keeps_hash else None
    except SidecarctlError:  # a selector that cannot be evaluated, which is among the findings
        return None, None
    return shift, selected


def _changes(old: World, new: World) -> Iterator[SetChange]:
    before = {sidecarset.name: sidecarset for sidecarset in old.sidecarsets}
    after = {sidecarset.name: sidecarset for sidecarset in new.sidecarsets}
    canaries = canaries_by_base(old.sidecarsets, new.sidecarsets)
    for name in sorted({*before, *after}):
        if name not in before:
            yield added(after[name])
        elif name not in after:
            yield removed(before[name])
        else:
            written = old.sources[name].manifest, new.sources[name].manifest
            yield changed(before[name], after[name], written, canaries.get(name, ""))


def _located(change: SetChange, new: World) -> list[Finding]:
    return new.sources[change.name].findings(change.findings) if change.findings else []
