"""A stream of bytes to the texts of its documents, and what a document is by its first lines.

Put together again, the texts are the stream to the byte.

A line that begins with `---` or `...` and a blank ends a document in every context, so the cuts are exact
without parsing. Directives (`%YAML`) stay with the document that follows them.

`header_of` gives the apiVersion and kind of a document only where these are certain, whatever else it holds:

1. Lines end where the parser ends them: there is no lone CR, no other line break of YAML, no byte order mark and no
   NUL, and `split` has cut the stream at every marker.
2. Nothing but blanks follows `---` on its line, and after blank lines and comments the first line is a key at column
   0. So there are no directives, and the root is a mapping in block style whose keys begin at column 0.
3. This line and the next with content are `apiVersion` and `kind`, in either order, each with one plain word, and the
   line with content after each of them begins at column 0, so that the word does not continue there. Nothing before
   them can hold them, as quotes and brackets over several lines could. So they are members of the root.
4. Any other line that begins at column 0 is a plain key with its colon, an item of a list, or a comment; no such key
   is `apiVersion` or `kind` again. A key of the root that is spelled otherwise (quoted, tagged, with an anchor, an
   alias, `? key`, `<<`) would begin such a line. So no other member of the root is one of these or replaces them.

So the document, parsed, is a mapping with these two values, or it cannot be parsed.
See docs/internals/proof.md, "Documents that are not parsed".
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.documents.reading.scalars import plain_value
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.findings import ObjectReference, Place
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern


class DocumentLimits(NamedTuple):
    """Bounds beyond which a document is refused: bytes of text, levels of nesting, values that aliases expand to."""

    size: int = 64 * 1024 * 1024
    depth: int = 200
    aliased: int = 1_000_000


DEFAULT_LIMITS = DocumentLimits()


class NotAListError(ValueError):
    """The text is not JSON, or not one object with `items`; it has to be read as a whole."""


_BOM = "\ufeff".encode()
_BREAKS = (b"\n", b"\r", "\x85".encode(), "\u2028".encode(), "\u2029".encode())
_BREAK = lazy_pattern(b"\r\n|" + b"|".join(_BREAKS))
_LINE_STARTS = (*_BREAKS, *(line_break + _BOM for line_break in _BREAKS))
_AFTER_MARKER = (b" ", b"\t", *_BREAKS)
_PLAIN_MARKER = lazy_pattern(rb"\n(?:---|\.\.\.)(?=[ \t\n]|\Z)")


class Chunk(NamedTuple):
    """The text of one document, with its markers and the comments around it, and its first line's number."""

    data: bytes
    line: int


def split(blocks: Iterable[bytes], size_limit: int, file: str = "") -> Iterator[Chunk]:
    """The documents of a stream; only one at a time is held.

    Raises InputError, with file and line, for a document of more than `size_limit` bytes.
    """
    line, held = 1, b""
    pieces = _pieces(blocks, size_limit)
    while True:
        try:
            piece = next(pieces, b"")
        except InputError as fault:
            raise _at(fault, Place(file, line)) from None
        data = held + piece
        held = data if piece and _only_directives(data) else b""
        if data and not held:
            yield Chunk(data, line)
            line += line_breaks(data)
        if not piece:
            return


def _at(fault: InputError, place: Place) -> InputError:
    return InputError(*(finding._replace(place=finding.place or place) for finding in fault.findings))


def line_breaks(data: bytes) -> int:
    """How many lines end in the data, whatever ends them."""
    if b"\r" not in data and b"\xc2" not in data and b"\xe2" not in data:
        return data.count(b"\n")
    return sum(map(data.count, _BREAKS)) - data.count(b"\r\n")


def _pieces(blocks: Iterable[bytes], size_limit: int) -> Iterator[bytes]:
    """Pieces of the stream that begin at `---` lines and after `...` lines."""
    parts: list[bytes] = []
    size = 0
    for lines in _whole_lines(blocks, size_limit):
        start = 0
        for cut in [*_cuts(lines), None]:
            if part := lines[start:cut]:  # without an empty one a single part is joined without a copy
                parts.append(part)
                size += len(part)
            if size > size_limit:
                raise _too_large(size_limit)
            if cut is not None and size:
                yield _joined(parts)
                size = 0
            start = cut or start
    lines = part = b""  # not held beside the last piece, which may be all of the stream
    if size:
        yield _joined(parts)


def _joined(parts: list[bytes]) -> bytes:
    """The parts as one; the list does not hold them any longer."""
    whole = b"".join(parts)
    parts.clear()
    return whole


def _too_large(size_limit: int) -> InputError:
    message = f"the document is larger than {size_limit} bytes"
    return input_error(Reason.TOO_LARGE, message, hint="--max-document-size raises the limit")


def _whole_lines(blocks: Iterable[bytes], size_limit: int) -> Iterator[bytes]:
    """The stream in pieces that end with a line feed, so that no marker is torn."""
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        end = block.rfind(b"\n") + 1
        parts.append(block[:end] if end else block)
        size += len(parts[-1])
        if end:
            yield _joined(parts)
            parts, size = [block[end:]], len(block) - end
        elif size > size_limit:  # one line is too large already: the rest is not kept
            raise _too_large(size_limit)
    yield _joined(parts)


def _cuts(lines: bytes) -> list[int]:
    """Where documents begin in whole lines, in order."""
    lines = b"\n" + lines  # so that the first line begins after a line break like any other
    if lines.isascii() and b"\r" not in lines:  # then line feeds are the only line breaks
        if b"\n---" not in lines and b"\n..." not in lines:
            return []
        return sorted({_plain_cut(lines, found) for found in _PLAIN_MARKER.finditer(lines)})
    starts = [found - 1 for line_start in _LINE_STARTS for found in _markers(lines, line_start, b"---")]
    ends = [_next_line(lines, found) - 1 for line_break in _BREAKS for found in _markers(lines, line_break, b"...")]
    return sorted({*starts, *ends})


def _plain_cut(lines: bytes, marker: re.Match[bytes]) -> int:
    """Where a document begins, of a marker with the line feed before it and one more before all lines."""
    return marker.start() if marker[0] == b"\n---" else _next_line(lines, marker.end()) - 1


def _markers(lines: bytes, line_start: bytes, marker: bytes) -> Iterator[int]:
    """Where lines begin (with their BOM) that are markers."""
    at = lines.find(line_start + marker)
    while at != -1:
        end = at + len(line_start) + len(marker)
        if end == len(lines) or lines.startswith(_AFTER_MARKER, end):
            yield end - len(marker) - (len(_BOM) if line_start.endswith(_BOM) else 0)
        at = lines.find(line_start + marker, end)


def _next_line(lines: bytes, at: int) -> int:
    found = _BREAK.search(lines, at)
    return found.end() if found else len(lines)


def _only_directives(data: bytes) -> bool:
    """Whether the data contains only directives for the next document (`%YAML`, `%TAG`) and holds none itself."""
    text = data.removeprefix(_BOM)
    if b"%" not in text or not text.lstrip().startswith((b"%", b"#")):
        return False  # as of most documents, whose lines are not looked at
    lines = text.splitlines()
    return any(line.startswith(b"%") for line in lines) and all(
        line.startswith((b"%", b"#")) or not line.strip() for line in lines
    )


_GAP = rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*+"
_END = rb"[ \t]*(?:[ \t]#[^\n]*)?\r?(?:\n|\Z)" + _GAP + rb"(?![ \t])"
_VERSION = rb"apiVersion:[ \t]+((?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?[a-z][a-z0-9-]*)" + _END
_KIND = rb"kind:[ \t]+([A-Za-z][A-Za-z0-9]*)" + _END
_HEADER = lazy_pattern(rb"(?:---[ \t]*\r?\n)?" + _GAP + rb"(?:" + _VERSION + _KIND + rb"|" + _KIND + _VERSION + rb")")
# A line at column 0 that is none of those of the fourth point.
_OTHER_LINE = lazy_pattern(
    rb"\n(?![ \t\r\n#]|\Z|-[ \t\r\n]|-\Z|(?!(?:apiVersion|kind):)[A-Za-z_][A-Za-z0-9_./-]*:(?:[ \t\r\n]|\Z))"
)
# Of characters that are not ASCII: other line breaks and the byte order mark.
_ODD = ("\x85".encode(), "\u2028".encode(), "\u2029".encode(), "\ufeff".encode())
_ESCAPES = (b"\\x", b"\\u", b"\\U", b"\\\n", b"\\\r")


def header_of(data: bytes) -> ObjectReference | None:
    """The apiVersion and kind of a document, without namespace and name; None if only parsing can find them."""
    header = _HEADER.match(data)
    if header is None or _has_odd_lines(data) or _OTHER_LINE.search(data, max(header.end() - 1, 0)):
        return None
    version, kind = header[1] or header[4], header[2] or header[3]
    return _reference(version.decode(), kind.decode())


@lru_cache(maxsize=1024)
def _reference(version: str, kind: str) -> ObjectReference | None:
    """The reference, if both words are strings: `kind: yes` and `kind: Null` are not."""
    is_text = plain_value(version) == version and plain_value(kind) == kind
    return ObjectReference(version, kind, "", "") if is_text else None


def _has_odd_lines(data: bytes) -> bool:
    if b"\0" in data or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n")):
        return True
    return not data.isascii() and (any(odd in data for odd in _ODD) or not _is_utf8(data))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def hides_words(data: bytes) -> bool:
    """Whether a document may hold a word that its bytes do not show: by escapes, or as binary data."""
    # A single character is found many times faster than two, and most documents have none.
    if b"\\" in data and any(escape in data for escape in _ESCAPES):
        return True
    return b"!" in data and (b"!!" in data or b"!<" in data)
