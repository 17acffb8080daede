"""Lists of very many objects, read item by item."""

import json
import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.lists import list_items
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import DocumentLimits, NotAListError
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Value, identical

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def cut(text: str, size: int) -> Iterator[bytes]:
    data = text.encode()
    for start in range(0, len(data), size):
        yield data[start : start + size]


def read(text: str, size: int = 7, limit: int = 1000) -> list[Value]:
    return [item.document.value for item in list_items(cut(text, size), DocumentLimits(limit))]


def whole(text: str) -> list[Value]:
    """The items of a list that is read as a whole, as smaller ones are."""
    [document] = Reader().documents_of(text)
    items: list[Value] = document.value["items"]
    return items


@given(st.lists(VALUES, max_size=5), st.integers(1, 50), st.sampled_from([None, 2]), st.booleans())
def test_items_are_what_a_reader_of_the_whole_finds(
    items: list[Value],
    size: int,
    indent: int | None,
    escaped: bool,  # noqa: FBT001 - drawn
) -> None:
    text = json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=indent, ensure_ascii=escaped)
    assert identical(read(text, size, len(text)), whole(text))


@given(
    st.lists(VALUES, max_size=5),
    st.integers(1, 50),
    st.sampled_from([None, 0, 2]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_places_are_those_in_the_whole(
    values: list[Value],
    size: int,
    indent: int | None,
    line_break: str,
    managed: bool,  # noqa: FBT001 - drawn
) -> None:
    fields = [{"time": "2026", "fieldsV1": {"f:spec": {}}}] if managed else []
    items = [{"metadata": {"managedFields": fields, "name": "p"}, "spec": value} for value in values]
    text = json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=indent).replace("\n", line_break)
    [document] = Reader().documents_of(text)
    for item in list_items(cut(text, size), DocumentLimits()):
        for path in ((), ("metadata", "name"), ("spec",), ("spec", 0), ("spec", "a")):
            within = ("items", item.place, *path)
            assert item.document.place(within) == document.place(within)


@pytest.mark.parametrize("depth", [4, 5, 6])
def test_an_item_is_as_deep_as_in_the_whole(depth: int) -> None:
    text = '{"items": [[{"a": [1]}]], "kind": "List"}'
    limits = DocumentLimits(depth=depth)
    try:
        is_read = bool(list(list_items([text.encode()], limits)))
    except NotAListError:
        is_read = False
    try:
        assert bool(Reader(limits).documents_of(text)) == is_read == (depth >= 5)
    except InputError:
        assert not is_read


def test_places_and_what_stands_before_the_items() -> None:
    text = '{"kind": "PodList", "apiVersion": "v1", "items": [{}, {}]}'
    assert [(item.place, item.around) for item in list_items([text.encode()], DocumentLimits(99))] == [
        (0, {"kind": "PodList", "apiVersion": "v1"}),
        (1, {"kind": "PodList", "apiVersion": "v1"}),
    ]


def test_several_lists_and_a_byte_order_mark() -> None:
    assert read('\ufeff{"kind":"List","items":[1]}\n{"items":[2,3],"kind":"List"} ') == [1, 2, 3]


def test_a_number_that_continues_in_the_next_block() -> None:
    assert read('{"kind":"List","items":[12345678901]}', 1) == [12345678901]


def test_no_items() -> None:
    assert read('{"kind":"List","items":[]}') == []
    assert read("  ") == []


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        '{"kind": "Pod"}',
        '{"items": [1]}',
        '{"kind": "List", "items": {}}',
        '{"kind": "List", "items": [1',
        '{"kind": "List", "items": [1 2]}',
        '{"kind": "List", "items": [NaN]}',
        '{"kind": "List", 5: 1}',
        '{"kind" "List"}',
        "{}",
        '{"kind": "List", "items": [' + "[" * 100_000,
    ],
)
def test_what_is_not_a_list(text: str) -> None:
    with pytest.raises(NotAListError):
        read(text, 1 << 16, 1 << 22)


@pytest.mark.parametrize(
    ("item", "refused"),
    [
        ('{"a": 1, "b": {}, "a": 2}', "duplicate key 'a'"),
        ('"\\ud800"', "half of a surrogate pair"),
        ("1e999", "1e999 is not a number that Kubernetes accepts"),
        ("-Infinity", "-Infinity is not JSON"),
    ],
)
def test_what_kubernetes_refuses(item: str, refused: str) -> None:
    with pytest.raises(NotAListError, match=refused):
        read(f'{{"kind": "List", "items": [{item}]}}', 1 << 16)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(NotAListError):
        list(list_items([b'{"kind": "List', b'\xff"'], DocumentLimits(99)))


def test_an_item_that_is_too_large() -> None:
    text = '{"kind":"List","items":["' + "x" * (6 << 20) + '"]}'
    with pytest.raises(NotAListError, match="too large"):
        read(text, 1 << 20, 10)


MANAGED = [{"manager": "kubelet", "fieldsV1": {'k:{"name":"]"}': {".": {}, "f:a": [[]]}}}]


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4])
@pytest.mark.parametrize("size", [7, 40, 10_000])
def test_managed_fields_are_left_out_where_indentation_shows_their_end(indent: int | None, size: int) -> None:
    pods: list[Value] = [
        {"metadata": {"managedFields": MANAGED * count, "name": "a"}, "spec": [[1], []]} for count in range(3)
    ]
    text = json.dumps({"items": pods, "kind": "List"}, indent=indent)
    found = read(text, size, 100_000)
    for pod, given_pod in zip(found, pods, strict=True):
        assert pod["metadata"].pop("managedFields") in ([], given_pod["metadata"].pop("managedFields"))
    assert found == pods


def test_managed_fields_with_a_list_of_their_own_are_read() -> None:
    text = '{"kind": "List",\n "items": [{\n  "managedFields": [\n   {"a": [\n  ]\n   }\n  ]\n }]}'
    assert read(text, 1000) == [{"managedFields": [{"a": []}]}]


def test_what_follows_managed_fields_is_never_taken_for_a_part_of_them() -> None:
    text = """{"kind": "List",
    "items": [{
        "managedFields": [
            {}], "labels": {"a": "b"}, "finalizers": [
        ]
    }]}"""
    assert read(text, 1000) == [{"managedFields": [{}], "labels": {"a": "b"}, "finalizers": []}]


TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"{}\[\],:]+|[{}\[\],:]')
FIELDS = st.dictionaries(st.sampled_from(["a", "managedFields", 'x "managedFields', "]", "["]), VALUES, max_size=2)


BLANKS = [" ", "", "\n", "\n        ", "\n            "]
BEGINNINGS = [' "managedFields": [\n        ', '\n        "managedFields": [\n', '"managedFields":[']
PODS = st.lists(st.fixed_dictionaries({"managedFields": st.lists(FIELDS, max_size=2), "b": FIELDS}), max_size=4)


@given(PODS, st.randoms(use_true_random=False))
def test_managed_fields_are_emptied_or_as_they_are_however_the_text_is_laid_out(
    items: list[Value], random: Random
) -> None:
    text = "".join(
        random.choice(BLANKS) + token for token in TOKEN.findall(json.dumps({"kind": "List", "items": items}))
    )
    text = re.sub(r'\s*(?<!\\)"managedFields"\s*:\s*\[\s*', lambda _: random.choice(BEGINNINGS), text)
    found = read(text, 10_000, 100_000)
    assert list(map(_without_managed, found)) == list(map(_without_managed, whole(text)))


def _without_managed(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _without_managed(member) for key, member in value.items() if key != "managedFields"}
    return [_without_managed(item) for item in value] if isinstance(value, list) else value
