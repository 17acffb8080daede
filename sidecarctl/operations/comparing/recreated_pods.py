"""Pods as two releases of Kruise inject them at creation: pods of workloads, and running pods if recreated.

Source: docs/behaviour/releases.md, docs/behaviour/injection.md.
"""

import json
from collections.abc import Iterable, Iterator

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, pod_count, pod_template_paths, workload_of
from sidecarctl.changes.field_changes import FieldChange, field_changes
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.references import ObjectReference, reference_of
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.operations.inject import Inject
from sidecarctl.operations.uninject import Uninject
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE

_REJECTED = "rejected: "
_RECORDS = frozenset((HASH, HASH_WITHOUT_IMAGE))
"""What a pod records about SidecarSets: it follows from them, and no container sees it."""


class RecreatedPods(NamedTuple):
    """The pods of a workload, or running pods (`reference` is the first), that both releases inject differently.

    `number` of pods, None if not known. `fields` are those that differ; `before` and `after` the SidecarSets that
    apply, or why the pod would be rejected.
    """

    reference: ObjectReference
    number: int | None
    before: str
    after: str
    fields: tuple[FieldChange, ...]

    @property
    def breaks(self) -> bool:
        """Whether only the later release rejects these pods."""
        return self.after.startswith(_REJECTED) and not self.before.startswith(_REJECTED)


class Injectors(NamedTuple):
    """The two releases: injection by each, and removal of what the first one injected."""

    before: Inject
    after: Inject
    uninject: Uninject


def of_workloads(
    workloads: Iterable[Located], injectors: Injectors, kinds: tuple[Workload, ...]
) -> Iterator[RecreatedPods]:
    """The workloads whose pods differ."""
    for found in workloads:
        workload = workload_of(found.manifest, kinds)
        if workload is None or not pod_template_paths(found.manifest, kinds):
            continue
        number = pod_count(found.manifest, workload).number if workload.pods == "replicas" else None
        yield from _compared(ManifestObject(found.manifest, (), found.reference), injectors, kinds, number)


def of_running_pods(pods: Iterable[Object], injectors: Injectors) -> Iterable[RecreatedPods]:
    """The running pods that would differ if recreated, grouped by what differs.

    `pods` are whole manifests; of pods from the same template, one is examined.
    """
    by_template: dict[str, RecreatedPods | None] = {}
    alike: dict[str, RecreatedPods] = {}
    for manifest in pods:
        if check(manifest, "core.Pod"):
            continue  # pods that a SidecarSet may select were refused before
        reference = reference_of(manifest)
        template = _template(manifest, reference)
        if template not in by_template:
            found = ManifestObject(manifest, (), reference)
            by_template[template] = next(_compared(found, injectors, (), 0), None)
        if known := by_template[template]:
            what = json.dumps(known[2:], default=str)
            first = alike.get(what, known)
            alike[what] = first._replace(number=(first.number or 0) + 1)
    return alike.values()


def _template(pod: Object, reference: ObjectReference) -> str:
    """The key of a pod: pods with the same owner and containers come from the same template."""
    metadata = pod.get("metadata") or {}
    owners = [
        owner.get("uid") for owner in metadata.get("ownerReferences") or () if owner and owner.get("controller")
    ]
    spec = pod.get("spec") or {}
    names = [
        [(item or {}).get("name") for item in spec.get(field) or ()] for field in ("initContainers", "containers")
    ]
    return json.dumps([reference.namespace, owners or reference.name, names])


def _compared(
    found: ManifestObject, injectors: Injectors, kinds: tuple[Workload, ...], number: int | None
) -> Iterator[RecreatedPods]:
    bare = _without_injected(found, injectors.uninject)
    (old, before), (new, after) = (_injected(bare, inject, kinds) for inject in (injectors.before, injectors.after))
    fields = tuple(field_changes(old, new))
    if fields or before != after:
        yield RecreatedPods(found.reference, number, before, after, fields)


def _without_injected(found: ManifestObject, uninject: Uninject) -> ManifestObject:
    try:
        return found._replace(manifest=uninject(found).after or found.manifest)
    except SidecarctlError:
        return found  # what cannot be taken out is the same for both releases


def _injected(found: ManifestObject, inject: Inject, kinds: tuple[Workload, ...]) -> tuple[Object, str]:
    """The injected pods, without records, with the SidecarSets that apply, or why they are rejected."""
    try:
        change = inject(found)
    except SidecarctlError as fault:
        return {}, _rejection(fault.findings)
    manifest = change.after or found.manifest
    paths = pod_template_paths(found.inherited | manifest, kinds)
    pods = {str(index): _seen(value_at(manifest, path)) for index, path in enumerate(paths)}
    pod: Object = pods["0"] if len(pods) == 1 else pods
    return pod, change.summary if change.after is not None else ""


def _rejection(findings: Iterable[Finding]) -> str:
    return f"{_REJECTED}{'; '.join(finding.message for finding in findings)}"


def _seen(pod: Object) -> Object:
    """A pod without its records."""
    metadata = pod.get("metadata") or {}
    annotations = {key: text for key, text in (metadata.get("annotations") or {}).items() if key not in _RECORDS}
    return {"metadata": {"labels": metadata.get("labels") or {}, "annotations": annotations}, "spec": pod.get("spec")}
