"""New values as text: read back as the same by three readers, in block and in flow style."""

from itertools import takewhile

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.editing.document_edits import EditedText, edited_text, prove
from sidecarctl.engine.documents.editing.flow_edits import FlowStyle, flow_string, flow_text
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.layout import ROOT
from sidecarctl.engine.documents.reading.text_lines import Unchanged
from sidecarctl.engine.documents.writing import (
    BlockStyle,
    block_string,
    document_lines,
    is_plain,
)
from sidecarctl.engine.facts.errors import InternalFaultError
from sidecarctl.engine.facts.values import Edit, Value, identical
from tests.effort import share
from tests.engine.documents.readers import pyyaml_value, ruamel_value
from tests.engine.documents.ugly import STRINGS, VALUES, WORDS

STYLES = st.builds(BlockStyle, st.integers(1, 9), st.integers(0, 4))
FLOW_STYLES = st.builds(
    FlowStyle,
    st.booleans(),
    st.just(" "),
    st.sampled_from(["", " "]),
    st.sampled_from(["", "\n  "]),
    st.integers(1, 4),
    st.just(" "),
)


@share(150)
@given(VALUES, STYLES)
def test_block_style_is_read_back(value: Value, style: BlockStyle) -> None:
    text = "".join(f"{line}\n" for line in document_lines(value, style))
    for read in (Reader().documents_of(text)[0].value, pyyaml_value(text), ruamel_value(text)):
        assert identical(read, value)


@share(150)
@given(VALUES, FLOW_STYLES)
def test_flow_style_is_read_back(value: Value, style: FlowStyle) -> None:
    text = f"a: {flow_text(value, style)}\n"
    for read in (Reader().documents_of(text)[0].value, pyyaml_value(text), ruamel_value(text)):
        assert identical(read, {"a": value})


@share(200)
@given((STRINGS | st.text(st.sampled_from("0123456789abcdefxo_.:-+eET "), max_size=8)).filter(is_plain))
def test_plain_strings_are_strings_to_every_reader(text: str) -> None:
    from ruamel.yaml import YAML

    assert yaml.safe_load(text) == text
    assert YAML(typ="safe").load(text) == text
    assert pyyaml_value(text) == text


@pytest.mark.parametrize(
    "text",
    [*WORDS, "", " a", "a ", "a: b", "a #b", "- a", "a\nb", "=", "<<", "?", "*a", "{{ a }}", "%a", "0x1g", "1.2.3"],
)
def test_quoted(text: str) -> None:
    assert block_string(text)[0] in "'\""
    assert flow_string(text)[0] == '"'


@pytest.mark.parametrize(
    "text", ["a", "a b", "registry.example.com/a:1.0", "--level=info", "250m", "/bin/sh", "a,b", "x=y", "$(A)"]
)
def test_not_quoted(text: str) -> None:
    assert block_string(text) == text


def test_what_does_not_read_as_intended_is_an_internal_fault() -> None:
    reader = Reader()
    (document,) = reader.documents_of("a: 1\n")
    prove(reader, document, EditedText("a: 2\n", []), {"a": 2})
    for text in ("a: 3\n", "a: '2'\n", "a: [", '{"a": 2} {"a": 2}', "a: 2.5\n", "a: true\n"):
        with pytest.raises(InternalFaultError, match="the edited text failed verification"):
            prove(reader, document, EditedText(text, []), {"a": 2})


@pytest.mark.parametrize(
    ("text", "edited", "kept"),
    [
        ("a: b # c\n", "a: b\n", [Unchanged(0, 3, 0), Unchanged(4, 9, 4)]),
        ("a: b\nc: d\n", "a: b\n\nc: d\n", [Unchanged(0, 10, 0)]),
        ("a:\n  b\n", "a: b # b\n", [Unchanged(0, 2, 0), Unchanged(5, 7, 7)]),
        ("a: b # b\n", "a: b\n", [Unchanged(0, 3, 0), Unchanged(7, 9, 3)]),
        ('{"a": "b"}', '{"a": "b" }', [Unchanged(0, 10, 0)]),
    ],
)
def test_what_changes_outside_the_edit_is_an_internal_fault(text: str, edited: str, kept: list[Unchanged]) -> None:
    reader = Reader()
    (document,) = reader.documents_of(text)
    replaced = ((ROOT, "a"),)  # to which the comment of the line belongs
    prove(reader, document, EditedText(edited, [], replaced=replaced), document.value)
    with pytest.raises(InternalFaultError, match="something outside the edit changed"):
        prove(reader, document, EditedText(edited, kept, replaced=replaced), document.value)


@pytest.mark.parametrize(
    ("text", "edited", "line"),
    [
        ("a: 1 # kept\nb: 2\n", "a: 1\n", 1),
        ("# kept\na: 1\nb: 2\n", "a: 1\n", 1),
        ("a: 1\n# kept\n\nb: 2\n", "a: 1\n", 2),
        ("a: 1\nb: 2\n\n# kept\n", "a: 1\n", 4),
        ("{a: 1, # kept\n b: 2}\n", "{a: 1}\n", 1),
    ],
)
def test_a_splice_that_covers_the_comment_of_something_else_is_an_internal_fault(
    text: str, edited: str, line: int
) -> None:
    """The value is the intended one, and what the splice keeps is kept: only the comment shows the fault."""
    reader = Reader()
    [document] = reader.documents_of(text)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, edited, strict=False)))
    corrupt = EditedText(edited, [Unchanged(0, same, 0)], replaced=((ROOT, "b"),))
    with pytest.raises(InternalFaultError, match=f"the comment in line {line} would be lost"):
        prove(reader, document, corrupt, {"a": 1})


def test_an_edit_that_takes_the_only_line_breaks_away_is_proven() -> None:
    """The end of the text lacks a line break, and the one that is read there is of another kind afterwards."""
    [document] = Reader().documents_of("name: [\r\n \r\n ]")
    edited = edited_text(document, [Edit("set", ("name",), [])])
    assert edited.text == "name: []"
    prove(Reader(), document, edited, {"name": []})


def test_an_edit_after_which_only_blank_lines_end_a_text_without_a_last_break_is_proven() -> None:
    [document] = Reader().documents_of('name:\n\n - ""')
    edited = edited_text(document, [Edit("set", ("name",), "0")])
    assert edited.text == 'name: "0"\n'
    prove(Reader(), document, edited, {"name": "0"})


def test_identical_tells_types_apart_and_not_the_order_of_keys() -> None:
    assert identical({"a": 1, "b": [1.5]}, {"b": [1.5], "a": 1})
    assert not identical({"a": [1]}, {"a": [True]})
    assert not identical([1], [1.0])
    assert not identical({"a": {"b": 1}, "c": 0}, {"c": False, "a": {"b": 1}})
