"""A pod reduced to what rollouts use, so that very many of them fit into memory.

Managed fields, volumes, environments and other unused fields make up nine tenths of a live pod. Similar pods share
the remaining lists and labels.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from sys import intern

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value, value_at

_METADATA = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp")
_OWNER = ("apiVersion", "kind", "name", "uid", "controller")
_CONTAINER = ("name", "image", "restartPolicy")
_STATUS = ("name", "image", "imageID", "ready", "restartCount")
_CONDITION = ("type", "status", "lastTransitionTime", "reason", "message")
_CONDITIONS = ("Ready", "SidecarSetUpgradable")
_UPDATE_STATE = "kruise.io/sidecarset-inplace-update-state"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_NOTHING = object()
_ABSENT = [_NOTHING] * max(len(_STATUS), len(_OWNER))
"""The value of each member that an item does not have."""


def trimmed_pod(pod: Object, namespace: str, *, whole_containers: bool = False) -> Object:
    """The parts of a pod that a rollout uses, after `decoding.check`; `namespace` is its default.

    With `whole_containers` containers, volumes and pull secrets keep all their fields, and pods what else is needed;
    pods of a workload share the lists, so the volume names of service account tokens are those of the first pod.
    """
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
    if owners := metadata.get("ownerReferences"):
        kept["ownerReferences"] = _picked(owners, _OWNER)
    result: Object = {"metadata": kept, "spec": _spec(spec, whole_containers=whole_containers)}
    if status:
        result["status"] = _status(status)
        if text := kept["annotations"].get(_UPDATE_STATE):
            result["status"].update(_still_running(status, text))
    return result


_REPLACING = ("updateStrategy", "strategy", "paused")


def trimmed_workload(manifest: Object) -> Object:
    """The parts of a workload that say which pods are its own, how many there should be, and how it replaces them."""
    metadata: Value = manifest.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kept = ("name", "namespace", "uid", "deletionTimestamp")
    return {
        "apiVersion": manifest.get("apiVersion"),
        "kind": manifest.get("kind"),
        "metadata": {
            **{key: metadata[key] for key in kept if metadata.get(key)},
            "ownerReferences": _picked(metadata.get("ownerReferences"), _OWNER),
        },
        "spec": {key: value_at(manifest, ("spec", key)) for key in ("replicas", *_REPLACING)},
    }


def _spec(spec: Object, *, whole_containers: bool) -> Object:
    containers, init = spec.get("containers"), spec.get("initContainers")
    kept: Object = {"containers": _alike(containers or []) if whole_containers else _picked(containers, _CONTAINER)}
    if init:
        kept["initContainers"] = _alike(init) if whole_containers else _picked(init, _CONTAINER)
    for key in ("volumes", "imagePullSecrets") if whole_containers else ():
        if spec.get(key):
            kept[key] = _alike(spec[key])
    for key in ("overhead", "resources") if whole_containers else ():
        if spec.get(key):
            kept[key] = spec[key]
    if spec.get("nodeName"):
        kept["nodeName"] = _shared(spec["nodeName"])
    return kept


_TOKEN_VOLUME = lazy_pattern(r'"kube-api-access-[a-z0-9]{5}"')


def _alike(items: list[Object]) -> list[Object]:
    """Equal items as one list for all pods that have them."""
    return _read_once(_TOKEN_VOLUME.sub('"kube-api-access"', json.dumps(items)))


@lru_cache(maxsize=4096)
def _read_once(text: str) -> list[Object]:
    items: list[Object] = json.loads(text)
    return items


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
    unready = [item for item in status.get("initContainerStatuses") or () if item and _fails(item)]
    unready += [item for item in status.get("containerStatuses") or () if item and _is_in_trouble(item)]
    if unready:
        kept["unready"] = [{key: item[key] for key in _TROUBLE if key in item} for item in unready]
    if status.get("initContainerStatuses"):
        kept["initContainerStatuses"] = _picked(status["initContainerStatuses"], _STATUS)
    return kept


def _still_running(status: Object, update_state: str) -> Object:
    """`started`: since when the containers run whose imageID is that from before an update in place."""
    started = {
        item.get("name") or "": value_at(item, ("state", "running", "startedAt"))
        for item in status.get("containerStatuses") or ()
        if item and item.get("imageID") and item["imageID"] in update_state
    }
    return {"started": started} if any(started.values()) else {}


def _is_in_trouble(status: Object) -> bool:
    """Whether a container is not ready and its status says why."""
    return not status.get("ready") and ("state" in status or "lastState" in status)


def _fails(status: Object) -> bool:
    """Whether an init container is stuck: it failed, waits to be restarted, or its image is missing."""
    state = status.get("state") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    return bool(ended.get("exitCode")) or waiting.get("reason") not in (None, "PodInitializing")


_TROUBLE = ("name", "state", "lastState", "restartCount")


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
