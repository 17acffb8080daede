"""Pods and pod templates inside objects: where they are, which workload they belong to, where their findings go.

Source: docs/behaviour/injection.md, "Workloads".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, pod_template_paths
from sidecarctl.facts.edits import Edit, applied
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.values import Object
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import World
from sidecarctl.operations.transforming.object_changes import Change, Outcome

PodTask: TypeAlias = Callable[[Object, ManifestObject, Path], Change]
"""A transformation of a pod, given the object that contains it and its path there; `Change.after` is the new pod."""


class Templates(NamedTuple):
    """`namespace` is the default namespace; `workloads` are the user's own kinds."""

    world: World
    namespace: str = "default"
    workloads: Sequence[Workload] = ()

    def transformed(self, found: ManifestObject, task: PodTask) -> Change:
        """The result of the task on each pod template of an object, or on the object if it is a pod."""
        paths = pod_template_paths(found.inherited | found.manifest, self.workloads)
        if not paths:
            return Change(Outcome.OTHER)
        change = self._in_template(found, paths[0], task)
        for path in paths[1:]:
            further = self._in_template(found._replace(manifest=change.after or found.manifest), path, task)
            change = _together(change, further)
        return change

    def identity(self, found: ManifestObject, path: Path) -> Identity:
        """The pod to evaluate: for a workload the first one, ordinal 0."""
        reference = found.reference
        name = f"{reference.name}-0" if path else reference.name
        return Identity(reference.namespace or self.namespace, name)

    def _in_template(self, found: ManifestObject, path: Path, task: PodTask) -> Change:
        pod = value_at(found.manifest, path)
        try:
            change = task(pod, found, path)
        except SidecarctlError as fault:
            raise type(fault)(*self._located(fault.findings, path)) from None
        after = None if change.after is None else applied(found.manifest, [Edit("set", path, change.after)])
        return change._replace(after=after, findings=tuple(self._located(change.findings, path)))

    def _located(self, findings: Iterable[Finding], path: Path) -> Iterator[Finding]:
        """Findings with the place of the SidecarSet field that they are about, or their path in the object."""
        for finding in findings:
            source = self.world.sources.get(finding.subject.name) if finding.subject else None
            if source is not None:
                yield finding._replace(place=finding.place or source.place(finding.path))
            else:
                yield finding._replace(path=(*path, *finding.path))


def decoded(pod: Object) -> None:
    """InputError for a pod or template that the API cannot decode; a template has the same fields as a pod."""
    if problems := check(pod, "core.Pod"):
        raise InputError(*problems)


def _together(first: Change, second: Change) -> Change:
    """The changes of two pod templates of an object, combined."""
    changed = Outcome.CHANGED in (first.outcome, second.outcome)
    return Change(
        Outcome.CHANGED if changed else first.outcome,
        second.after or first.after,
        "; ".join(filter(None, [first.summary, second.summary])),
        None if changed else first.reason,
        (*first.findings, *second.findings),
        (*first.decisions, *second.decisions),
    )
