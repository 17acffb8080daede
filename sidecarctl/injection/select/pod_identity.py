"""Who a pod is: what selecting sets for it needs, of a manifest that was not type-checked.

Source: docs/behaviour/injection.md, "Which sets apply".
"""

from sidecarctl.api.decoding import check
from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.type_tests import decodes
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object, Value

_NAMES = ("namespace", "name", "generateName")


class Identity(NamedTuple):
    """The namespace of a pod, empty for `default`, and its name.

    For a pod template the workload's namespace, and a name made of the workload's and the ordinal of the pod.
    """

    namespace: str
    name: str


def identity_of(pod: Object) -> Identity:
    """The identity in the pod's own metadata; InputError if it cannot be decoded."""
    return identity_in(metadata_of(pod))


def labels_of(pod: Object) -> Labels:
    """The labels of a pod; InputError if they cannot be decoded."""
    return labels_in(metadata_of(pod))


def metadata_of(pod: Object) -> Object:
    """The metadata of a pod, empty if absent; InputError if its names cannot be decoded."""
    metadata: Value = pod.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict) or not all(map(_is_text, map(metadata.get, _NAMES))):
        raise _undecodable(metadata)
    return metadata


def identity_in(metadata: Object) -> Identity:
    """The identity in the `metadata_of` a pod."""
    return Identity(metadata.get("namespace") or "", metadata.get("name") or metadata.get("generateName") or "")


def labels_in(metadata: Object) -> Labels:
    """The labels in `metadata_of` a pod; InputError if they cannot be decoded."""
    labels: Object = metadata.get("labels") or {}
    if not _are_labels(labels):
        raise _undecodable(metadata)
    return {key: value or "" for key, value in labels.items()} if None in labels.values() else labels


def _undecodable(metadata: Value) -> InputError:
    return InputError(*check(metadata, "meta.ObjectMeta", ("metadata",)))


def _is_text(value: Value) -> bool:
    return value is None or isinstance(value, str)


_are_labels = decodes("map[string]string")
