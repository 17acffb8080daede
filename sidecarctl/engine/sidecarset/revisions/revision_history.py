"""What happens to a set's stored revisions when Kruise sees the set.

Source: docs/behavior/hash-and-revisions.md, "ControllerRevisions", steps 1 to 5.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import as_labels
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INJECTED_LIST, read_hashes
from sidecarctl.engine.sidecarset.revisions.controller_revisions import (
    KRUISE_NAMESPACE,
    Revision,
    custom_version_of,
    new_revision,
    own_revisions,
    revision_hash,
)
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet, is_left_alone, names_in_pods


def recorded_revisions(sidecarset: SidecarSet, matcher: Matcher, pods: Iterable[Object]) -> set[str]:
    """The names of the revisions of a set that pods record: active ones that it matches and is injected into.

    The pods must have passed `decoding.check`.
    """
    return set(recording_pods(sidecarset, matcher, pods))


def recording_pods(sidecarset: SidecarSet, matcher: Matcher, pods: Iterable[Object]) -> dict[str, list[Object]]:
    """The pods by the name of the revision that they record."""
    wanted = _container_names(sidecarset)
    found: dict[str, list[Object]] = {}
    for pod in pods:
        if _counts(pod, sidecarset, matcher, wanted) and (name := _recorded(pod, sidecarset.name)):
            found.setdefault(name, []).append(pod)
    return found


def hashed_pods(sidecarset: SidecarSet, matcher: Matcher, pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Those of the same pods that record no revision, by the hash of the set that they record."""
    wanted = _container_names(sidecarset)
    found: dict[str, list[Object]] = {}
    for pod in pods:
        if _counts(pod, sidecarset, matcher, wanted) and not _recorded(pod, sidecarset.name):
            found.setdefault(read_hashes(_annotation(pod, HASH)).recorded(sidecarset.name), []).append(pod)
    return found


def _container_names(sidecarset: SidecarSet) -> set[str]:
    return {name for container in sidecarset.spec.get("containers", ()) for name in names_in_pods(container)}


def _counts(pod: Object, sidecarset: SidecarSet, matcher: Matcher, wanted: set[str]) -> bool:
    metadata = pod.get("metadata") or {}
    containers = (pod.get("spec") or {}).get("containers") or ()
    namespace, labels = metadata.get("namespace") or "", as_labels(metadata.get("labels"))
    return (
        (pod.get("status") or {}).get("phase") not in {"Succeeded", "Failed"}
        and metadata.get("deletionTimestamp") is None
        and not is_left_alone(namespace, sidecarset.release)
        and (matcher.mismatch(namespace, labels) is None or matcher.may_match(namespace, labels))
        and sidecarset.name in _annotation(pod, INJECTED_LIST).split(",")
        and wanted <= {(container or {}).get("name") for container in containers}
    )


def _recorded(pod: Object, name: str) -> str:
    """The revision that the pod's hash annotation records for a set; empty if there is none."""
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


class History(NamedTuple):
    """All revisions after Kruise saw a set, the name of the set's latest, and status.collisionCount."""

    revisions: tuple[Revision, ...]
    latest: str
    collision_count: int


def register(sidecarset: SidecarSet, revisions: Sequence[Revision], recorded: Collection[str]) -> History:
    """The revisions of all sets after Kruise saw one set.

    `recorded` are the revisions that pods of the set record (`revision_use.recorded_revisions`): they stay.
    """
    own = own_revisions(sidecarset, revisions)
    latest, collision_count = _latest(sidecarset, own, revisions)
    others = [revision for revision in revisions if revision not in own and revision.name != latest.name]
    own = [*(revision for revision in own if revision.name != latest.name), latest]
    in_use = {latest.name, *recorded, *_injected(sidecarset, own)}
    own[-1] = _with_custom_version(latest, sidecarset)
    return History((*others, *_truncated(sidecarset, own, in_use)), latest.name, collision_count)


def pinned_revisions(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> set[str]:
    """The names of the revisions of a set that its injectionStrategy asks for: they stay."""
    own = own_revisions(sidecarset, revisions)
    return {revision.name for revision in own} & set(_injected(sidecarset, own))


def next_truncated(sidecarset: SidecarSet, history: History, recorded: Collection[str]) -> set[str]:
    """The names of the revisions that are deleted when the set's content changes next, all else as it is now."""
    own = own_revisions(sidecarset, history.revisions)
    own = sorted(own, key=lambda revision: revision.name == history.latest)  # the latest last, all else in order
    new = new_revision(sidecarset, own[-1].number + 1)._replace(name="")  # whatever its data will be
    stay = _truncated(sidecarset, [*own, new], {"", *recorded, *_injected(sidecarset, [*own, new])})
    return {revision.name for revision in own} - {revision.name for revision in stay}


def latest_revision(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> str:
    """The name of the revision with the current SidecarSet, regardless of older ones."""
    return _latest(sidecarset, own_revisions(sidecarset, revisions), revisions)[0].name


def _latest(sidecarset: SidecarSet, own: list[Revision], revisions: Sequence[Revision]) -> tuple[Revision, int]:
    """The revision with the current content of the set, and the collision count."""
    number = own[-1].number + 1 if own else 1
    new = new_revision(sidecarset, number)
    equal = [revision for revision in own if revision.data_text == new.data_text]
    if equal:
        latest = equal[-1] if equal[-1] is own[-1] else equal[-1]._replace(number=number)
        return latest, sidecarset.collision_count
    return _named(new, sidecarset, revisions)


def _named(new: Revision, sidecarset: SidecarSet, revisions: Sequence[Revision]) -> tuple[Revision, int]:
    """A new revision with a name that no other data has, and the resulting collision count."""
    taken = {revision.name: revision for revision in revisions if revision.namespace == KRUISE_NAMESPACE}
    count, name = sidecarset.collision_count, new.name
    while name in taken:
        if taken[name].data_text == new.data_text:
            return taken[name], count
        count += 1
        name = f"{sidecarset.name}-{revision_hash(new.data_text, count)}"
    return new._replace(name=name), count


def _injected(sidecarset: SidecarSet, own: list[Revision]) -> list[str]:
    """The names of the revisions that injectionStrategy asks for."""
    revision = sidecarset.spec.get("injectionStrategy", {}).get("revision", {})
    version = revision.get("customVersion")
    labeled = [
        revision.name
        for revision in own
        if version is not None and revision.labels.get(CUSTOM_VERSION_LABEL) == version
    ]
    return [revision.get("revisionName", ""), *labeled[-1:]]


def _with_custom_version(latest: Revision, sidecarset: SidecarSet) -> Revision:
    version = custom_version_of(sidecarset) if sidecarset.release.label_follows else ""
    return latest._replace(labels=latest.labels | {CUSTOM_VERSION_LABEL: version}) if version else latest


def _truncated(sidecarset: SidecarSet, own: list[Revision], in_use: Collection[str]) -> list[Revision]:
    """The revisions that stay: while there are too many, the oldest unused ones are removed."""
    surplus = len(own) - max(1, sidecarset.spec["revisionHistoryLimit"])
    idle = [revision.name for revision in own if revision.name not in in_use]
    dropped = set(idle[: max(0, surplus)])
    return [revision for revision in own if revision.name not in dropped]
