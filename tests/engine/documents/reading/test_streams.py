"""Streams cut into documents, with the number of each one's first line."""

import pytest

from sidecarctl.engine.documents.reading.streams import line_breaks, split
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.reasons import Reason

STREAMS: dict[str, tuple[str, list[tuple[str, int]]]] = {
    "nothing": ("", []),
    "one document": ("a: 1\n", [("a: 1\n", 1)]),
    "without a final newline": ("a: 1", [("a: 1", 1)]),
    "a marker first": ("---\na: 1\n", [("---\na: 1\n", 1)]),
    "two": ("a: 1\n---\nb: 1\n", [("a: 1\n", 1), ("---\nb: 1\n", 2)]),
    "comments between": ("a: 1\n# c\n---\n# d\nb: 1\n", [("a: 1\n# c\n", 1), ("---\n# d\nb: 1\n", 3)]),
    "empty documents": ("---\n---\n---\n", [("---\n", 1), ("---\n", 2), ("---\n", 3)]),
    "an end": ("a: 1\n...\nb: 1\n", [("a: 1\n...\n", 1), ("b: 1\n", 3)]),
    "an end and a marker": ("a: 1\n...\n---\nb: 1\n", [("a: 1\n...\n", 1), ("---\nb: 1\n", 3)]),
    "an end without a newline": ("a: 1\n...", [("a: 1\n...", 1)]),
    "content on the marker line": ("--- a\n--- b\n", [("--- a\n", 1), ("--- b\n", 2)]),
    "blanks and comments behind markers": ("---  # c\n---\t\na\n", [("---  # c\n", 1), ("---\t\na\n", 2)]),
    "what only looks like markers": ("----\n --- a\n---a\n....\n", [("----\n --- a\n---a\n....\n", 1)]),
    "in literals, indented": ("a: |\n  ---\n  ...\nb: 1\n", [("a: |\n  ---\n  ...\nb: 1\n", 1)]),
    "CRLF": ("a: 1\r\n---\r\nb: 1\r\n...\r\n", [("a: 1\r\n", 1), ("---\r\nb: 1\r\n...\r\n", 2)]),
    "CR": ("a: 1\r---\rb: 1\r", [("a: 1\r", 1), ("---\rb: 1\r", 2)]),
    "mixed": ("a: 1\r---\nb: 1\r\n---\r", [("a: 1\r", 1), ("---\nb: 1\r\n", 2), ("---\r", 4)]),
    "old breaks": ("a\u2028---\u2028b\x85---\n", [("a\u2028", 1), ("---\u2028b\x85", 2), ("---\n", 4)]),
    "directives": ("%YAML 1.1\n---\na: 1\n", [("%YAML 1.1\n---\na: 1\n", 1)]),
    "later directives": ("a: 1\n...\n%YAML 1.1\n# c\n\n---\nb\n",
                         [("a: 1\n...\n", 1), ("%YAML 1.1\n# c\n\n---\nb\n", 3)]),
    "directives alone": ("%YAML 1.1\n", [("%YAML 1.1\n", 1)]),
    "a percent sign in text": ("a: 5%\n---\n%x\n", [("a: 5%\n", 1), ("---\n%x\n", 2)]),
    "a byte order mark": ("\ufeff---\na\n", [("\ufeff---\na\n", 1)]),
    "a byte order mark before a later marker": ("a\n\ufeff---\nb\n", [("a\n", 1), ("\ufeff---\nb\n", 2)]),
    "a byte order mark behind a marker": ("a\n---\n\ufeffb\n", [("a\n", 1), ("---\n\ufeffb\n", 2)]),
}  # a table, a case a line  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(("text", "chunks"), STREAMS.values(), ids=STREAMS)
def test_split(text: str, chunks: list[tuple[str, int]], size: int) -> None:
    data = text.encode()
    found = list(split((data[at : at + size] for at in range(0, len(data), size)), 1000))
    assert [(chunk.data.decode(), chunk.line) for chunk in found] == chunks


def test_too_large_a_document_has_its_line() -> None:
    chunks = split([b"a: 1\n---\nb: 2\n---\n", b"c" * 100 + b"\n"], 50)
    assert [next(chunks).line, next(chunks).line] == [1, 2]
    with pytest.raises(InputError) as caught:
        next(chunks)
    (finding,) = caught.value.findings
    assert (finding.reason, finding.place and finding.place.line) == (Reason.TOO_LARGE, 4)


def test_of_a_line_without_end_no_more_is_read_than_the_limit() -> None:
    blocks = iter([b"a: 1\n---\n", *[b"c" * 20] * 100])
    chunks = split(blocks, 50)
    assert next(chunks).line == 1
    with pytest.raises(InputError, match="the document is larger than 50 bytes"):
        next(chunks)
    assert len(list(blocks)) == 97


def test_line_breaks() -> None:
    assert line_breaks("a\nb\r\nc\rd\x85e\u2028f\u2029".encode()) == 6
    assert line_breaks(b"a\nb\n") == 2
    assert line_breaks("ä\n".encode()) == 1
