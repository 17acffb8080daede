"""Two versions of a repository's sets: what each change means, for running pods and for those of workloads."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.api.workloads import Workload
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.world import Located, World
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods, future_pods, running_pods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange, added, changed, removed
from sidecarctl.operations.status import status_of
from sidecarctl.validation.updates import canaries_by_base


class SetDiff(NamedTuple):
    """The change of a set, and how many pods it reaches; None where no pods or workloads were given."""

    change: SetChange
    running: RunningPods | None
    future: FuturePods | None


class DiffReport(NamedTuple):
    """Every set of either version by name, and what there is to say, with its place."""

    sets: Sequence[SetDiff]
    findings: Sequence[Finding]

    @property
    def is_objection(self) -> bool:
        """Whether a change is refused, or does not reach running pods."""
        return any(one.change.verdict.is_objection for one in self.sets)

    @property
    def differs(self) -> bool:
        """Whether any set is another one."""
        return any(one.change.change != "unchanged" for one in self.sets)


class Pods(NamedTuple):
    """The pods that run (`decoding.check` passed) and the workloads, of which `namespace` is the default."""

    running: Sequence[Object] = ()
    workloads: Sequence[Located] = ()
    namespace: str = "default"
    kinds: Sequence[Workload] = ()


def diff_of(old: World, new: World, pods: Pods, only: Sequence[str] = ()) -> DiffReport:
    """The difference of two worlds of sets."""
    changes = [change for change in _changes(old, new) if not only or change.name in only]
    findings = [finding for change in changes for finding in _located(change, new)]
    running: dict[str, RunningPods] = {}
    future: dict[str, FuturePods] = {}
    if pods.running:
        status = status_of(new, pods.running, [change.name for change in changes if change.new])
        findings += [one for one in status.findings if one.reason is Reason.NAMESPACE_UNKNOWN]
        running = {one.sidecarset.name: running_pods(one) for one in status.sets}
    if pods.workloads:
        future, problems = future_pods(old, new, pods.workloads, pods.namespace, pods.kinds)
        findings += problems
        future = {change.name: future.get(change.name, FuturePods(0, 0, 0, 0, 0)) for change in changes}
    return DiffReport([SetDiff(one, running.get(one.name), future.get(one.name)) for one in changes], findings)


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
