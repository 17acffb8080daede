"""A pod reduced to what rollouts use, so that very many of them fit into memory.

Managed fields, volumes, environments and the rest of a live pod are nine tenths of it. Pods that are alike share the
lists and labels that remain.
"""

from collections.abc import Iterable
from functools import lru_cache
from sys import intern

from sidecarctl.facts.values import Object, Value

_METADATA = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp")
_CONTAINER = ("name", "image", "restartPolicy")
_STATUS = ("name", "image", "imageID", "ready", "restartCount")
_CONDITION = ("type", "status", "lastTransitionTime", "reason", "message")
_CONDITIONS = ("Ready", "SidecarSetUpgradable")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_NOTHING = object()
_ABSENT = [_NOTHING] * len(_STATUS)
"""What stands for each member that an item does not have."""


def trimmed_pod(pod: Object, namespace: str) -> Object:
    """The parts of a pod that a rollout uses, after `decoding.check`; `namespace` is its default."""
    metadata, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    kept: Object = {
        "name": metadata.get("name") or "",
        "namespace": _shared(metadata.get("namespace") or namespace),
        "labels": _labels(tuple((metadata.get("labels") or {}).items())),
        "annotations": _shared_members(metadata.get("annotations")),
    }
    kept["annotations"].pop(_LAST_APPLIED, None)
    for key in _METADATA:
        if value := metadata.get(key):
            kept[key] = value
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
    kept: Object = {
        "phase": _shared(status.get("phase") or ""),
        "conditions": [
            {key: _shared(item[key]) for key in _CONDITION if key in item}  # their times differ in all pods
            for item in status.get("conditions") or ()
            if item and item.get("type") in _CONDITIONS
        ],
        "containerStatuses": _picked(status.get("containerStatuses"), _STATUS),
    }
    if status.get("initContainerStatuses"):
        kept["initContainerStatuses"] = _picked(status["initContainerStatuses"], _STATUS)
    return kept


def _picked(items: Iterable[Object | None] | None, keys: tuple[str, ...]) -> list[Object]:
    """Some members of each item, at its position; null keeps its position."""
    return _list(keys, tuple([tuple(map(item.get, keys, _ABSENT)) if item else () for item in items or ()]))


@lru_cache(maxsize=4096)
def _list(keys: tuple[str, ...], rows: tuple[tuple[Value, ...], ...]) -> list[Object]:
    return [
        {key: _shared(value) for key, value in zip(keys, row, strict=False) if value is not _NOTHING} for row in rows
    ]


@lru_cache(maxsize=4096)
def _labels(members: tuple[tuple[str, Value], ...]) -> Object:
    return _shared_members(dict(members))


def _shared_members(members: Object | None) -> Object:
    return {intern(key): intern(value) if value.__class__ is str else value for key, value in (members or {}).items()}


def _shared(value: Value) -> Value:
    """The value, shared by all pods that have the same text."""
    return intern(value) if value.__class__ is str else value
