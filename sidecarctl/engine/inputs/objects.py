"""The Kubernetes objects of files, with their places: documents, the items of Lists, and large lists item by item."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from sidecarctl.engine.documents.reading.document import Document, GivenNamespace, Reader
from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.nodes import Nodes
from sidecarctl.engine.documents.reading.streams import Chunk, NotAListError, split
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, in_file, input_error
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.inputs.first_look import EVERYTHING, FirstLook, near_headers, strangers
from sidecarctl.engine.sidecarset.world import Located

_Read = TypeVar("_Read")


class Source(Protocol):
    """A file, or a text in memory: the name that the user knows, and the documents."""

    @property
    def name(self) -> str:
        """The name for messages."""

    def blocks(self) -> Iterable[bytes]:
        """Its bytes, from the beginning."""

    def chunks(self, size_limit: int) -> Iterable[Chunk]:
        """The texts of the documents; InputError, with the file, where one is larger."""


class Text(NamedTuple):
    """A source in memory."""

    name: str
    data: bytes

    def blocks(self) -> Iterator[bytes]:
        """The bytes."""
        yield self.data

    def chunks(self, size_limit: int) -> Iterator[Chunk]:
        """The documents."""
        return split([self.data], size_limit, self.name)


def all_documents(source: Source, reader: Reader) -> list[Document]:
    """Every document of a small file; InputError, with the file, if it cannot be read."""
    try:
        return [document for chunk in source.chunks(reader.limits.size) for document in reader.documents(chunk)]
    except InputError as fault:
        raise InputError(*in_file(fault.findings, source.name)) from None


def read_only_document(source: Source, reader: Reader, read: Callable[[Document | None], _Read]) -> _Read:
    """The result of `read` for the only document of a small file, or for None if it has none or several.

    Empty documents do not count. Its errors get the file, and the line and column of their field.
    """
    filled = [document for document in all_documents(source, reader) if document.value is not None]
    document = filled[0] if len(filled) == 1 else None
    try:
        return read(document)
    except SidecarctlError as fault:
        findings = fault.findings
        if document is not None:
            findings = tuple(each._replace(place=each.place or document.place(each.path)) for each in findings)
        raise type(fault)(*in_file(findings, source.name)) from None


def commit_of(file: str) -> str:
    """The commit of a file from a git revision, or the user's name for it; empty for any other file."""
    return file.removeprefix("git:").partition(":")[0] if file.startswith("git:") else ""


class ManifestObject(NamedTuple):
    """An object and its path in the document; `kind` and `api_version` may come from the List around it."""

    manifest: Object
    path: Path
    reference: ObjectReference

    @property
    def inherited(self) -> Object:
        """Kind and version; the items of a typed List may omit them."""
        return {"apiVersion": self.reference.api_version, "kind": self.reference.kind}

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        group, _, version = self.reference.api_version.rpartition("/")
        return group if version else ""


def objects_of(value: Value) -> Iterable[ManifestObject]:
    """The objects in a document's value, including those of nested Lists; none if it is not a Kubernetes object."""
    if not isinstance(value, dict) or not value.get("kind"):
        return ()
    return _objects(value, (), {}) if is_list(value) else (ManifestObject(value, (), reference_of(value)),)


def is_list(value: Value) -> bool:
    """Whether a value is a List of objects."""
    kind = value.get("kind") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.endswith("List") and isinstance(value.get("items"), list)


def _objects(value: Object, path: Path, inherited: Object) -> Iterator[ManifestObject]:
    if not is_list(value):
        yield ManifestObject(value, path, reference_of(inherited | value if inherited else value))
        return
    kind = {"kind": value["kind"][:-4], "apiVersion": value.get("apiVersion")}
    for index, item in enumerate(value["items"]):
        if isinstance(item, dict):
            yield from _objects(item, (*path, "items", index), kind)


CLUSTER_SCOPED = frozenset(
    (
        "APIService",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "IngressClass",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "RuntimeClass",
        "SidecarSet",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingWebhookConfiguration",
    )
)
"""Kinds whose objects get no namespace."""


def in_namespace(found: ManifestObject, given: GivenNamespace | None) -> ManifestObject:
    """An object whose reference has the namespace that is given; its manifest stays as it is written."""
    reference = found.reference
    if given is None or reference.kind in CLUSTER_SCOPED or (reference.namespace and not given.replaces):
        return found
    return found._replace(reference=reference._replace(namespace=given.name))


Blocks: TypeAlias = Callable[[], Iterable[bytes]]
"""A file's bytes, from the beginning on every call."""

_ITEMS = lazy_pattern(rb"^items:[ \t]*\r?$", re.MULTILINE)
_JSON_ITEMS = b'"items"'
LONG = 1024 * 1024
"""From this many bytes on, a list is read item by item, if the caller can start over to read it as a whole."""
_LARGE = 16 * 1024 * 1024
"""From this many bytes on, a JSON list is always read item by item."""


def every_object(
    file: str, blocks: Blocks, reader: Reader, look: FirstLook = EVERYTHING
) -> Iterator[Located | Finding]:
    """Like `objects_in`, however a list has to be read; yields each object once."""
    came = 0
    try:
        for found in objects_in(file, blocks, reader, look, cuts=True):
            came += isinstance(found, Located)
            yield found
    except NotAListError:
        number = 0
        for found in objects_in(file, blocks, reader, look):
            number += isinstance(found, Located)
            if number > came or isinstance(found, Finding):
                yield found


def objects_in(
    file: str,
    blocks: Blocks,
    reader: Reader,
    look: FirstLook = EVERYTHING,
    see: Callable[[bytes], object] = len,
    *,
    cuts: bool = False,
) -> Iterator[Located | Finding]:
    """The objects of a file, and findings instead of what cannot be read; `see` gets every byte.

    Of an object that `look` passes nothing is known but its apiVersion and kind.

    A warning precedes the objects of a document that nearly is a SidecarSet.

    With `cuts` a long list is read item by item; NotAListError, also after some objects, where it has to be read as a
    whole. Without, only a JSON list is that is far longer, and a finding says if it is none.
    """
    long = LONG if cuts else _LARGE
    head, rest = _head_of(_seen(blocks(), see), long)
    every = chain(head, rest)
    is_long = sum(map(len, head)) >= long
    if is_long and _first(head) == b"{" and not cuts:
        try:
            yield from _streamed(file, every, reader)
        except NotAListError as fault:
            problem = input_error(Reason.SYNTAX, f"a JSON file of this size must be a single valid list: {fault}")
            yield problem.findings[0]._replace(place=Place(file))
    elif is_long and _first(head) == b"{" and _JSON_ITEMS in b"".join(head):
        yield from _streamed(file, every, reader)
    elif is_long and cuts and _ITEMS.search(b"".join(head)):
        yield from _cut(file, every, reader)
    else:
        yield from _whole(file, every, reader, look)


def _whole(file: str, blocks: Iterable[bytes], reader: Reader, look: FirstLook) -> Iterator[Located | Finding]:
    try:
        for chunk in split(blocks, reader.limits.size):
            if passed := look.passed(chunk.data):
                manifest = {"apiVersion": passed.api_version, "kind": passed.kind}
                yield Located(manifest, passed, file, Unplaced(manifest), ())
                continue
            try:
                for document in reader.documents(chunk):
                    yield from near_headers(document, file)
                    yield from strangers(document, file)
                    for found in objects_of(document.value):
                        yield _located(found, file, document, given=reader.given)
            except SidecarctlError as fault:
                yield from in_file(fault.findings, file)
    except SidecarctlError as fault:  # a document that is too large: where the next one begins is unknown
        yield from in_file(fault.findings, file)


def _cut(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located]:
    from sidecarctl.engine.documents.lists import yaml_list_items  # few files are so long

    for document in yaml_list_items(blocks, reader):
        [manifest] = document.value
        if isinstance(manifest, dict):
            if "kind" not in manifest:
                raise NotAListError("the list around the items has the kind")
            for found in objects_of(manifest):
                yield _located(found, file, document, (0,), reader.given)


def _streamed(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located]:
    from sidecarctl.engine.documents.lists import list_items  # few files are so long

    for item in list_items(blocks, reader.limits):
        manifest = item.document.value
        if isinstance(manifest, dict):
            if "kind" not in manifest:
                if "kind" not in item.around:
                    raise NotAListError("the kind of its items follows them")
                kind = str(item.around["kind"]).removesuffix("List")
                manifest = {"kind": kind, "apiVersion": item.around.get("apiVersion"), **manifest}
            for found in objects_of(manifest):
                yield _located(found, file, item.document, ("items", item.place), reader.given)


class Unplaced(Document):
    """An object without text, so its lines are unknown."""

    def __init__(self, value: Value) -> None:
        super().__init__("", "", 1, value, _no_layout, is_json=True)

    def place(self, path: Path) -> Place:
        """Nothing; the caller adds the file."""
        del path
        return Place("")


def _no_layout() -> Layout:
    return Layout("", Nodes())


def _located(
    found: ManifestObject, file: str, document: Document, before: Path = (), given: GivenNamespace | None = None
) -> Located:
    manifest = found.manifest if "kind" in found.manifest else found.inherited | found.manifest
    there = in_namespace(found, given)
    metadata = manifest.get("metadata")
    if there is not found and isinstance(metadata, dict):
        manifest = {**manifest, "metadata": {**metadata, "namespace": there.reference.namespace}}
    return Located(manifest, there.reference, file, document, before + found.path)


def _seen(blocks: Iterable[bytes], see: Callable[[bytes], object]) -> Iterator[bytes]:
    for block in blocks:
        see(block)
        yield block


def _head_of(blocks: Iterator[bytes], most: int) -> tuple[list[bytes], Iterator[bytes]]:
    """The first blocks, of this many bytes or a little more, and the rest."""
    head: list[bytes] = []
    size = 0
    for block in blocks:
        head.append(block)
        size += len(block)
        if size >= most:
            break
    return head, blocks


def _first(blocks: Iterable[bytes]) -> bytes:
    """The first byte of a text that is not a blank."""
    texts = (block.lstrip(b"\xef\xbb\xbf \t\r\n") for block in blocks)
    return next(filter(None, texts), b"")[:1]
