"""Documents read by lines: what is accepted, what is not, and what is remembered of it."""

import pytest

from sidecarctl.documents.lines.block_scalars import LONGEST
from sidecarctl.documents.lines.pattern import FLOW_DEPTH
from sidecarctl.documents.lines.read_lines import read_lines
from sidecarctl.documents.lines.table import LineTable
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.events import c_parser, pure_parser
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Value, identical

READ: dict[str, Value] = {
    "---\na: 1\n": {"a": 1},
    "--- # c\n\n# c\na: 1\n   \n  # c\nb:\n": {"a": 1, "b": None},
    "a:\n- b: 1\n  c: 2\n- d\nf: 1\n": {"a": [{"b": 1, "c": 2}, "d"], "f": 1},
    "a:\n    - b:\n        - c\n      d: 1\n    -\n      e: 2\n    -\n": {
        "a": [{"b": ["c"], "d": 1}, {"e": 2}, None]
    },
    "-   a:\n    b: 1\n- a:\n    b: 1\n": [{"a": None, "b": 1}, {"a": {"b": 1}}],
    "a: |\n  b\n\n    c\n\n# c\nd: |-\n  e\n": {"a": "b\n\n  c\n", "d": "e"},
    "a:\n- |\n  b # no comment\n  ---\n- >\n  c\n  d\n\n  e\n": {"a": ["b # no comment\n---\n", "c d\ne\n"]},
    "  a: 1\n  b:\n    c: [d]\n": {"a": 1, "b": {"c": ["d"]}},
}

LEFT = {
    "nothing": "# c\n",
    "a plain scalar of two lines": "a: b\n  c\n",
    "one after a key alone": "a:\n  b\n",
    "one after a blank line": "a: b\n\n  c: d\n",
    "a key that stands twice": "a: 1\nb: 2\na: 3\n",
    "one in a list": "- a: 1\n  a: 2\n",
    "a list in a mapping": "a: 1\n- b\n",
    "a mapping in a list": "- a\nb: 1\n",
    "an indent that fits nothing": "a:\n    b: 1\n  c: 2\n",
    "a dash that fits nothing": "a:\n  - b\n - c\n",
    "a flow collection over lines": "a: [b,\n  c]\n",
    "quotes over lines": "a: 'b\n  c'\n",
    "a literal that begins with a blank line of blanks": "a: |\n   \n  b\n",
    "a literal with a tab first": "a: |\n  \tb\n",
    "a literal with nothing": "a: |\nb: 1\n",
    "a literal with blanks before what follows": "a: |\n    b\n  \nc: 1\n",
    "a literal as deep as its key": "a:\n  b: |\n  c\n",
    "a very long literal": "a: |\n" + "  b\n" * LONGEST,
    "a second document": "a: 1\n---\nb: 1\n",
    "an end": "a: 1\n...\n",
    "a carriage return": "a: 1\r\n",
}


def table() -> LineTable:
    return LineTable(c_parser)


@pytest.mark.parametrize("text", READ)
def test_what_is_read(text: str) -> None:
    read = read_lines(text, table(), DEFAULT_LIMITS.depth)
    assert read
    assert identical(read.value, READ[text])
    assert identical(Reader(parser=c_parser).documents_of(text)[0].value, READ[text])
    assert "\n".join(read.sources) == text
    assert len(read.lines) == len(read.sources)


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_the_parser(name: str) -> None:
    assert read_lines(LEFT[name], table(), DEFAULT_LIMITS.depth) is None


def test_depth_has_the_limit_that_the_parser_has() -> None:
    def nested(levels: int) -> str:
        return "".join(f"{' ' * level}a:\n" for level in range(levels))

    limits = DEFAULT_LIMITS._replace(depth=30)
    for levels in range(1, 60):
        text = nested(levels)
        by_lines = read_lines(text, table(), limits.depth)
        try:
            Reader(limits, lines_after=0).documents_of(text, confirmed=False)
        except InputError:
            assert by_lines is None
            assert levels > limits.depth
        else:
            assert bool(by_lines) is (levels <= limits.depth - FLOW_DEPTH + 1)


def test_the_chosen_parser_reads_what_lines_leave_to_it() -> None:
    tabs = "a: 'b'\t\nc: 1\n"
    assert Reader(parser=c_parser, lines_after=0).documents_of(tabs)[0].value == {"a": "b", "c": 1}
    with pytest.raises(InputError, match=r"ruamel\.yaml\.clib"):
        Reader(parser=pure_parser, lines_after=0).documents_of(tabs)


def test_documents_share_no_value() -> None:
    known = table()
    text = "a: {}\nb: [1, {c: []}]\nd:\n- {}\n"
    first = read_lines(text, known, DEFAULT_LIMITS.depth)
    assert first
    first.value["a"]["new"] = first.value["b"][1]["new"] = 1
    first.value["b"][1]["c"].append(2)
    first.value["d"][0]["new"] = 1
    again = read_lines(text, known, DEFAULT_LIMITS.depth)
    assert again
    assert again.value == {"a": {}, "b": [1, {"c": []}], "d": [{}]}


def test_what_is_remembered_is_bounded() -> None:
    known = LineTable(c_parser, limit=100_000)
    for number in range(2000):
        text = f"a-{number}: {{b: {number}}}\nc: |\n  {'d' * 50}\n  {number}\n"
        read = read_lines(text, known, DEFAULT_LIMITS.depth)
        assert read
        known.learn(read.shape, 1)
        remembered = [*known.lines, *known.blocks, *known.documents, *known.unchecked_lines, *known.unchecked_blocks]
        assert sum(map(len, remembered)) < 100_000
    assert known.generation > 10
    assert len(known.lines) < 200


def test_what_is_not_read_is_not_remembered() -> None:
    known = table()
    for number in range(100):
        assert read_lines(f"a: &b{number} c\n", known, DEFAULT_LIMITS.depth) is None
        assert read_lines("a: " + "b" * 5000 + f"{number}\n", known, DEFAULT_LIMITS.depth) is None
    assert not [text for text in known.lines if text]
