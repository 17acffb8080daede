"""The objects that decide what happens to pods: SidecarSets, Namespaces, ControllerRevisions, Kruise's whitelist."""

from collections.abc import Iterable, Iterator

from sidecarctl.documents.reading.document import Document
from sidecarctl.facts.references import ObjectReference
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import objects_of
from sidecarctl.sidecarset.sets import GROUP, WHITELIST

DECIDING_KINDS = {"SidecarSet": GROUP, "Namespace": "", "ControllerRevision": "apps"}
"""The kinds that decide about pods, with their API groups."""

# A document whose bytes name none of these cannot hold such a kind, unless it spells it with escapes.
_NAMES = (*(kind.encode() for kind in DECIDING_KINDS), WHITELIST.name.encode())
_ESCAPES = (b"\\x", b"\\u", b"\\U", b"\\\n", b"\\\r")


def may_decide(data: bytes) -> bool:
    """Whether the bytes of a document could hold an object that decides about pods."""
    if any(name in data for name in _NAMES):
        return True
    # A single character is found many times faster than two, and most documents have none.
    return b"\\" in data and any(escape in data for escape in _ESCAPES)


def decides(reference: ObjectReference) -> bool:
    """Whether an object decides about pods."""
    group, _, _ = reference.api_version.rpartition("/")
    return DECIDING_KINDS.get(reference.kind) == group or _is_named_like_the_whitelist(reference)


def is_whitelist(reference: ObjectReference) -> bool:
    """Whether an object is the ConfigMap that says which annotations SidecarSets may patch."""
    return (reference.kind, reference.namespace, reference.name) == ("ConfigMap", *WHITELIST)


def _is_named_like_the_whitelist(reference: ObjectReference) -> bool:
    """Whether an object is a ConfigMap of the whitelist's name; Kruise looks for it in its own namespace only."""
    return (reference.kind, reference.name) == ("ConfigMap", WHITELIST.name)


def names_a_sidecarset(data: bytes) -> bool:
    """Whether the bytes of a document mention SidecarSets."""
    return b"SidecarSet" in data


def deciding(documents: Iterable[Document], file: str) -> Iterator[Located]:
    """The objects of some documents that decide about pods."""
    for document in documents:
        for found in objects_of(document.value):
            if decides(found.reference):
                yield Located(found.inherited | found.manifest, found.reference, file, document, found.path)


def is_sidecarset(found: Located) -> bool:
    """Whether a deciding object is a SidecarSet."""
    return found.reference.kind == "SidecarSet"
