"""The revisions of a SidecarSet whose content is at hand, by the hash that pods record.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions", Restoring.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.pod_annotations import HASH
from sidecarctl.sidecarset.revisions.controller_revisions import Revision, custom_version_of
from sidecarctl.sidecarset.revisions.revision_history import own_revisions
from sidecarctl.sidecarset.revisions.revision_restoring import restored
from sidecarctl.sidecarset.sets import SidecarSet


class KnownRevision(NamedTuple):
    """A SidecarSet as a revision has it, the name of the revision, and its custom version; empty if unknown."""

    sidecarset: SidecarSet
    name: str
    version: str = ""


def known_revisions(
    sidecarset: SidecarSet,
    latest: str,
    revisions: Collection[Revision],
    others: Iterable[SidecarSet] = (),
    recorded: Collection[str] = (),
) -> Mapping[str, KnownRevision]:
    """The SidecarSet as it is, revision `latest`; then `others` of its name; then what its revisions store.

    Of two revisions with one hash, which differ in what no pod is updated for, the later one counts. Revisions of
    other SidecarSets, which injectionStrategy.revision can name, are looked at for hashes that pods have `recorded`.
    """
    known = {sidecarset.hash: KnownRevision(sidecarset, latest, custom_version_of(sidecarset))}
    for other in others:
        if other.name == sidecarset.name:
            known.setdefault(other.hash, KnownRevision(other, other.latest_revision, custom_version_of(other)))
    own = own_revisions(sidecarset, tuple(revisions))
    unknown = set(recorded) - {*known, *(revision.annotations.get(HASH) for revision in own)}
    foreign = [revision for revision in revisions if unknown and revision.annotations.get(HASH) in unknown]
    for revision in (*reversed(own), *foreign):
        older = restored(sidecarset, revision)
        if older:
            version = revision.labels.get(CUSTOM_VERSION_LABEL, "")
            known.setdefault(older.hash, KnownRevision(older, revision.name, version))
    return known
