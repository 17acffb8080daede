"""Batches of documents: the parser reads the new lines of several unchanged ones together."""

from collections.abc import Iterator

import pytest

from sidecarctl.documents.lines.table import LineTable
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.events import Event, c_parser
from sidecarctl.documents.reading.streams import split
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.operations.transforming.batches import Batch, BatchResult, Work
from sidecarctl.operations.transforming.chunks import Transformation
from sidecarctl.operations.transforming.object_changes import Change, Outcome

PODS = 100
TEXT = "".join(f"---\nkind: Pod\nmetadata:\n  name: web-{number}\n  uid: u{number}\n" for number in range(PODS))


def _unchanged(found: ManifestObject) -> Change:
    del found
    return Change(Outcome.SKIPPED)


def _result(reader: Reader, text: str = TEXT) -> BatchResult:
    chunks = list(split([text.encode()], 1 << 20))
    return Work(Transformation(_unchanged, reader), with_texts=False).result(Batch(0, "pods.yaml", 0, chunks))


def _reader(texts: list[str]) -> Reader:
    def counting(text: str) -> Iterator[Event]:
        texts.append(text)
        return c_parser(text)

    return Reader(parser=counting, lines_after=0)


def test_new_lines_of_many_documents_are_parsed_together() -> None:
    texts: list[str] = []
    result = _result(_reader(texts))
    assert (result.data.decode(), result.exit_code, len(result.objects)) == (TEXT, 0, PODS)
    assert len(texts) < PODS / 10
    for number in range(PODS):
        assert any(f"name: web-{number}\n" in text and f"uid: u{number}\n" in text for text in texts)


def test_a_misread_line_is_found_and_the_other_documents_are_read_again() -> None:
    texts: list[str] = []
    reader = _reader(texts)
    _result(reader, TEXT.replace("web-", "shop-"))
    table = reader.line_reader.table
    assert table.line("  uid: v3")
    for line, lines in (("  uid: v3", table.lines), ("uid: v3", table.unchecked_lines)):
        lines[line] = lines[line]._replace(value="v4")
    texts.clear()
    result = _result(reader, TEXT.replace("uid: u", "uid: v"))
    [failure] = result.failures
    assert "the parser and the line reader disagree" in failure.message
    assert failure.place
    assert (failure.place.file, failure.place.line) == ("pods.yaml", 16)
    assert result.exit_code == 4
    assert all(any(f"name: web-{number}\n" in text for text in texts) for number in range(PODS))


def test_documents_are_confirmed_though_all_was_forgotten_amid_them(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    reader = _reader(texts)
    reader.line_reader.table.limit = 40_000  # some dozens of lines
    forgot = 0
    forget = LineTable.forget

    def counted(table: LineTable) -> None:
        nonlocal forgot
        forgot += 1
        forget(table)

    monkeypatch.setattr(LineTable, "forget", counted)
    assert _result(reader).exit_code == 0
    assert forgot > 1
    for number in range(PODS):
        assert any(f"name: web-{number}\n" in text and f"uid: u{number}\n" in text for text in texts)


def test_all_is_forgotten_between_documents_that_are_confirmed_together() -> None:
    reader = _reader([])
    _result(reader)
    table = reader.line_reader.table
    table.limit = table._size + 1
    generation = table.generation
    reader.line_reader.make_room()
    assert table.generation == generation + 1
    reader.line_reader.make_room()
    assert table.generation == generation + 1
