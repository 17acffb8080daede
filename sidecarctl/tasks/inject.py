"""Injection as it is done to every object of the inputs: pods, and the pod templates of workloads.

Source: docs/behaviour/injection.md, "Workloads".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, pod_template_paths, replica_count, workload_of
from sidecarctl.facts.edits import Edit, applied
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.context import Context
from sidecarctl.injection.decisions import Decision, Selection
from sidecarctl.injection.identity import Identity
from sidecarctl.injection.injecting import InjectedContainer, inject
from sidecarctl.injection.selection import select
from sidecarctl.tasks.changes import Change, Outcome
from sidecarctl.tasks.objects import ManifestObject
from sidecarctl.tasks.world import World


@dataclass(frozen=True, slots=True)
class Inject:
    """The task. `namespace` is that of objects that name none; `workloads` are the user's own kinds."""

    world: World
    context: Context
    namespace: str = "default"
    workloads: Sequence[Workload] = ()

    def __call__(self, found: ManifestObject) -> Change:
        """What injection makes of an object; raises SidecarctlError where Kruise would reject a pod of it."""
        paths = pod_template_paths(found.inherited | found.manifest, self.workloads)
        if not paths:
            return Change(Outcome.OTHER)
        change = self._template(found, paths[0])
        for path in paths[1:]:
            change = _together(change, self._template(found._replace(manifest=change.after or found.manifest), path))
        return change

    def _template(self, found: ManifestObject, path: Path) -> Change:
        """The same for one pod template; `()` is the path of a Pod itself."""
        pod = value_at(found.manifest, path)
        try:
            selection = select(pod, self.context, self._identity(found, path))
            if not selection.matched:
                return self._skipped(selection)
            if problems := check(pod, "core.Pod"):  # a template has no other fields than a pod
                raise InputError(*problems)
            injection = inject(pod, selection, self.context)
        except SidecarctlError as fault:
            raise type(fault)(*self._located(fault.findings, path)) from None
        after = injection.pod
        return Change(
            Outcome.UNCHANGED if after is pod else Outcome.CHANGED,
            None if after is pod else applied(found.manifest, [Edit("set", path, after)]),
            _summary(selection, injection.containers),
            findings=tuple(self._located((*injection.findings, *self._draws(found, path, selection)), path)),
            decisions=tuple(map(self._said, selection.decisions)),
        )

    def _identity(self, found: ManifestObject, path: Path) -> Identity:
        """The pod that is asked about: of a workload the first one, ordinal 0."""
        reference = found.reference
        name = f"{reference.name}-0" if path else reference.name
        return Identity(reference.namespace or self.namespace, name)

    def _skipped(self, selection: Selection) -> Change:
        decisions = tuple(map(self._said, selection.decisions))
        findings = tuple(self._located(selection.findings, ()))
        if selection.skipped:
            skipped = selection.skipped
            return Change(Outcome.SKIPPED, None, skipped.message, skipped.reason, findings, decisions)
        reasons = {decision.reason for decision in selection.decisions}
        reason = reasons.pop() if len(reasons) == 1 else Reason.NO_SET_APPLIES
        summary = "; ".join(f"{decision.set_name}: {decision.message}" for decision in selection.decisions[:3])
        more = len(selection.decisions) - 3
        return Change(
            Outcome.SKIPPED, None, f"{summary}; {more} more" if more > 0 else summary, reason, findings, decisions
        )

    def _located(self, findings: Iterable[Finding], path: Path) -> Iterable[Finding]:
        """Findings with the place of the set's field that they are about, or else the path inside the object."""
        for finding in findings:
            source = self.world.sources.get(finding.subject.name) if finding.subject else None
            if source is not None:
                yield finding._replace(place=finding.place or source.place(finding.path))
            else:
                yield finding._replace(path=(*path, *finding.path))

    def _said(self, decision: Decision) -> str:
        """A decision as a line of a verbose report."""
        place = self.world.sources[decision.set_name].place(decision.path)
        return f"{decision.set_name}: {decision.reason}: {decision.message} ({place})"

    def _draws(self, found: ManifestObject, path: Path, selection: Selection) -> Iterable[Finding]:
        """For how many of a workload's replicas the draw of policy Partial gives the older revision."""
        workload = workload_of(found.inherited | found.manifest, self.workloads)
        if not path or workload is None or all(choice.probability is None for choice in selection.applied):
            return
        replicas = replica_count(found.manifest, workload)
        labels = value_at(found.manifest, (*path, "metadata", "labels")) or {}
        namespace = found.reference.namespace or self.namespace
        for choice in selection.applied:
            if choice.probability is not None:
                chooser = self.context.rules[choice.sidecarset.name].chooser
                names = (f"{found.reference.name}-{ordinal}" for ordinal in range(replicas))
                older = sum(not chooser.choose(namespace, name, labels).is_latest for name in names)
                message = f"{older} of {replicas} replicas draw the older revision of {choice.sidecarset.name}"
                yield Finding(Severity.NOTE, Reason.PARTIAL_DRAW, message)


def _summary(selection: Selection, containers: Iterable[InjectedContainer]) -> str:
    """`logs (log-agent), mesh (proxy-1, proxy-2)`."""
    names: dict[str, list[str]] = {choice.sidecarset.name: [] for choice in selection.applied}
    for container in containers:
        names[container.set_name].append(container.name)
    return ", ".join(f"{name} ({', '.join(own)})" if own else name for name, own in names.items())


def _together(first: Change, second: Change) -> Change:
    """The changes of two pod templates of one object."""
    changed = Outcome.CHANGED in (first.outcome, second.outcome)
    return Change(
        Outcome.CHANGED if changed else first.outcome,
        second.after or first.after,
        "; ".join(filter(None, [first.summary, second.summary])),
        None if changed else first.reason,
        (*first.findings, *second.findings),
        (*first.decisions, *second.decisions),
    )
