"""Documents of a known shape with known keys, whose scalars are put where an earlier document has its own."""

import random
import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.documents.editing.line_edits import edited_by_lines
from sidecarctl.documents.lines import read_lines as module
from sidecarctl.documents.lines.line_reader import LineReader
from sidecarctl.documents.lines.read_lines import ReadLines
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.events import c_parser
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS
from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.values import Value, identical
from tests.documents.lines.random_line_edits import random_edits

DEPTH = DEFAULT_LIMITS.depth
POD = """\
---
# {0}
kind: Pod
metadata:
  name: {0}
  labels: {{app: web}}
spec:
  containers:
  - name: {0}
    args:
    - {0}

    - "{0}"
  -
    name: b   # the second
  tolerations:
  - {0}
  nodeName:
"""


def confirmed(reader: LineReader, text: str) -> ReadLines:
    read = reader.read(text, DEPTH)
    assert read is not None
    assert reader.knows(read) or reader.confirms(read, text, DEFAULT_LIMITS)
    return read


def keeping() -> LineReader:
    """A reader that keeps how lines come together at the second document alike."""
    reader = LineReader(c_parser)
    reader.table.worth_a_skeleton = 2
    return reader


def primed(*texts: str) -> LineReader:
    """One that has met documents so often that it keeps how their lines come together."""
    reader = keeping()
    for text in texts:
        for _ in range(3):
            confirmed(reader, text)
    return reader


@pytest.fixture
def no_loop(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called on, no document is read line by line."""

    def refuse(*_: Any) -> Value:
        raise AssertionError("read line by line")

    return lambda: monkeypatch.setattr(module._Reading, "value", refuse)


def parsed(text: str) -> Value:
    (document,) = Reader().parsed(text)
    return document.value


@pytest.mark.parametrize("name", ["web", "web-2", "12", "null", "true", "1.5", "0x10", "2001-01-01"])
def test_other_scalars_are_put_in(name: str, no_loop: Callable[[], None]) -> None:
    reader = primed(POD.format("first"))
    no_loop()
    read = confirmed(reader, POD.format(name))
    assert identical(read.value, parsed(POD.format(name)))


def test_other_keys_are_read_line_by_line(no_loop: Callable[[], None]) -> None:
    reader = primed("a: 1\nb: 2\n")
    assert confirmed(reader, "a: 1\nc: 2\n").value == {"a": 1, "c": 2}
    no_loop()
    with pytest.raises(AssertionError):
        reader.read("a: 1\nd: 2\n", DEPTH)


def test_repeated_keys_are_refused_in_a_known_shape() -> None:
    reader = primed("a: 1\nb: 2\n")
    for _ in range(4):
        assert reader.read("a: 1\na: 2\n", DEPTH) is None


def test_a_smaller_limit_of_depth_counts() -> None:
    text = "a:\n  b:\n    c: 1\n"
    reader = primed(text)
    assert reader.read(text, 12) is not None
    assert reader.read(text, 11) is None
    assert reader.read(text, 9) is None


def test_values_of_flow_collections_belong_to_one_document() -> None:
    text = "a: {b: [1]}\nc: []\n"
    reader = primed(text)
    item, other = confirmed(reader, text).value, confirmed(reader, text).value
    item["a"]["b"].append(2)
    item["c"].append(3)
    assert other == confirmed(reader, text).value == {"a": {"b": [1]}, "c": []}


def test_block_scalars_are_read_line_by_line() -> None:
    reader = primed("a: |\n  b: 1\nc: d\n", "a: x\nc: d\n")
    for number in range(4):
        assert confirmed(reader, f"a: |\n  b: {number}\nc: d\n").value == {"a": f"b: {number}\n", "c": "d"}
        assert confirmed(reader, f"a: {number}\nc: d\n").value == {"a": number, "c": "d"}


def test_a_line_of_another_kind_is_not_mistaken() -> None:
    reader = primed("a: x\nb: y\n")
    for text in ("a: x\nb: |\n  y: 1\n", "a: 'x'\nb: y\n", "a:\nb: y\n", "a: [x]\nb: y\n", "- a: x\n  b: y\n"):
        for _ in range(3):
            assert identical(confirmed(reader, text).value, parsed(text))


def test_what_was_forgotten_is_not_used() -> None:
    reader = primed("a: 1\nb: 2\n")
    reader.table.forget()
    assert not reader.table.has_skeletons


scalars = st.none() | st.booleans() | st.integers() | st.text(string.ascii_letters + " :#'\"-", max_size=6)
keys = st.sampled_from(["a", "b", "name", "1", "yes", "with blank"])
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=15,
).filter(lambda value: isinstance(value, dict | list) and bool(value))


def with_others(value: Value, others: list[Value]) -> Value:
    """The same with other scalars."""
    if isinstance(value, dict):
        return {key: with_others(member, others) for key, member in value.items()}
    if isinstance(value, list):
        return [with_others(item, others) for item in value]
    return others.pop() if others else value


@given(trees, st.lists(st.lists(scalars, max_size=15), min_size=3, max_size=3))
def test_they_are_read_as_the_parser_reads_them(tree: Value, others: list[list[Value]]) -> None:
    reader = keeping()
    for scalars_of_one in ([], [], *others, [], *others):
        text = block_text(with_others(tree, list(scalars_of_one)))
        read = reader.read(text, DEPTH)
        if read is not None:
            assert reader.knows(read) or reader.confirms(read, text, DEFAULT_LIMITS)
            assert identical(read.value, parsed(text))
            assert read.shape == tuple(line.shape for line in read.lines)


@given(trees, st.lists(st.lists(scalars, max_size=15), min_size=3, max_size=3), st.integers())
def test_edits_of_documents_alike_are_those_of_each(tree: Value, others: list[list[Value]], seed: int) -> None:
    reader = keeping()
    for scalars_of_one in ([], [], *others, [], *others):
        text = block_text(with_others(tree, list(scalars_of_one)))
        if read := reader.read(text, DEFAULT_LIMITS.depth):
            alone = LineReader(c_parser).read(text, DEFAULT_LIMITS.depth)
            assert alone
            assert alone.skeleton is None
            edits = random_edits(read.value, random.Random(seed))  # noqa: S311 - the same for documents alike
            if edits:
                assert edited_by_lines(read, edits) == edited_by_lines(alone, edits)


def test_documents_that_are_edited_are_alike_before_the_parser_has_read_any() -> None:
    reader = LineReader(c_parser)
    found = [reader.read(POD.format(f"web-{number}"), DEPTH) for number in range(12)]
    assert [read is not None and read.skeleton is not None for read in found] == [False] * 8 + [True] * 4


@pytest.mark.parametrize("levels", [80, 110])
def test_the_deepest_documents_are_read_line_by_line(levels: int) -> None:
    text = "".join(f"{' ' * level}a{level}:\n" for level in range(levels)) + " " * levels + "b: {c: [[[[[1]]]]]}\n"
    reader = primed(text)
    read = reader.read(text, DEPTH)
    assert read
    assert (read.skeleton is not None) is (levels == 80)
    assert identical(read.value, parsed(text))
