"""Pods and pod templates: where they are in objects, and which workload they belong to.

Source: docs/behavior/injection.md, "Workloads".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import pod_template_paths
from sidecarctl.engine.facts.errors import InputError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Edit, Object, Path, applied, value_at
from sidecarctl.engine.injection.selection import Identity
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.unknown_templates import kind_refused
from sidecarctl.engine.report import ObjectChange, Outcome
from sidecarctl.engine.sidecarset.world import World

PodTask: TypeAlias = Callable[[Object, ManifestObject, Path], ObjectChange]
"""A transformation of a pod, given the object that contains it and its path there; `Change.after` is the new pod."""


_METADATA = "meta.ObjectMeta"


class Templates(NamedTuple):
    """`namespace` is the default namespace; `workloads` are the user's own kinds."""

    world: World
    namespace: str = "default"
    workloads: Sequence[WorkloadKind] = ()

    def transformed(self, found: ManifestObject, task: PodTask) -> ObjectChange:
        """The result of the task on each pod template of an object, or on the object if it is a pod."""
        whole = found.inherited | found.manifest if found.inherited else found.manifest
        if problem := kind_refused(whole, found.reference, self.workloads):
            _refuse([problem])
        paths = pod_template_paths(whole, self.workloads)
        if not paths:
            return ObjectChange(Outcome.OTHER)
        has_templates = found.reference.kind != "Pod"  # a pod is looked at as such
        if has_templates:
            _refuse(deciding_problems(found.manifest))
        change = self._in_template(found, paths[0], task)
        for path in paths[1:]:
            further = self._in_template(found._replace(manifest=change.after or found.manifest), path, task)
            change = _together(change, further)
        if has_templates and change.outcome is not Outcome.SKIPPED:
            _refuse(check(found.manifest.get("metadata"), _METADATA, ("metadata",)))
        return change

    def identity(self, found: ManifestObject, path: Path) -> Identity:
        """The pod to evaluate: for a workload the first one, ordinal 0."""
        reference = found.reference
        name = f"{reference.name}-0" if path else reference.name
        return Identity(reference.namespace or self.namespace, name)

    def _in_template(self, found: ManifestObject, path: Path, task: PodTask) -> ObjectChange:
        pod = value_at(found.manifest, path)
        try:
            change = task(pod, found, path)
        except SidecarctlError as fault:
            raise type(fault)(*self._located(fault.findings, path)) from None
        if change.after is None and not change.findings:
            return change
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
    _refuse(check(pod, "core.Pod"))


def deciding_problems(manifest: Object) -> list[Finding]:
    """What the API cannot decode of the part of an object's own metadata that decides which SidecarSets apply."""
    metadata = manifest.get("metadata")
    if isinstance(metadata, dict):
        metadata = {key: metadata.get(key) for key in ("name", "generateName", "namespace")}
    return check(metadata, _METADATA, ("metadata",))


def pod_problems(manifest: Object, path: Path) -> list[Finding]:
    """What the API cannot decode of the pod at a path of an object, or of the object's own metadata."""
    return [
        *check(None if manifest.get("kind") == "Pod" else manifest.get("metadata"), _METADATA, ("metadata",)),
        *check(value_at(manifest, path), "core.Pod", path),
    ]


def _refuse(problems: list[Finding]) -> None:
    if problems:
        raise InputError(*problems)


def _together(first: ObjectChange, second: ObjectChange) -> ObjectChange:
    """The changes of two pod templates of an object, combined."""
    changed = Outcome.CHANGED in (first.outcome, second.outcome)
    return ObjectChange(
        Outcome.CHANGED if changed else first.outcome,
        second.after or first.after,
        "; ".join(filter(None, [first.summary, second.summary])),
        None if changed else first.reason,
        (*first.findings, *second.findings),
        (*first.decisions, *second.decisions),
        injected=tuple(dict.fromkeys((*first.injected, *second.injected))),
    )
