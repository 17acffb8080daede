"""When the parser need not read a text as a whole: its shape is known, and so is each of its lines."""

from collections.abc import Iterator

import pytest

from sidecarctl.documents.editing.document_edits import edited_text
from sidecarctl.documents.editing.proof import confirm, prove
from sidecarctl.documents.lines.pattern import Line
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.events import Event, c_parser, pure_parser
from sidecarctl.facts.edits import Edit, applied
from sidecarctl.facts.errors import InternalFaultError
from sidecarctl.facts.values import Value

POD = """\
kind: Pod
metadata:
  name: web-{0}
  labels: {{app: web}}
spec:
  containers:
  - name: web
    image: web:{0}
"""
EDITS = [
    Edit("insert", ("spec", "containers", 1), {"name": "agent", "image": "agent:1"}),
    Edit("set", ("metadata", "annotations"), {"a": "b"}),
]


class Counted:
    """The C parser, and which texts it made events of."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def reader(self, monkeypatch: pytest.MonkeyPatch) -> Reader:
        def counting(text: str) -> Iterator[Event]:
            self.texts.append(text)
            return c_parser(text)

        monkeypatch.setattr("sidecarctl.documents.lines.line_reader.c_parser", counting)
        return Reader(parser=counting, lines_after=0)

    def whole(self) -> int:
        """How many documents it read as a whole."""
        return sum("kind: Pod\nmeta" in text for text in self.texts)


def inject(reader: Reader, text: str) -> None:
    (document,) = reader.documents_of(text, confirmed=False)
    prove(reader, document, edited_text(document, EDITS).text, applied(document.value, EDITS))


def test_only_the_first_of_a_shape_is_parsed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()
    reader = counted.reader(monkeypatch)
    for number in range(10):
        inject(reader, POD.format(number))
    assert counted.whole() == 1
    inject(reader, POD.format(10).replace("labels: {app: web}", "labels: {app: [web]}"))
    assert counted.whole() == 2
    for number in range(11, 20):
        (document,) = reader.documents_of(POD.format(number), confirmed=False)
        confirm(reader, document)
    assert counted.whole() == 3


def test_every_line_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()
    reader = counted.reader(monkeypatch)
    for _ in range(2):
        for number in range(5):
            inject(reader, POD.format(number))
    lines = [line.strip() for text in counted.texts if "kind: Pod\nmeta" not in text for line in text.splitlines()]
    for number in range(5):
        assert lines.count(f"image: web:{number}") == 1
        assert lines.count(f"name: web-{number}") == 1


def test_documents_are_confirmed_unless_the_caller_does_so(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()
    reader = counted.reader(monkeypatch)
    for number in range(5):
        assert reader.documents_of(POD.format(number))[0].lines
    assert counted.whole() == 1


@pytest.mark.parametrize(
    ("item", "other"),
    [
        ("-   a:\n    b: 1\n- a:\n    b: 1\n", "- a:\n    b: 1\n-   a:\n    b: 1\n"),
        ("k: [x, y]\n", "k: {x: y}\n"),
        ("k: [x, y]\n", "k: [x, z]\n"),
        ("a: |\n  b\n", "a: |-\n  b\n"),
        ("a: |\n  b\n  c\n", "a: |\n   b\n   c\n"),
        ("a: b\n", "a: 'b'\n"),
        ("a: b\n", "'a': b\n"),
        ("a:\n  b: c\n", "a:\n   b: c\n"),
        ("a: b\n", "a: b\n\n"),
        ("a:\n- b\n", "a:\n- b:\n"),
        ("---\na: b\n", "# c\na: b\n"),
    ],
)
def test_shapes_differ(item: str, other: str) -> None:
    reader = Reader(parser=c_parser, lines_after=0)
    shapes = [reader.line_reader.read(text, 200) for text in (item, other)]
    assert shapes[0]
    assert shapes[1]
    assert shapes[0].shape != shapes[1].shape


def test_texts_differ_in_one_shape() -> None:
    reader = Reader(parser=c_parser, lines_after=0)
    texts = ("a: b\n'c': |\n  d\n# e\n", "fg: h i   # j\n'k': |\n  lm\n# n\n")
    reads = [reader.line_reader.read(text, 200) for text in texts]
    assert reads[0]
    assert reads[1]
    assert reads[0].shape == reads[1].shape


def misread(reader: Reader, text: str, line: str, value: Value) -> None:
    """Let the table of lines hold a wrong value for a line, as a fault of ours would."""
    table = reader.line_reader.table
    assert reader.line_reader.read(text, 200)
    for lines, key in ((table.lines, line), (table.unchecked_lines, line.strip())):
        known: Line | None = lines.get(key)
        if known:
            lines[key] = known._replace(value=value)


@pytest.mark.parametrize("parser", [c_parser, pure_parser])
def test_a_line_that_was_misread_is_found(monkeypatch: pytest.MonkeyPatch, parser: object) -> None:
    counted = Counted()
    reader = counted.reader(monkeypatch) if parser is c_parser else Reader(parser=pure_parser, lines_after=0)
    inject(reader, POD.format(1))
    misread(reader, POD.format(2), "  name: web-2", "web-3")
    with pytest.raises(InternalFaultError, match=r"the parser and the line reader disagree"):
        inject(reader, POD.format(2))


def test_a_misread_line_is_found_where_nothing_is_written() -> None:
    reader = Reader(parser=c_parser, lines_after=0)
    inject(reader, POD.format(1))
    for known in (False, True):
        if known:
            (document,) = reader.documents_of(POD.format(3), confirmed=False)
            confirm(reader, document)
        misread(reader, POD.format(2), "  name: web-2", "web-3")
        (document,) = reader.documents_of(POD.format(2), confirmed=False)
        with pytest.raises(InternalFaultError, match=r"the parser and the line reader disagree"):
            confirm(reader, document)


def test_what_is_misread_does_not_reach_who_reads_confirmed_documents() -> None:
    reader = Reader(parser=c_parser, lines_after=0)
    for number in (1, 2, 2):
        misread(reader, POD.format(2), "  name: web-2", "web-3")
        assert reader.documents_of(POD.format(number))[0].value["metadata"]["name"] == f"web-{number}"


def test_a_wrong_count_of_events_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()
    reader = counted.reader(monkeypatch)
    inject(reader, POD.format(1))
    documents = reader.line_reader.table.documents
    documents.update(dict.fromkeys(documents, 1))
    inject(reader, POD.format(2))
    assert counted.whole() == 2


def test_what_was_read_before_all_was_forgotten_is_not_known() -> None:
    reader = Reader(parser=c_parser, lines_after=0)
    (item,) = reader.documents_of(POD.format(1), confirmed=False)
    (two,) = reader.documents_of(POD.format(2), confirmed=False)
    assert item.lines
    assert two.lines
    assert reader.line_reader.confirms(item.lines, item.text, reader.limits)
    assert reader.line_reader.knows(two.lines)
    reader.line_reader.table.forget()
    assert reader.line_reader.confirms(item.lines, item.text, reader.limits)
    assert not reader.line_reader.knows(two.lines)
