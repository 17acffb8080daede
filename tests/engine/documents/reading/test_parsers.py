"""Corners of YAML in which parsers differ: libyaml reads them as Kubernetes does."""

import pytest

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Value

DIFFERENT: dict[str, tuple[str, Value]] = {
    "a tab behind a colon": ("a:\tb\n", {"a": "b"}),
    "a tab before a colon": ('"a"\t: b\n', {"a": "b"}),
    "a tab before a comment": ("a: b\t# c\n", {"a": "b"}),
    "a tab at the end": ("a: b\t\n", {"a": "b"}),
    "a tab in flow": ("a: {\tb: 1,\tc: 2}\n", {"a": {"b": 1, "c": 2}}),
    "U+0085": ("a: b\x85c: d\n", {"a": "b", "c": "d"}),
    "U+2028": ("a: b\u2028c: d\n", {"a": "b", "c": "d"}),
    "U+2029 in a comment": ("a: b # c\u2029d: e\n", {"a": "b", "d": "e"}),
}
ALIKE: dict[str, tuple[str, Value]] = {
    "colons in flow": ("{a:b, c:d}\n", {"a:b": None, "c:d": None}),
    "an address in flow": ("[http://a:80/b]\n", ["http://a:80/b"]),
    "a mark before a later document": ("---\n\ufeffa: 1\n", {"a": 1}),
    "a question mark in a key": ("a?b: 1\n", {"a?b": 1}),
    "escapes": ('a: "\\x41\\u00e4\\U0001F600\\e\\_"\n', {"a": "A\u00e4\U0001f600\x1b\xa0"}),
    "CR": ("a: 1\rb: 2\r", {"a": 1, "b": 2}),
}


@pytest.mark.parametrize(("text", "value"), [*DIFFERENT.values(), *ALIKE.values()], ids=[*DIFFERENT, *ALIKE])
def test_libyaml_reads_as_kubernetes_does(text: str, value: Value) -> None:
    assert Reader().documents_of(text)[0].value == value


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InputError):
        Reader().documents_of('a: "\\ud83d\\ude00"\n')


@pytest.mark.parametrize("text", ["a: [", "a: b: c\n", "a: \x00\n", "a:\n\tb: 1\n", "{{ x }}\n", "{a:b, c: [}\n"])
def test_what_is_no_yaml_is_refused_with_a_place(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Reader().documents_of(text)
    place = caught.value.findings[0].place
    assert place
    assert place.line
