"""Colons inside plain scalars of flow style, which the C parser refuses and Kubernetes takes."""

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.events import _pure_events, event_count, from_events
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS
from sidecarctl.engine.documents.reading.values import read_value
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Value
from tests.effort import reaches_half


def _read(text: str) -> Value:
    [document] = Reader().documents_of(text)
    assert document.layout.text[: len(text)] == text
    return document.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: [--listen=:9102, b]  # http://c\n", {"a": ["--listen=:9102", "b"]}),
        ("a: {b:c}\n", {"a": {"b:c": None}}),
        ("a: {b:}\n", {"a": {"b:": None}}),
        ("a: [x::y, ':', \"z:z\"]\nb: c:d\n", {"a": ["x::y", ":", "z:z"], "b": "c:d"}),
        ('{"a":1, b: c:d}\n', {"a": 1, "b": "c:d"}),
        ("a: [http://b]\nc: |\n  d:e\n", {"a": ["http://b"], "c": "d:e\n"}),
        ("a: &b [http://b]\nc: *b\n", {"a": ["http://b"], "c": ["http://b"]}),
        ("a: &b [http://b]\t# a tab\nc: *b\n", {"a": ["http://b"], "c": ["http://b"]}),
        ("a: !!seq [!!str http://b, !x c:d]\t# a tab\n", {"a": ["http://b", "c:d"]}),
        ("a: !<tag:yaml.org,2002:seq> [http://b]\n", {"a": ["http://b"]}),
        ("a: [http://b, \uf8f8]\n", {"a": ["http://b", "\uf8f8"]}),
        ('a: [http://b, "\\uf8f8", "\\U0000F8F8"]\n', {"a": ["http://b", "\uf8f8", "\uf8f8"]}),
        ("a: [a :b, c :d :e]\n", {"a": ["a :b", "c :d :e"]}),
        ("a: {a :b, 'c' :d}\n", {"a": {"a :b": None, "c": "d"}}),
        ('a: [x#y :z, a\t:"b"]\n', {"a": ["x#y :z", 'a\t:"b"']}),
        ("x: &x 1\na: {b: [c :d], *x :e}\n", {"x": 1, "a": {"b": ["c :d"], "1": "e"}}),
        ("a: [a :,b]\n", {"a": ["a :", "b"]}),
        ("a:\t[http://h]\nb:\tc\n", {"a": ["http://h"], "b": "c"}),
        ('a:\t{c:"x"}\n', {"a": {'c:"x"': None}}),
    ],
)
def test_they_are_text(text: str, value: Value) -> None:
    assert _read(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('a: "\\\'"\n', {"a": "'"}),
        ('{"a": "x\\\'y", b: \'c\\\'}\n', {"a": "x'y", "b": "c\\"}),
        ("a: \"\\'\" # \"\\'\"\nb: d\\'e\nc: |\n  \\'\n", {"a": "'", "b": "d\\'e", "c": "\\'\n"}),
        ("a: \"\\\\'\\'\\\\\\'\"\n", {"a": "\\''\\'"}),
        ('a: ["\\\'", http://h]\n', {"a": ["'", "http://h"]}),
    ],
)
def test_an_apostrophe_may_be_escaped_as_in_kubernetes(text: str, value: Value) -> None:
    assert _read(text) == value


@pytest.mark.parametrize(
    "text",
    [
        'a: "\\q"\n',
        'a: "\\\' \\q"\n',
        "a: [- :b]\n",
        "a: {a: ::b}\n",
        "a: [ # c d\n  :b, :c]\n",
        'a: {b:c}\nd: !<tag:yaml.org,2002:str> "\\ud800"\n',
    ],
)
def test_what_kubernetes_refuses_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Reader().documents_of(text)


def test_what_is_no_yaml_stays_none() -> None:
    with pytest.raises(InputError, match=r":1:10: .*did not find expected node content"):  # not the colon
        Reader().documents_of("a: [b:c, }\n")


@pytest.mark.parametrize("text", ['a: {not:"b" c}\n', "a: [http://b]\n", "a: {b: c}\n", "a: [a :b]\n"])
def test_events_are_counted_as_they_are_read(text: str) -> None:
    assert event_count(text) == len(from_events(text, list))


@reaches_half
@given(
    st.lists(
        st.text("ab:=/ 1-", max_size=5).map("a{}".format) | st.text("ab:=/ 1-", min_size=1), min_size=1, max_size=3
    )
)
def test_both_parsers_read_the_same(items: list[str]) -> None:
    text = f"a: [{', '.join(items)}]\n"
    try:
        expected = read_value(text, _pure_events(text), DEFAULT_LIMITS)
    except (InputError, YAMLError):
        reject()
    try:
        found = _read(text)
    except InputError:
        reject()  # some colons at the beginning of a scalar are refused, as before
    assert found == expected
