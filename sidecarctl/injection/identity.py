"""Who a pod is: what selecting sets for it needs, of a manifest that was not type-checked."""

from typing import NamedTuple

from sidecarctl.api.decoding import check
from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.type_tests import decodes
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Object, Value

_NAMES = ("namespace", "name", "generateName")


class Identity(NamedTuple):
    """The namespace of a pod, empty for `default`, and its name.

    For a pod template the workload's namespace, and a name made of the workload's and the ordinal of the pod.
    """

    namespace: str
    name: str


def identity_of(pod: Object) -> Identity:
    """What the pod's own metadata say; InputError where they cannot be decoded."""
    metadata = metadata_of(pod)
    return Identity(metadata.get("namespace") or "", metadata.get("name") or metadata.get("generateName") or "")


def labels_of(pod: Object) -> Labels:
    """The labels of a pod; InputError where they cannot be decoded."""
    labels: Object = metadata_of(pod).get("labels") or {}
    if not _are_labels(labels):
        raise _undecodable(pod)
    return {key: value or "" for key, value in labels.items()} if None in labels.values() else labels


def metadata_of(pod: Object) -> Object:
    """The metadata of a pod, empty when absent; InputError where its names cannot be decoded."""
    metadata: Value = pod.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict) or not all(map(_is_text, map(metadata.get, _NAMES))):
        raise _undecodable(pod)
    return metadata


def _undecodable(pod: Object) -> InputError:
    return InputError(*check(pod.get("metadata"), "meta.ObjectMeta", ("metadata",)))


def _is_text(value: Value) -> bool:
    return value is None or isinstance(value, str)


_are_labels = decodes("map[string]string")
