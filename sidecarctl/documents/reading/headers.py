"""What a document is, told by its first lines, so that one that cannot matter need not be parsed.

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
See docs/proof.md, "Documents that are not parsed".
"""

from functools import lru_cache

from sidecarctl.documents.reading.scalars import plain_value
from sidecarctl.facts.findings import ObjectReference
from sidecarctl.facts.start_up import lazy_pattern

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
    """The apiVersion and kind of a document, without namespace and name; None where only parsing it can tell."""
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
