"""The pods that a workload would create, in full, instead of the edited workload (`inject --as-pods`).

Source: docs/behavior/pod-webhook.md, "The pod's name".
"""

from collections.abc import Iterator, Mapping

from sidecarctl.engine.api.made_pods import PodTemplate, as_created
from sidecarctl.engine.api.workloads import invented_uid, owner_of, pod_templates, workload_of
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import ObjectReference, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.injection.pod_sorts import PodSort, patch_problems, pod_sorts
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.references import Key, key_of
from sidecarctl.engine.report import ObjectChange, Outcome
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.features.inject.documents import Transformed, yaml_of

_MARK = "# the name is an example: a controller generates it\n"
_OF_TEMPLATES = (Reason.CONTROLLER_MAY_REFUSE, Reason.SUBSET_DIFFERS)
_ON_EACH_NODE = "a pod is shown for one node; the cluster has one for each node that fits"


class CreatedPods:
    """The transformation: the pods of each workload as Kruise's webhook lets them be created."""

    def __init__(self, inject: Inject, changed: Mapping[Key, Object] | None = None) -> None:
        self.inject = inject
        self.changed = changed or {}

    def __call__(self, found: ManifestObject) -> ObjectChange:
        """The result of injecting an object, with its pods; SidecarctlError if Kruise would reject one of them."""
        key = key_of(found.reference, self.inject.templates.namespace)
        found = found._replace(manifest=self.changed.get(key, found.manifest))
        manifest = found.inherited | found.manifest
        kinds = self.inject.templates.workloads
        workload, templates = workload_of(manifest, kinds), pod_templates(manifest, kinds)
        change = self.inject(found)
        if workload is None or not templates:
            return change
        if found.reference.kind == "Pod":
            return change._replace(after=None, pods=(change.after or found.manifest,))
        sorts = pod_sorts(found, templates)
        if problems := [finding for sort in sorts for finding in patch_problems(sort)]:
            raise InputError(*dict.fromkeys(problems))
        pods = tuple(pod for sort in sorts for pod in self._of_sort(found, sort))
        findings = tuple(item for item in change.findings if item.reason not in _OF_TEMPLATES)
        if any(template.is_generated for template in templates):
            message = "the names of the pods are examples: a controller generates them"
            findings = (*findings, note(Reason.NAME_GENERATED, message, ("metadata", "name")))
        if workload.pods == "nodes" or any(template.row.owner[1] == "BroadcastJob" for template in templates):
            findings = (*findings, note(Reason.NAME_GENERATED, _ON_EACH_NODE, ("spec",)))
        about = dict.fromkeys(template.pods.assumed for template in templates if template.is_off)
        findings = (*findings, *(note(Reason.REPLICAS_UNKNOWN, *assumed) for assumed in about if assumed))
        outcome = Outcome.CHANGED if change.after is not None else change.outcome
        return change._replace(outcome=outcome, after=None, findings=findings, pods=pods)

    def _of_sort(self, found: ManifestObject, sort: PodSort) -> Iterator[Object]:
        is_stateful = found.reference.kind == "StatefulSet"
        start = value_at(found.manifest, ("spec", "ordinals", "start")) if is_stateful else 0
        first = start if isinstance(start, int) else 0
        for ordinal in range(first, first + sort.number):
            pod = _bare_pod(found, sort, ordinal)
            namespace = found.reference.namespace
            reference = ObjectReference("v1", "Pod", namespace, pod["metadata"]["name"])
            yield self.inject(ManifestObject(pod, (), reference)).after or pod


def pods_of(document: Document, result: Transformed) -> str:
    """The pods of a document's workloads as YAML; a document without any is unchanged."""
    if all(item.change.pods is None for item in result.objects):
        return yaml_of(document, result)
    pods = [pod for item in result.objects for pod in item.change.pods or ()]
    return "".join(f"---\n{_MARK if 'generateName' in pod['metadata'] else ''}{block_text(pod)}" for pod in pods)


def _bare_pod(found: ManifestObject, sort: PodSort, ordinal: int) -> Object:
    made, template, name = sort.template, sort.pod, sort.name
    metadata = template.get("metadata") or {}
    own = metadata.get("labels") or {}
    namespace = {"namespace": found.reference.namespace} if found.reference.namespace else {}
    generated = {"generateName": made.prefix(name, ordinal)} if made.is_generated else {}
    labels = made.labels(own, name, ordinal, found.reference.namespace or "default")
    members: Object = {"name": made.pod_name(name, ordinal), **generated, **namespace, "labels": labels}
    if annotations := {**(metadata.get("annotations") or {}), **made.annotations(ordinal)}:
        members["annotations"] = annotations
    if found.reference.kind != "PodTemplate":  # which controls nothing
        members["ownerReferences"] = [_owner(found.reference._replace(name=name), made, ordinal)]
    spec = (
        as_created(found.inherited | found.manifest, made.path, template, members["name"], ordinal).get("spec") or {}
    )
    return {"apiVersion": "v1", "kind": "Pod", "metadata": members, "spec": spec}


def _owner(reference: ObjectReference, made: PodTemplate, ordinal: int) -> Object:
    """What controls a pod: the workload, or what it makes, by the name that those of the pods begin with."""
    api_version, kind = owner_of(reference.api_version, reference.kind, made.path)
    is_itself = (api_version, kind) == (reference.api_version, reference.kind)
    name = reference.name if is_itself else made.owner_name(reference.name, ordinal)
    uid = invented_uid(kind, name)
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": True}
