"""The branches of a pod that injection reads and changes."""

from collections.abc import Mapping

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object, Value


class PodBranches(NamedTuple):
    """A pod taken apart; branches that are absent or null are empty here."""

    pod: Object
    metadata: Object
    labels: Object
    annotations: Object
    spec: Object


def branches_of(pod: Object) -> PodBranches:
    """The branches of a pod."""
    metadata = pod.get("metadata") or {}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return PodBranches(pod, metadata, labels, annotations, pod.get("spec") or {})


def rebuilt(parts: PodBranches, annotations: Mapping[str, str], members: Mapping[str, Value]) -> Object:
    """The pod with these annotations and these members of its spec; the same object when it has them all.

    Members are compared by identity; None for a member that the pod lacks adds nothing. New keys come last.
    """
    spec, metadata = parts.spec, parts.metadata
    pod = parts.pod
    written = {key: text for key, text in annotations.items() if not _says(parts.annotations, key, text)}
    if written:
        pod = pod | {"metadata": metadata | {"annotations": parts.annotations | written}}
    changed = {name: member for name, member in members.items() if spec.get(name) is not member}
    return pod | {"spec": spec | changed} if changed else pod


def _says(annotations: Object, key: str, text: str) -> bool:
    return key in annotations and (annotations[key] or "") == text
