"""Pods as two releases of Kruise inject them at creation: pods of workloads, and running pods if recreated.

Source: docs/behavior/releases.md, docs/behavior/injection.md.
"""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.made_pods import pod_count
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import pod_template_paths, pod_templates, workload_of
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import ObjectReference, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.field_changes import FieldChange, field_changes
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.report import InjectedSet
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.engine.sidecarset.world import Located
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.transforming.uninject import Uninject

_REJECTED = "rejected: "
_UNSEEN = (Reason.NOT_SEEN_BY_WEBHOOK, Reason.NAMESPACE_CONTROL_PLANE_LABEL)
_RECORDS = frozenset((HASH, HASH_WITHOUT_IMAGE))
"""The annotations in which a pod records SidecarSets: no container sees them."""


class RecreatedPods(NamedTuple):
    """The pods of a workload, or running pods (`reference` is the first), that both releases inject differently.

    `number` of pods, None if not known. `fields` are those that differ; `before` and `after` say which SidecarSets
    apply, or why the pod would be rejected; `injected` are the SidecarSets, before and after. `unseen`: why the
    webhook does not see them, before and after.
    """

    reference: ObjectReference
    number: int | None
    before: str
    after: str
    fields: tuple[FieldChange, ...]
    injected: tuple[tuple[InjectedSet, ...], tuple[InjectedSet, ...]] = ((), ())
    unseen: tuple[str, str] = ("", "")

    @property
    def applied(self) -> tuple[str, str]:
        """What is injected before and after, in words, or why nothing is where Kruise's installation decides."""
        said = zip((self.before, self.after), self.unseen, strict=True)
        before, after = (text or (f"nothing ({unseen})" if unseen else "nothing") for text, unseen in said)
        return before, after

    @property
    def rejections(self) -> tuple[str, str]:
        """Why the pods would be rejected before and after; empty if they would not be."""
        before, after = (
            said.removeprefix(_REJECTED) if said.startswith(_REJECTED) else "" for said in (self.before, self.after)
        )
        return before, after

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
    workloads: Iterable[Located], injectors: Injectors, kinds: tuple[WorkloadKind, ...]
) -> Iterator[RecreatedPods]:
    """The workloads whose pods differ."""
    for found in workloads:
        workload = workload_of(found.manifest, kinds)
        templates = pod_templates(found.manifest, kinds)
        if workload is None or not templates:
            continue
        number = pod_count(templates).number if workload.pods == "replicas" else None
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
        template = template_key(manifest, reference)
        if template not in by_template:
            found = ManifestObject(manifest, (), reference)
            by_template[template] = next(_compared(found, injectors, (), 0), None)
        if known := by_template[template]:
            what = json.dumps(known[2:], default=str)
            first = alike.get(what, known)
            alike[what] = first._replace(number=(first.number or 0) + 1)
    return alike.values()


def template_key(pod: Object, reference: ObjectReference) -> str:
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
    found: ManifestObject, injectors: Injectors, kinds: tuple[WorkloadKind, ...], number: int | None
) -> Iterator[RecreatedPods]:
    bare = _without_injected(found, injectors.uninject)
    old, new = (_injected(bare, inject, kinds) for inject in (injectors.before, injectors.after))
    fields = tuple(field_changes(old.pod, new.pod))
    if fields or old.said != new.said:
        injected, unseen = (old.sets, new.sets), (old.unseen, new.unseen)
        yield RecreatedPods(found.reference, number, old.said, new.said, fields, injected, unseen)


def _without_injected(found: ManifestObject, uninject: Uninject) -> ManifestObject:
    try:
        return found._replace(manifest=uninject(found).after or found.manifest)
    except SidecarctlError:
        return found  # what cannot be removed is the same for both releases


class _Injected(NamedTuple):
    """The injected pods, without records; the SidecarSets that apply, or why the pods are rejected, in words.

    `unseen`: why the webhook does not see the pods.
    """

    pod: Object
    said: str
    sets: tuple[InjectedSet, ...] = ()
    unseen: str = ""


def _injected(found: ManifestObject, inject: Inject, kinds: tuple[WorkloadKind, ...]) -> _Injected:
    try:
        change = inject(found)
    except SidecarctlError as fault:
        return _Injected({}, _REJECTED + "; ".join(finding.message for finding in fault.findings))
    manifest = change.after or found.manifest
    paths = pod_template_paths(found.inherited | manifest, kinds)
    pods = {str(index): _seen(value_at(manifest, path)) for index, path in enumerate(paths)}
    pod: Object = pods["0"] if len(pods) == 1 else pods
    if change.after is None:
        return _Injected(pod, "", unseen=change.summary if change.reason in _UNSEEN else "")
    return _Injected(pod, change.summary, change.injected)


def _seen(pod: Object) -> Object:
    """A pod without its records."""
    metadata = pod.get("metadata") or {}
    annotations = {key: text for key, text in (metadata.get("annotations") or {}).items() if key not in _RECORDS}
    return {"metadata": {"labels": metadata.get("labels") or {}, "annotations": annotations}, "spec": pod.get("spec")}
