"""Which revisions pods record.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions", step 5.
"""

import json
from collections.abc import Iterable

from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, INJECTED_LIST
from sidecarctl.sidecarset.containers import names_in_pods
from sidecarctl.sidecarset.matching import Matcher, is_left_alone
from sidecarctl.sidecarset.sets import SidecarSet


def recorded_revisions(sidecarset: SidecarSet, matcher: Matcher, pods: Iterable[Object]) -> set[str]:
    """The names of the revisions of a set that pods record: active ones that it matches and is injected into.

    The pods must have passed `decoding.check`.
    """
    wanted = _container_names(sidecarset)
    recorded = (_recorded(pod, sidecarset.name) for pod in pods if _counts(pod, sidecarset, matcher, wanted))
    return {name for name in recorded if name}


def _container_names(sidecarset: SidecarSet) -> set[str]:
    return {name for container in sidecarset.spec.get("containers", ()) for name in names_in_pods(container)}


def _counts(pod: Object, sidecarset: SidecarSet, matcher: Matcher, wanted: set[str]) -> bool:
    metadata = pod.get("metadata") or {}
    containers = (pod.get("spec") or {}).get("containers") or ()
    return (
        (pod.get("status") or {}).get("phase") not in {"Succeeded", "Failed"}
        and metadata.get("deletionTimestamp") is None
        and not is_left_alone(metadata.get("namespace") or "", sidecarset.release)
        and matcher.mismatch(metadata.get("namespace") or "", metadata.get("labels")) is None
        and sidecarset.name in _annotation(pod, INJECTED_LIST).split(",")
        and wanted <= {(container or {}).get("name") for container in containers}
    )


def _recorded(pod: Object, name: str) -> str:
    """The revision that the pod's hash annotation names for a set; empty when there is none to be read."""
    try:
        entries = json.loads(_annotation(pod, HASH) or "{}")
    except (ValueError, RecursionError):
        return ""
    entry: Value = entries.get(name) if isinstance(entries, dict) else None
    revision = entry.get("controllerRevision") if isinstance(entry, dict) else None
    return revision if isinstance(revision, str) else ""


def _annotation(pod: Object, key: str) -> str:
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    return annotations.get(key) or ""
