"""A YAML list of very many objects, as kubectl writes it, cut into its items: only one of them is held at a time.

The cut is by lines: under `items:` at the margin each line that begins with a dash begins an item. A text in which
such a line means something else does not parse once it is cut, and is then read as a whole.
"""

import re
from collections.abc import Iterable, Iterator

from sidecarctl.documents.lists.json_lists import NotAListError
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.patterns import lazy_pattern

_ITEMS = b"items:"
_AT_MARGIN = lazy_pattern(rb"^[^ \n\r#][^\n]*\n?", re.MULTILINE)
_OTHER = (b"---", b"...", b"%", b"\xef\xbb\xbf")


def yaml_list_items(blocks: Iterable[bytes], reader: Reader) -> Iterator[Document]:
    """The items of the list that a stream is: each a document that is a list of this item alone.

    Raises NotAListError, also after some items have come, where the stream is no such list; it may still be YAML.
    """
    around: list[bytes] = []
    item: list[bytes] = []
    line, begin, is_inside, size, lines_around = 1, 0, False, 0, 0
    for run in _runs(blocks):
        if run.startswith(_OTHER):
            raise NotAListError("several documents")
        is_item = run.startswith((b"- ", b"-\n", b"-\r"))
        lines = run.count(b"\n")
        if is_inside and not is_item and run[:1] in b" \n\r#":
            item.append(run)
            size += len(run)
        elif is_inside and is_item:
            yield from _item(item, begin, reader)
            item, begin, size = [run], line, 0
        else:
            if is_inside:
                yield from _item(item, begin, reader)
                item = []
            is_inside = run.rstrip() == _ITEMS
            around.append(b"items: []\n" if is_inside else run)
            begin = line
            lines_around += lines
        line += lines
        if size > reader.limits.size or lines_around > _LINES_AROUND:
            raise NotAListError("not a list of items")
    if is_inside:
        yield from _item(item, begin, reader)
    _check(b"".join(around), reader)


_LINES_AROUND = 1000
"""Lines that may precede and follow the items of a list; a document with other lines is not a list."""


def _item(lines: list[bytes], begin: int, reader: Reader) -> Iterator[Document]:
    """The item of some lines; comments alone are none.

    By the parser alone: in a dump no object is like another one (`uid`, times), so reading by lines gains nothing.
    """
    try:
        document = reader.parsed(b"".join(lines).decode(), begin)[0]
    except (InputError, UnicodeDecodeError) as fault:
        raise NotAListError(str(fault)) from None
    if document.value is None:
        return
    if not isinstance(document.value, list) or len(document.value) != 1:
        raise NotAListError("an item is not valid on its own")
    yield document


def _check(around: bytes, reader: Reader) -> None:
    try:
        value = reader.documents_of(around.decode())[0].value
    except (InputError, UnicodeDecodeError) as fault:
        raise NotAListError(str(fault)) from None
    if not isinstance(value, dict) or not str(value.get("kind")).endswith("List") or value.get("items") != []:
        raise NotAListError("no list")


def _runs(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text: each that begins at the margin, and together those between two of them."""
    held = b""
    for block in blocks:
        text = held + block
        end = text.rfind(b"\n") + 1
        yield from _runs_of(text[:end])
        held = text[end:]
    yield from _runs_of(held)


def _runs_of(lines: bytes) -> Iterator[bytes]:
    at = 0
    for found in _AT_MARGIN.finditer(lines):
        if at < found.start():
            yield lines[at : found.start()]
        yield found[0]
        at = found.end()
    if at < len(lines):
        yield lines[at:]
