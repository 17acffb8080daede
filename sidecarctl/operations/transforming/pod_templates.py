"""Pods and pod templates: where they are in objects, in another object too, and which workload they belong to.

Source: docs/behavior/injection.md, "Workloads"; docs/workload-kinds.md, "Rollouts with a workloadRef".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sidecarctl.api.decoding import check
from sidecarctl.api.workload_rows import WorkloadKind
from sidecarctl.api.workloads import pod_template_paths
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding, ObjectReference, note
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Edit, Object, Path, Value, applied, value_at
from sidecarctl.injection.selection import Identity
from sidecarctl.inputs.objects import ManifestObject
from sidecarctl.inputs.unknown_templates import kind_refused
from sidecarctl.operations.report import Change, Outcome
from sidecarctl.sidecarset.world import Located, World

PodTask: TypeAlias = Callable[[Object, ManifestObject, Path], Change]
"""A transformation of a pod, given the object that contains it and its path there; `Change.after` is the new pod."""


_METADATA = "meta.ObjectMeta"


class Templates(NamedTuple):
    """`namespace` is the default namespace; `workloads` are the user's own kinds."""

    world: World
    namespace: str = "default"
    workloads: Sequence[WorkloadKind] = ()

    def transformed(self, found: ManifestObject, task: PodTask) -> Change:
        """The result of the task on each pod template of an object, or on the object if it is a pod."""
        whole = found.inherited | found.manifest if found.inherited else found.manifest
        if problem := kind_refused(whole, found.reference, self.workloads):
            _refuse([problem])
        paths = pod_template_paths(whole, self.workloads)
        if not paths:
            return Change(Outcome.OTHER)
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

    def _in_template(self, found: ManifestObject, path: Path, task: PodTask) -> Change:
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
        injected=tuple(dict.fromkeys((*first.injected, *second.injected))),
    )


_REFERENCED: Mapping[tuple[str, str], Path] = {
    ("", "PodTemplate"): ("template",),
    ("apps", "Deployment"): ("spec", "template"),
    ("apps", "ReplicaSet"): ("spec", "template"),
}
"""What a workloadRef may name, and where its template is."""

Key = tuple[str, str, str, str]
"""Group, kind, namespace and name of an object."""


def key_of(reference: ObjectReference, namespace: str) -> Key:
    """The key of an object; `namespace` is the default."""
    group = reference.api_version.rpartition("/")[0]
    return group, reference.kind, reference.namespace or namespace, reference.name


class Elsewhere(NamedTuple):
    """Which object has the template of a workload, and where; `path` is None for what none can name."""

    key: Key
    path: Path | None
    scales_down: bool

    def template(self, target: Located | None) -> Object | None:
        """The template in that object; None if there is none."""
        found = value_at(target.manifest, self.path) if target and self.path else None
        return found if isinstance(found, dict) else None

    def missing(self) -> Finding:
        """A note that the object is not among the inputs."""
        message = f"{self.named} is not among the inputs: its pods are left out"
        return note(Reason.TEMPLATE_ELSEWHERE, message, ("spec", "workloadRef"))

    @property
    def named(self) -> str:
        """The object, in words."""
        return f"{self.key[1]} {self.key[3]}"


def elsewhere(manifest: Object, reference: ObjectReference, namespace: str) -> Elsewhere | None:
    """Where the template of a workload is; None for one that has its own. `namespace` is the default."""
    if reference.kind != "Rollout" or not reference.api_version.startswith("argoproj.io/"):
        return None
    named = value_at(manifest, ("spec", "workloadRef"))
    if not isinstance(named, dict) or not named or isinstance(value_at(manifest, ("spec", "template", "spec")), dict):
        return None
    group, kind = str(named.get("apiVersion") or "").rpartition("/")[0], str(named.get("kind"))
    key = group, kind, reference.namespace or namespace, str(named.get("name"))
    scales_down = named.get("scaleDown") in {"onsuccess", "progressively"} and kind != "PodTemplate"
    return Elsewhere(key, _REFERENCED.get((group, kind)), scales_down)


def with_references(found: Iterable[Located], namespace: str) -> tuple[list[Located], list[Finding]]:
    """The workloads; a Rollout has the template that its workloadRef names, which Argo may scale down for it.

    `namespace` is the default. There is a note for each workload that is not among them.
    """
    every = list(found)
    asking = [
        (index, at)
        for index, item in enumerate(every)
        if (at := elsewhere(item.manifest, item.reference, namespace)) is not None
    ]
    if not asking:
        return every, []
    places = {key_of(item.reference, namespace): index for index, item in enumerate(every)}
    findings: list[Finding] = []
    for index, at in asking:
        item, place = every[index], places.get(at.key)
        template = at.template(every[place]) if place is not None else None
        if place is None or template is None:
            findings += item.findings([at.missing()])
            continue
        every[index] = item._replace(manifest=_with_spec(item.manifest, template=template))
        if at.scales_down:
            every[place] = every[place]._replace(manifest=_with_spec(every[place].manifest, replicas=0))
    return every, findings


def changed_by_references(found: Iterable[Located], namespace: str) -> tuple[dict[Key, Object], list[Finding]]:
    """Only the workloads that are not as they are written, by their key."""
    every = list(found)
    resolved, findings = with_references(every, namespace)
    pairs = zip(every, resolved, strict=True)
    return {key_of(new.reference, namespace): new.manifest for old, new in pairs if new is not old}, findings


def sources_of_templates(
    asking: Iterable[Located], every: Iterable[Located], namespace: str
) -> Iterator[tuple[Located, Located, Path]]:
    """Each workload that asks, the object with its template, and where; those without one are left out."""
    wanted = {at.key: at for item in asking if (at := elsewhere(item.manifest, item.reference, namespace))}
    targets = {key: item for item in every if (key := key_of(item.reference, namespace)) in wanted}
    for item in asking:
        at = elsewhere(item.manifest, item.reference, namespace)
        target = targets.get(at.key) if at else None
        if at and target and at.path is not None and at.template(target) is not None:
            yield item, target, at.path


def _with_spec(manifest: Object, **members: Value) -> Object:
    return {**manifest, "spec": {**(manifest.get("spec") or {}), **members}}
