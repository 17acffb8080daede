"""The world of a run: everything that decides about pods, from all inputs together."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from sidecarctl.api.decoding import check
from sidecarctl.documents.document import Document
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import objects_of
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.recorded_hashes import with_recorded_hashes
from sidecarctl.sidecarset.revisions import Revision, new_revision, read_revision
from sidecarctl.sidecarset.sets import GROUP, SidecarSet

DECIDING_KINDS = {"SidecarSet": GROUP, "Namespace": "", "ControllerRevision": "apps"}
"""The kinds that decide about pods, with their API groups."""

# A document whose bytes name none of these cannot hold such a kind, unless it spells it with escapes.
_NAMES = tuple(kind.encode() for kind in DECIDING_KINDS)
_ESCAPES = (b"\\x", b"\\u", b"\\U", b"\\\n", b"\\\r")


class Located(NamedTuple):
    """An object and where it was read."""

    manifest: Object
    reference: ObjectReference
    file: str
    document: Document
    path: Path

    def place(self, path: Path = ()) -> Place:
        """File, line and column of one of its fields."""
        return self.document.place((*self.path, *path))._replace(file=self.file)

    def findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings about its fields, with the object and the place."""
        return [
            found._replace(subject=self.reference, place=found.place or self.place(found.path)) for found in findings
        ]


class World(NamedTuple):
    """What decides about pods. Sets are admitted and in name order; namespaces are their labels by name."""

    sidecarsets: tuple[SidecarSet, ...] = ()
    namespaces: Mapping[str, Mapping[str, str]] = {}
    revisions: tuple[Revision, ...] = ()
    sources: Mapping[str, Located] = {}
    """Where each set was read, by its name."""


def may_decide(data: bytes) -> bool:
    """Whether the bytes of a document could hold an object that decides about pods."""
    if any(name in data for name in _NAMES):
        return True
    # A single character is found many times faster than two, and most documents have none.
    return b"\\" in data and any(escape in data for escape in _ESCAPES)


def names_a_set(data: bytes) -> bool:
    """Whether the bytes of a document speak of SidecarSets."""
    return b"SidecarSet" in data


def deciding(documents: Iterable[Document], file: str) -> Iterator[Located]:
    """The objects of some documents that decide about pods."""
    for document in documents:
        for found in objects_of(document.value):
            if DECIDING_KINDS.get(found.reference.kind) == found.group:
                yield Located(found.inherited | found.manifest, found.reference, file, document, found.path)


def world_of(found: Iterable[Located], older: Iterable[Located] = (), *, trust_annotated_hash: bool = False) -> World:
    """The world that some objects make; InputError for sets that cannot be decoded or stand there twice.

    `older` are manifests of sets as they once were, which stand for their revisions. With `trust_annotated_hash`
    the hashes that a set's manifest records count, not the computed ones.
    """
    world, faults = readable_world(found, older, trust_annotated_hash=trust_annotated_hash)
    if faults:
        raise InputError(*faults)
    return world


def readable_world(
    found: Iterable[Located], older: Iterable[Located] = (), *, trust_annotated_hash: bool = False
) -> tuple[World, list[Finding]]:
    """The world without what cannot be decoded in it, and what there is to say about that."""
    sources: dict[str, Located] = {}
    namespaces: dict[str, Mapping[str, str]] = {}
    revisions: list[Revision] = []
    faults: list[Finding] = []
    for located in found:
        manifest, name = located.manifest, located.reference.name
        match located.reference.kind:
            case "SidecarSet":
                other = sources.setdefault(name, located)
                if other.manifest != manifest:
                    faults += located.findings([_second(name, other)])
            case "Namespace":
                with collecting(faults, located):
                    namespaces[name] = _labels(manifest)
            case "ControllerRevision":
                with collecting(faults, located):
                    revisions.append(read_revision(manifest))
    sets: list[SidecarSet] = []
    for located in sources.values():
        with collecting(faults, located):
            admitted = admit(located.manifest)
            sets.append(with_recorded_hashes(located.manifest, admitted) if trust_annotated_hash else admitted)
    for number, located in enumerate(older, len(revisions) + 1):
        with collecting(faults, located):
            revisions.append(new_revision(admit(located.manifest), number))
    sets.sort(key=lambda sidecarset: sidecarset.name)
    return World(tuple(sets), namespaces, tuple(revisions), sources), faults


@contextmanager
def collecting(faults: list[Finding], located: Located) -> Iterator[None]:
    """Put the findings of an unreadable object to the others, so that all of them are told at once."""
    try:
        yield
    except InputError as fault:
        faults += located.findings(fault.findings)


def _labels(namespace: Object) -> Mapping[str, str]:
    if problems := check(namespace, "core.Namespace"):
        raise InputError(*problems)
    labels = (namespace.get("metadata") or {}).get("labels") or {}
    return {key: value or "" for key, value in labels.items()}  # null is an empty text to the API


def _second(name: str, other: Located) -> Finding:
    message = f"there is another SidecarSet {name} in {other.place()}"
    return error(Reason.DUPLICATE_SET, message, ("metadata", "name"), hint="give one of them")
