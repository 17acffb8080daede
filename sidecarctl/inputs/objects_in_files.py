"""The objects of a file: a large list is read item by item, everything else document by document."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from sidecarctl.documents.lists.json_lists import NotAListError, list_items
from sidecarctl.documents.lists.yaml_lists import yaml_list_items
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.reading.streams import split
from sidecarctl.facts.errors import SidecarctlError, input_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import ManifestObject, objects_of
from sidecarctl.inputs.near_headers import near_headers

Blocks: TypeAlias = Callable[[], Iterable[bytes]]
"""A file's bytes, from the beginning as often as it is called."""

_ITEMS = lazy_pattern(rb"^items:[ \t]*\r?$", re.MULTILINE)
_LARGE = 16 * 1024 * 1024
"""Bytes from which on a JSON list is read item by item, though then no line of it is known."""
_LONG = 1024 * 1024
"""Bytes from which on a YAML list is."""


def every_object(file: str, blocks: Blocks, reader: Reader) -> Iterator[Located | Finding]:
    """The same as `objects_in`, whichever way a list has to be read; each object comes once."""
    came = 0
    try:
        for found in objects_in(file, blocks, reader, cuts=True):
            came += isinstance(found, Located)
            yield found
    except NotAListError:
        number = 0
        for found in objects_in(file, blocks, reader):
            number += isinstance(found, Located)
            if number > came or isinstance(found, Finding):
                yield found


def objects_in(
    file: str, blocks: Blocks, reader: Reader, see: Callable[[bytes], object] = len, *, cuts: bool = False
) -> Iterator[Located | Finding]:
    """The objects of a file, and findings in the place of what cannot be read; `see` gets every byte.

    A warning precedes the objects of a document that nearly is a SidecarSet.

    With `cuts` a large YAML list is read item by item too; NotAListError, also after some objects, where it has to be
    read as a whole.
    """
    head, rest = _head_of(_seen(blocks(), see))
    every = chain(head, rest)
    size = sum(map(len, head))
    if size >= _LARGE and _first(head) == b"{":
        yield from _streamed(file, every, reader)
    elif size >= _LONG and cuts and _ITEMS.search(b"".join(head)):
        yield from _cut(file, every, reader)
    else:
        yield from _whole(file, every, reader)


def _whole(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located | Finding]:
    try:
        for chunk in split(blocks, reader.limits.size):
            try:
                for document in reader.documents(chunk):
                    yield from near_headers(document, file)
                    for found in objects_of(document.value):
                        yield _located(found, file, document)
            except SidecarctlError as fault:
                yield from in_file(fault.findings, file)
    except SidecarctlError as fault:  # a document that is too large: there is no telling where the next begins
        yield from in_file(fault.findings, file)


def _cut(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located]:
    for document in yaml_list_items(blocks, reader):
        [manifest] = document.value
        if isinstance(manifest, dict):
            if "kind" not in manifest:
                raise NotAListError("the list around the items has the kind")
            for found in objects_of(manifest):
                yield _located(found, file, document, (0,))


def _streamed(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located | Finding]:
    nowhere = Unplaced(None)
    try:
        for item in list_items(blocks, reader.limits.size):
            if isinstance(item.value, dict):
                around = item.around
                manifest = item.value
                if "kind" not in manifest:
                    kind = str(around.get("kind", "")).removesuffix("List")
                    manifest = {"kind": kind, "apiVersion": around.get("apiVersion"), **manifest}
                for found in objects_of(manifest):
                    yield _located(found, file, nowhere, ("items", item.place))
    except NotAListError as fault:
        problem = input_error(Reason.SYNTAX, f"a JSON file of this size must be a single valid list: {fault}")
        yield problem.findings[0]._replace(place=Place(file))


class Unplaced(Document):
    """An object without a text of its own, such as an item of a list that was read item by item: no line is known."""

    def __init__(self, value: Value) -> None:
        super().__init__("", "", 1, value, _no_layout, is_json=True)

    def place(self, path: Path) -> Place:
        """Nothing but the file, which the caller adds."""
        del path
        return Place("")


def _no_layout() -> Layout:
    return Layout("", [])


def _located(found: ManifestObject, file: str, document: Document, before: Path = ()) -> Located:
    manifest = found.manifest if "kind" in found.manifest else found.inherited | found.manifest
    return Located(manifest, found.reference, file, document, before + found.path)


def _seen(blocks: Iterable[bytes], see: Callable[[bytes], object]) -> Iterator[bytes]:
    for block in blocks:
        see(block)
        yield block


def _head_of(blocks: Iterator[bytes]) -> tuple[list[bytes], Iterator[bytes]]:
    """The first blocks, and the rest."""
    head: list[bytes] = []
    size = 0
    for block in blocks:
        head.append(block)
        size += len(block)
        if size >= _LARGE:
            break
    return head, blocks


def _first(blocks: Iterable[bytes]) -> bytes:
    """The first byte of a text that is no blank."""
    texts = (block.lstrip(b"\xef\xbb\xbf \t\r\n") for block in blocks)
    return next(filter(None, texts), b"")[:1]
