"""Reading by lines is given up for a while where it only costs: unchanged documents of ever new shapes."""

import pytest

from sidecarctl.documents.editing.document_edits import edited_text
from sidecarctl.documents.editing.proof import confirm, prove
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.edits import Edit, applied
from sidecarctl.facts.errors import InternalFaultError


def pod(shape: int) -> str:
    """A pod of another shape for each number below 512, all of one length."""
    values = ['"x"' if shape >> place & 1 else "xyz" for place in range(9)]
    labels = "".join(f"    label-{place}: {value}\n" for place, value in enumerate(values))
    return f"kind: Pod\nmetadata:\n  name: web\n  labels:\n{labels}spec:\n  containers: []\n"


def passed_over(reader: Reader, text: str) -> Document:
    """Read a document that does not change, as inject does."""
    (document,) = reader.documents_of(text, confirmed=False)
    confirm(reader, document)
    return document


def are_read_by_lines(documents: list[Document]) -> list[bool]:
    return [document.lines is not None for document in documents]


def test_the_parser_reads_alone_after_some_documents_in_vain() -> None:
    reader = Reader(lines_after=0)
    read = [passed_over(reader, pod(number)) for number in range(40)]
    assert are_read_by_lines(read) == [True] * 8 + [False] * 32
    assert [document.value for document in read] == [Reader().parsed(pod(number))[0].value for number in range(40)]


def test_later_it_is_tried_again() -> None:
    reader = Reader(lines_after=0)
    read = are_read_by_lines([passed_over(reader, pod(number)) for number in range(300)])
    assert read[:144] == [True] * 8 + [False] * 128 + [True] * 8


def test_one_known_shape_begins_the_count_again() -> None:
    reader = Reader(lines_after=0)
    passed_over(reader, pod(0))
    read = [passed_over(reader, pod(number if number % 7 else 0)) for number in range(1, 40)]
    assert all(are_read_by_lines(read))


def test_an_edit_by_lines_begins_the_count_again() -> None:
    reader = Reader(lines_after=0)
    edits = [Edit("set", ("metadata", "annotations"), {"a": "b"})]
    for number in range(40):
        document = passed_over(reader, pod(2 * number)) if number % 2 else None
        (document,) = [document] if document else reader.documents_of(pod(2 * number), confirmed=False)
        if number % 2 == 0:
            text = edited_text(document, edits).text
            prove(reader, document, text, applied(document.value, edits))
        assert document.lines is not None


def edited(reader: Reader, text: str) -> None:
    """Edit a document, as inject does."""
    edits = [Edit("set", ("metadata", "annotations"), {"a": "b"})]
    (document,) = reader.documents_of(text, confirmed=False)
    prove(reader, document, edited_text(document, edits).text, applied(document.value, edits))


@pytest.mark.parametrize("number", [9, 100, 136])
def test_the_parser_alone_proves_edits_after_some_of_new_shapes(number: int) -> None:
    reader = Reader(lines_after=0)
    for shape in range(number):
        edited(reader, pod(shape))
    assert len(reader.line_reader.table.documents) == 8
    (document,) = reader.documents_of(pod(number), confirmed=False)
    assert document.lines
    with pytest.raises(InternalFaultError, match="it parses to a different object"):
        prove(reader, document, document.text, {"kind": "Pod"})


def test_later_edits_are_read_by_lines_again() -> None:
    reader = Reader(lines_after=0)
    for shape in range(8 + 128 + 8):
        edited(reader, pod(shape))
    assert len(reader.line_reader.table.documents) == 16


def test_one_edit_of_a_known_shape_begins_the_count_again() -> None:
    reader = Reader(lines_after=0)
    for shape in range(40):
        edited(reader, pod(shape if shape % 7 else 0))
    assert len(reader.line_reader.table.documents) == 35


def test_documents_that_are_confirmed_at_once_count_as_well() -> None:
    reader = Reader(lines_after=0)
    read = [document for number in range(20) for document in reader.documents_of(pod(number))]
    assert are_read_by_lines(read) == [True] * 8 + [False] * 12
