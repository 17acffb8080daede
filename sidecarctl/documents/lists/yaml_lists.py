"""A YAML list of very many objects, as kubectl writes it, cut into its items: only one of them is held at a time.

The cut is by lines: under `items:` at the margin each line that begins with a dash begins an item. A text in which
such a line means something else does not parse once it is cut, and is then read as a whole.
"""

from collections.abc import Iterable, Iterator

from sidecarctl.documents.lists.json_lists import NotAListError
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.errors import InputError

_ITEMS = b"items:"
_OTHER = (b"---", b"...", b"%", b"\xef\xbb\xbf")


def yaml_list_items(blocks: Iterable[bytes], reader: Reader) -> Iterator[Document]:
    """The items of the list that a stream is: each a document that is a list of this item alone.

    Raises NotAListError, also after some items have come, where the stream is no such list; it may still be YAML.
    """
    around: list[bytes] = []
    item: list[bytes] = []
    begin, is_inside, size = 0, False, 0
    for number, line in enumerate(_lines(blocks), 1):
        if line.startswith(_OTHER):
            raise NotAListError("several documents")
        is_item = line.startswith((b"- ", b"-\n", b"-\r"))
        if is_inside and not is_item and (line[:1] in b" \n\r#" or not line):
            item.append(line)
            size += len(line)
        elif is_inside and is_item:
            yield from _item(item, begin, reader)
            item, begin, size = [line], number, 0
        else:
            if is_inside:
                yield from _item(item, begin, reader)
                item = []
            is_inside = line.rstrip() == _ITEMS
            around.append(b"items: []\n" if is_inside else line)
            begin = number
        if size > reader.limits.size or len(around) > _LINES_AROUND:
            raise NotAListError("not a list of items")
    if is_inside:
        yield from _item(item, begin, reader)
    _check(b"".join(around), reader)


_LINES_AROUND = 1000
"""Lines that may precede and follow the items of a list; a document with other lines is not a list."""


def _item(lines: list[bytes], begin: int, reader: Reader) -> Iterator[Document]:
    """The item of some lines; comments alone are none."""
    try:
        document = reader.documents_of(b"".join(lines).decode(), begin)[0]
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


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    held = b""
    for block in blocks:
        *whole, held = (held + block).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if held:
        yield held
