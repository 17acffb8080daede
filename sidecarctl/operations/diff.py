"""Two versions of a repository's sets: what each change means, for running pods and for those of workloads."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.api.workloads import Workload
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.world import World
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods, future_pods, running_pods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange, Verdict, added, changed, removed
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import statuses_of
from sidecarctl.validation.updates import canaries_by_base


class SetDiff(NamedTuple):
    """The change of a set, and how many pods it reaches; None where no pods or workloads were given."""

    change: SetChange
    running: RunningPods | None
    future: FuturePods | None


class DiffFacts(NamedTuple):
    """Every SidecarSet of either version, by name, and the feature gates in force."""

    sets: Sequence[SetDiff]
    gates: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether any SidecarSet is another one."""
        return any(one.change.change != "unchanged" for one in self.sets)


class Pods(NamedTuple):
    """The pods that run (`decoding.check` passed) and the workloads, of which `namespace` is the default."""

    running: Sequence[Object] = ()
    workloads: Sequence[Located] = ()
    namespace: str = "default"
    kinds: Sequence[Workload] = ()


def diff_report(
    old: World, new: World, pods: Pods, gates: frozenset[str] = frozenset(), only: Sequence[str] = ()
) -> Report[DiffFacts]:
    """The difference of two worlds of SidecarSets; it objects where a change does not reach running pods."""
    changes = [change for change in _changes(old, new) if not only or change.name in only]
    findings = [finding for change in changes for finding in _located(change, new)]
    running: dict[str, RunningPods] = {}
    future: dict[str, FuturePods] = {}
    if pods.running:
        statuses = statuses_of(new, pods.running, [change.name for change in changes if change.new])
        findings += [one for one in statuses.findings if one.reason is Reason.NAMESPACE_UNKNOWN]
        running = {one.sidecarset.name: running_pods(one) for one in statuses.sets}
    if pods.workloads:
        future, problems = future_pods(old, new, pods.workloads, pods.namespace, pods.kinds)
        findings += problems
        future = {change.name: future.get(change.name, FuturePods(0, 0, 0, 0, 0)) for change in changes}
    facts = DiffFacts([SetDiff(one, running.get(one.name), future.get(one.name)) for one in changes], gates)
    is_objection = any(one.verdict.is_objection for one in changes)
    objections = [_objection(one, new) for one in changes if one.verdict is Verdict.RECREATE]
    return Report("diff", facts, findings, is_objection=is_objection, objections=objections)


def _objection(change: SetChange, new: World) -> Finding:
    """What there is to object to a change that pods must be recreated for; of one that is refused findings tell."""
    message = f"pods must be recreated to get this change, because of {', '.join(change.causes) or 'the change'}"
    [found] = new.sources[change.name].findings([error(Reason.PODS_MUST_BE_RECREATED, message)])
    return found


def _changes(old: World, new: World) -> Iterator[SetChange]:
    before = {one.name: one for one in old.sidecarsets}
    after = {one.name: one for one in new.sidecarsets}
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
