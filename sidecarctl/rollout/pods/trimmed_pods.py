"""A pod without what no rollout looks at, so that very many of them fit into memory.

Managed fields, volumes, environments and the rest of a live pod are nine tenths of it.
"""

from collections.abc import Iterable
from sys import intern

from sidecarctl.facts.values import Object, Value

_METADATA = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp")
_CONTAINER = ("name", "image", "restartPolicy")
_STATUS = ("name", "image", "imageID", "ready", "restartCount")
_CONDITION = ("type", "status", "lastTransitionTime", "reason", "message")
_CONDITIONS = ("Ready", "SidecarSetUpgradable")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def trimmed_pod(pod: Object, namespace: str) -> Object:
    """What a rollout needs of a pod that has passed `decoding.check`; `namespace` where it names none."""
    metadata, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    kept: Object = {
        "name": metadata.get("name") or "",
        "namespace": _shared(metadata.get("namespace") or namespace),
        "labels": _shared_members(metadata.get("labels")),
        "annotations": _shared_members(metadata.get("annotations")),
    }
    kept["annotations"].pop(_LAST_APPLIED, None)
    kept |= {key: metadata[key] for key in _METADATA if metadata.get(key)}
    result: Object = {"metadata": kept, "spec": _spec(spec)}
    if status:
        result["status"] = _status(status)
    return result


def _spec(spec: Object) -> Object:
    kept: Object = {"containers": _picked(spec.get("containers"), _CONTAINER)}
    if spec.get("initContainers"):
        kept["initContainers"] = _picked(spec["initContainers"], _CONTAINER)
    if spec.get("nodeName"):
        kept["nodeName"] = _shared(spec["nodeName"])
    return kept


def _status(status: Object) -> Object:
    conditions = [item for item in status.get("conditions") or () if item and item.get("type") in _CONDITIONS]
    kept: Object = {
        "phase": _shared(status.get("phase") or ""),
        "conditions": _picked(conditions, _CONDITION),
        "containerStatuses": _picked(status.get("containerStatuses"), _STATUS),
    }
    if status.get("initContainerStatuses"):
        kept["initContainerStatuses"] = _picked(status["initContainerStatuses"], _STATUS)
    return kept


def _picked(items: Iterable[Object | None] | None, keys: Iterable[str]) -> list[Object]:
    """Some members of each item, in the place that it has; null stays a place."""
    return [{key: _shared(item[key]) for key in keys if key in item} if item else {} for item in items or ()]


def _shared_members(members: Object | None) -> Object:
    return {intern(key): _shared(value) for key, value in (members or {}).items()}


def _shared(value: Value) -> Value:
    """The value, kept only once where very many pods have the same text."""
    return intern(value) if value.__class__ is str else value
