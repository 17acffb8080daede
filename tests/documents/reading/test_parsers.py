"""Where the C parser and the pure one differ: the C result counts, and without it such text is refused."""

import pytest

from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.events import c_parser, pure_parser
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Value

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


@pytest.mark.parametrize(("text", "value"), DIFFERENT.values(), ids=DIFFERENT)
def test_the_c_result_counts(text: str, value: Value) -> None:
    assert Reader(parser=c_parser).documents_of(text)[0].value == value
    with pytest.raises(InputError, match=r".* without ruamel.yaml.clib \(install ruamel.yaml.clib\)"):
        Reader(parser=pure_parser).documents_of(text)


@pytest.mark.parametrize("parser", [c_parser, pure_parser])
@pytest.mark.parametrize(("text", "value"), ALIKE.values(), ids=ALIKE)
def test_read_alike(text: str, value: Value, parser: object) -> None:
    reader = Reader(parser=c_parser if parser is c_parser else pure_parser)
    assert reader.documents_of(text)[0].value == value


def test_half_a_surrogate_pair_is_refused_by_both() -> None:
    for reader in (Reader(parser=c_parser), Reader(parser=pure_parser)):
        with pytest.raises(InputError):
            reader.documents_of('a: "\\ud83d\\ude00"\n')


@pytest.mark.parametrize("text", ["a: [", "a: b: c\n", "a: \x00\n", "a:\n\tb: 1\n", "{{ x }}\n", "{a:b, c: [}\n"])
def test_both_refuse_what_is_no_yaml_with_a_place(text: str) -> None:
    for reader in (Reader(parser=c_parser), Reader(parser=pure_parser)):
        with pytest.raises(InputError) as caught:
            reader.documents_of(text)
        place = caught.value.findings[0].place
        assert place
        assert place.line
