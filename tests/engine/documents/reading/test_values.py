"""What documents say: merge keys, aliases, keys, tags; and what is refused, with its place."""

import pytest

from sidecarctl.engine.documents.reading import values
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk, DocumentLimits
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.memory import LARGE
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value, identical

READ: dict[str, tuple[str, Value]] = {
    "nothing": ("", None),
    "comments": ("# c\n\n", None),
    "a marker": ("---\n", None),
    "a lone end": ("...\n", None),
    "a lone end behind comments": ("# c\n... # d\n", None),
    "null": ("~\n", None),
    "a text": ("--- text\n", "text"),
    "a list": ("- 1\n- - b\n", [1, ["b"]]),
    "typed keys": ("1: a\nyes: b\n010: c\n1.5: d\n.inf: e\n12:30: f\n",
                   {"1": "a", "true": "b", "8": "c", "1.5": "d", ".inf": "e", "12:30": "f"}),
    "quoted keys": ("'1': a\n\"yes\": b\n? |-\n  x\n: c\n", {"1": "a", "yes": "b", "x": "c"}),
    "aliases": ("a: &x [1, {b: &y 2}]\nc: *x\nd: *y\n", {"a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": 2}),
    "an anchor redefined": ("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", {"a": 1, "b": 1, "c": 2, "d": 2}),
    "an alias as key": ("a: &x k\n*x : 1\n", {"a": "k", "k": 1}),
    "a merge key": ("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\n", {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}}),
    "a merge key behind an own key wins": ("a: &x {b: 1}\nd:\n  b: 3\n  <<: *x\n", {"a": {"b": 1}, "d": {"b": 1}}),
    "merge keys of a list, the first wins": ("d:\n  <<: [{b: 1}, {b: 2, c: 3}]\n", {"d": {"b": 1, "c": 3}}),
    "two merge keys": ("d:\n  <<: {b: 1}\n  <<: {b: 2}\n", {"d": {"b": 2}}),
    "a quoted merge key is none": ("d:\n  '<<': {b: 1}\n", {"d": {"<<": {"b": 1}}}),
    "a tagged merge key": ("d:\n  !!merge <<: {b: 1}\n", {"d": {"b": 1}}),
    "tags of texts": ("a: !!str 1\nb: !!binary aGk=\nc: !own 1\nd: !!timestamp 2001-01-01\n",
                      {"a": "1", "b": "hi", "c": "1", "d": "2001-01-01"}),
    "tags of others": ("a: !!int '2'\nb: !!float 3\nc: !!bool yes\nd: !!null ''\n",
                       {"a": 2, "b": 3, "c": True, "d": None}),
    "a tagged key": ("!!str 1: a\n", {"1": "a"}),
    "an anchored key": ("&k a: 1\nb: *k\n", {"a": 1, "b": "a"}),
    "tagged collections": ("a: !!map {b: !!seq [1]}\n", {"a": {"b": [1]}}),
    "block scalars": ("a: |\n  x\n   y\n\nb: >-\n  x\n  y\nc: |+\n  x\n\nd: |2\n    x\n",
                      {"a": "x\n y\n", "b": "x y", "c": "x\n\n", "d": "  x\n"}),
    "the last line ended": ("a: |\n  x", {"a": "x\n"}),
    "colons in flow": ("{a:b, c: [http://x, d]}\n", {"a:b": None, "c": ["http://x", "d"]}),
    "JSON in YAML": ('--- {"a":1,"b":[true,null]} # c\n', {"a": 1, "b": [True, None]}),
    "JSON": ('{"a": 1.0, "b": 1e400 }'.replace("1e400", "12345678901234567890"), {"a": 1, "b": 12345678901234567890}),
    "surrogate pairs in JSON": ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
}  # a table, a case a line  # fmt: skip


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ)
def test_read(text: str, value: Value) -> None:
    document, *others = Reader().documents_of(text)
    assert document.value == value
    assert not others


REFUSED: dict[str, tuple[str, Reason, tuple[int, int], str]] = {
    "a key twice": ("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", Reason.DUPLICATE_KEY, (5, 3), "(first defined on line 12)"),
    "a key twice in flow": ("a: {b: 1, b: 2}\n", Reason.DUPLICATE_KEY, (1, 11), "(first defined at column 5)"),
    "a key twice before what makes no sense": ("a: 1\na: 2\n*x : 1\n", Reason.DUPLICATE_KEY, (2, 1), "on line 10"),
    "a key twice, of other styles": ("'a': 1\n\"a\": 2\n", Reason.DUPLICATE_KEY, (2, 1), "on line 10"),
    "a key twice in JSON": ('{"a": 1,\n "a": 2}', Reason.DUPLICATE_KEY, (2, 2), "on line 10"),
    "a key twice beside a merge key": ("b: {<<: {a: 1}, a: 2, a: 3}\n", Reason.DUPLICATE_KEY, (1, 23), "column 17"),
    "an alias of nothing": ("a: *x\n", Reason.SYNTAX, (1, 4), "the anchor &x is not defined"),
    "an alias in its anchor": ("a: &x [*x]\n", Reason.SYNTAX, (1, 8), "inside its own anchor"),
    "a list as key": ("? [a]\n: b\n", Reason.SYNTAX, (1, 3), "must be a string"),
    "an alias of a list as key": ("a: &x [1]\n*x : b\n", Reason.SYNTAX, (2, 1), "must be a string"),
    "null as key": ("a: 1\n~: 2\n", Reason.SYNTAX, (2, 1), "not null"),
    "an alias of null as key": ("a: &x ~\n*x : 2\n", Reason.SYNTAX, (2, 1), "not null"),
    "a merge of a list of texts": ("<<: [a]\n", Reason.SYNTAX, (1, 1), "takes a mapping"),
    "infinity": ("a: .inf\n", Reason.SYNTAX, (1, 4), ".inf is not a number"),
    "a word that is no number": ("a: !!float abc\n", Reason.SYNTAX, (1, 4), "is not a valid value for the tag"),
    "a date that is none": ("a: !!timestamp abc\n", Reason.SYNTAX, (1, 4), "is not a valid value for the tag"),
    "true as float": ("a: !!float true\n", Reason.SYNTAX, (1, 4), "is not a valid value for the tag"),
    "a bracket left open": ("a: [1\nb: 2\n", Reason.SYNTAX, (2, 2), ""),
    "a tab": ("a:\n\tb: 1\n", Reason.SYNTAX, (2, 1), ""),
    "a second document": ("a: 1\n--- \nb: 1\n", Reason.SYNTAX, (2, 1), "a second document"),
    "a template": ("a: 1\n{{ if .x }}\n", Reason.HELM_TEMPLATE, (2, 1), "Helm template"),
    "a template as value": ("a: {{ .x }}\n", Reason.HELM_TEMPLATE, (1, 4), "Helm template"),
    "a template in a flow map": ("a: {b: {{ .x }}}\n", Reason.HELM_TEMPLATE, (1, 8), "Helm template"),
    "a template in a list": ("a: [b, {{ .x }}]\n", Reason.HELM_TEMPLATE, (1, 8), "Helm template"),
    "braces in a string": ("a: 'b: {{ .x }}'\n? [c]\n: d\n", Reason.SYNTAX, (2, 3), "a key must be a string"),
    "a control character": ("a: 1\nb: \x07\n", Reason.SYNTAX, (2, 4), "U+0007"),
    "half a JSON": ('{"a": 1', Reason.SYNTAX, (2, 1), ""),
    "NaN in JSON": ('{"a": NaN, "a": 1}', Reason.DUPLICATE_KEY, (1, 12), "at column 2"),
}  # a table, a case a line  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "place", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, reason: Reason, place: tuple[int, int], said: str) -> None:
    with pytest.raises(InputError) as caught:
        Reader().documents(Chunk(text.encode(), 10))
    (finding,) = caught.value.findings
    assert finding.reason is reason
    assert finding.place
    assert (finding.place.line, finding.place.column) == (place[0] + 9, place[1])
    assert said in finding.message


LIMITED = {
    "mappings": "a: {b: {c: 1}}\n",
    "lists": "[[[1]]]\n",
    "blocks": "a:\n- - x\n",
    "JSON": '{"a": {"b": [1]}}',
    "JSON in YAML": "{a: {b: [1]}}",
    "by a merge key": "<<: {b: [1]}\n",
    "with anchors": "a: &x {b: {c: &y 1}}\n",
}


@pytest.mark.parametrize("text", LIMITED.values(), ids=LIMITED)
def test_the_limit_of_depth(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Reader(DocumentLimits(depth=2)).documents_of(text)
    assert caught.value.findings[0].reason is Reason.TOO_DEEP
    assert Reader(DocumentLimits(depth=3)).documents_of(text)


def test_the_limit_of_aliases() -> None:
    text = "a: &x [1, 2, 3]\nb: [*x, *x]\n"
    with pytest.raises(InputError) as caught:
        Reader(DocumentLimits(aliased=7)).documents_of(text)
    assert caught.value.findings[0].reason is Reason.EXCESSIVE_ALIASING
    assert Reader(DocumentLimits(aliased=8)).documents_of(text)[0].value["b"] == [[1, 2, 3]] * 2


def test_a_text_of_many_events_is_read_and_placed_anyway() -> None:
    text = "".join(f"k{number}: [{number}, {{a: 1}}]\n" for number in range(5000))
    (document,) = Reader().documents_of(text)
    assert document.value["k4999"] == [4999, {"a": 1}]
    assert document.place(("k4999", 1, "a")).line == 5000
    with pytest.raises(InputError, match="duplicate key 'k1'"):
        Reader().documents_of(text + "k1: 1\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused(encoding: str) -> None:
    text = "a: ü\n" if encoding == "utf-16" else "\ufeffa: ü\n"
    with pytest.raises(InputError, match="the file is UTF-16"):
        Reader().documents(Chunk(text.encode(encoding), 1))


def test_bytes_that_are_no_utf_8_have_a_place() -> None:
    with pytest.raises(InputError) as caught:
        Reader().documents(Chunk(b"a: 1\nb: \xc3\xa4\xff\n", 5))
    assert str(caught.value).startswith(":6:5: the byte 0xff is not valid UTF-8")


def test_places_count_marks_and_lines_before() -> None:
    (document,) = Reader().documents(Chunk("---\n\ufeffa:\n  b: [1, 2]\n".encode(), 3))
    assert document.place(("a", "b", 1))[1:] == (5, 10)
    assert document.place(("a", "b", 7))[1:] == (5, 6)
    assert document.place(("a", "nothing", "here"))[1:] == (5, 3)
    assert Reader().documents(Chunk(b"# c\n", 3))[0].place(("a",))[1:] == (3, 1)
    item, two = Reader().documents(Chunk(b'{"a": 1}\n{\n"b": 2}', 3))
    assert (item.place(("a",))[1:], two.place(("b",))[1:]) == ((3, 7), (5, 6))


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ)
def test_what_is_expected_changes_nothing(text: str, value: Value, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "LARGE", 0)
    for expected in [value, *(other for _, other in READ.values())]:
        [document] = Reader(like=expected).documents_of(text)
        assert identical(document.value, value)


@pytest.mark.parametrize("name", [name for name in REFUSED if "JSON" not in name])
def test_what_is_refused_is_never_what_was_expected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, reason, _, said = REFUSED[name]
    monkeypatch.setattr(values, "LARGE", 0)
    with pytest.raises(InputError) as error:
        Reader(like={"a": 1, "b": {"c": 1, "d": 2}}).documents(Chunk(text.encode(), 10))
    assert (error.value.findings[0].reason, said in error.value.findings[0].message) == (reason, True)


@pytest.mark.parametrize("text", ["a: [1000, {b: xyz}]\n&k c: *k\n", "a: [1000, {b: xyz}]\nc: !!str 5000\nd: {}\n"])
def test_a_large_value_is_not_held_twice(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "LARGE", 0)
    [first] = Reader().documents_of(text)
    [again] = Reader(like=first.value).documents_of(text)
    assert again.value is first.value
    [other] = Reader(like={**first.value, "d": 1}).documents_of(text)
    assert other.value == first.value
    assert other.value["a"] is first.value["a"]


@pytest.mark.parametrize("size", [0, LARGE])
def test_all_objects_share_their_keys(size: int) -> None:
    """A long list has the same few keys in each item: texts of their own took a fifth of the memory."""
    [document] = Reader().documents_of("#" * size + "\n- {name: a, image: b}\n- {name: c, image: d}\n")
    first, second = document.value
    assert all(one is other for one, other in zip(first, second, strict=True))
