"""What becomes of a set's stored revisions when Kruise sees the set.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions", steps 1 to 5.
"""

from collections.abc import Collection, Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.revisions.controller_revisions import (
    KRUISE_NAMESPACE,
    SET_NAME_LABEL,
    Revision,
    custom_version_of,
    new_revision,
    revision_hash,
)
from sidecarctl.sidecarset.sets import SidecarSet


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
    """The names of the revisions that go when the set's content changes next, all else as it is now."""
    own = own_revisions(sidecarset, history.revisions)
    own = sorted(own, key=lambda revision: revision.name == history.latest)  # the latest last, all else in order
    new = new_revision(sidecarset, own[-1].number + 1)._replace(name="")  # whatever its data will be
    stay = _truncated(sidecarset, [*own, new], {"", *recorded, *_injected(sidecarset, [*own, new])})
    return {revision.name for revision in own} - {revision.name for revision in stay}


def latest_revision(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> str:
    """The name of the revision with the current SidecarSet, regardless of older ones."""
    return _latest(sidecarset, own_revisions(sidecarset, revisions), revisions)[0].name


def own_revisions(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> list[Revision]:
    """The revisions of a set, the latest at the end."""
    own = [revision for revision in revisions if _is_of(revision, sidecarset)]
    return sorted(own, key=lambda revision: (revision.number, revision.created, revision.name))


def _is_of(revision: Revision, sidecarset: SidecarSet) -> bool:
    if revision.namespace != KRUISE_NAMESPACE or revision.labels.get(SET_NAME_LABEL) != sidecarset.name:
        return False
    controllers = [owner for owner in revision.owners if owner.get("controller")]
    uid = sidecarset.metadata.get("uid")
    if not controllers or uid is None:  # a manifest that never was in a cluster has no uid
        return True
    return bool(controllers[0]["uid"] == uid)


def _latest(sidecarset: SidecarSet, own: list[Revision], revisions: Sequence[Revision]) -> tuple[Revision, int]:
    """The revision that holds the set as it is, and the collision count."""
    number = own[-1].number + 1 if own else 1
    new = new_revision(sidecarset, number)
    equal = [revision for revision in own if revision.data_text == new.data_text]
    if equal:
        latest = equal[-1] if equal[-1] is own[-1] else equal[-1]._replace(number=number)
        return latest, sidecarset.collision_count
    return _named(new, sidecarset, revisions)


def _named(new: Revision, sidecarset: SidecarSet, revisions: Sequence[Revision]) -> tuple[Revision, int]:
    """A new revision under a name that none with other data has, and the collision count that this took."""
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
    labelled = [
        revision.name
        for revision in own
        if version is not None and revision.labels.get(CUSTOM_VERSION_LABEL) == version
    ]
    return [revision.get("revisionName", ""), *labelled[-1:]]


def _with_custom_version(latest: Revision, sidecarset: SidecarSet) -> Revision:
    version = custom_version_of(sidecarset) if sidecarset.release.label_follows else ""
    return latest._replace(labels=latest.labels | {CUSTOM_VERSION_LABEL: version}) if version else latest


def _truncated(sidecarset: SidecarSet, own: list[Revision], in_use: Collection[str]) -> list[Revision]:
    """The revisions that stay: the oldest that are not in use go as long as there are too many."""
    surplus = len(own) - max(1, sidecarset.spec["revisionHistoryLimit"])
    idle = [revision.name for revision in own if revision.name not in in_use]
    dropped = set(idle[: max(0, surplus)])
    return [revision for revision in own if revision.name not in dropped]
