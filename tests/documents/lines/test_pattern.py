"""What one line says by itself, and which lines are left to the parser."""

import pytest

from sidecarctl.documents.lines.pattern import BLOCK, EMPTY, FLOW, LONGEST, OPEN, SCALAR, said_by
from sidecarctl.documents.reading.events import c_parser
from sidecarctl.facts.values import Value, identical

SAID: dict[str, tuple[str | None, int, Value]] = {
    "name: web": ("name", SCALAR, "web"),
    "- name: web": ("name", SCALAR, "web"),
    "-   name: web   # c": ("name", SCALAR, "web"),
    "- 8080": (None, SCALAR, 8080),
    "- --listen=:9102": (None, SCALAR, "--listen=:9102"),
    "image: registry:5000/a/b:1.2#3": ("image", SCALAR, "registry:5000/a/b:1.2#3"),
    "mode: 0644": ("mode", SCALAR, 420),
    "on: yes": ("true", SCALAR, True),
    "010: 7403e430": ("8", SCALAR, "7403e430"),
    "empty: ''": ("empty", SCALAR, ""),
    "'quoted key': \"#: - {\" # c": ("quoted key", SCALAR, "#: - {"),
    '"a": "tab\\t and \\"quotes\\""': ("a", SCALAR, 'tab\t and "quotes"'),
    "a: 'it''s'": ("a", SCALAR, "it's"),
    "a: ~": ("a", SCALAR, None),
    "a:": ("a", OPEN, None),
    "- # later": (None, OPEN, None),
    "-": (None, OPEN, None),
    "script: |": ("script", BLOCK, "|"),
    "- >- # c": (None, BLOCK, ">-"),
    "args: [a, --b=c:1, {d: 'e # f'}] # c": ("args", FLOW, ["a", "--b=c:1", {"d": "e # f"}]),
    "emptyDir: {}": ("emptyDir", FLOW, {}),
    "cron: [\"*/5 * * * *\", '&!']": ("cron", FLOW, ["*/5 * * * *", "&!"]),
    "f:metadata:": ("f:metadata", OPEN, None),
    'k:{"port":80,"protocol":"TCP"}: {}': ('k:{"port":80,"protocol":"TCP"}', FLOW, {}),
    "- v:\"a[0]\": 'b'": ('v:"a[0]"', SCALAR, "b"),
    "12:30: a": ("12:30", SCALAR, "a"),
    "https://a.b/c?d=e&f: g": ("https://a.b/c?d=e&f", SCALAR, "g"),
    "a:b:": ("a:b", OPEN, None),
    "k:{: a": ("k:{", SCALAR, "a"),
    "- a:b": (None, SCALAR, "a:b"),
    "emoji: \U0001f680 é": ("emoji", SCALAR, "\U0001f680 é"),
}

LEFT = [
    "a: &x b",
    "a: *x",
    "a: !!str 1",
    "a: [&x b]",
    "a: [*x]",
    "a: [!x b]",
    "a: [b",
    "a: 'b",
    'a: "b',
    "a: [b] c",
    "a: [b]: c",
    "a: 'b' c",
    "a: b: c",
    "a: b:",
    "a: - b",
    "a: |2",
    "a: |+",
    "a: % b",
    "a: @b",
    "a: .inf",
    "a:\tb",
    "a: b\tc",
    "a: b\x85c",
    "a: b\u2028c",
    "a: b\ufeffc",
    "a: b\r",
    "a: {b: {c: {d: {e: {f: {g: {h: {i: {j: {k: {l: m}}}}}}}}}}}",
    "a: {b: 1, b: 2}",
    "~: a",
    "a:: b",
    "a:#b: c",
    "a:b",
    "a#b: c",
    "<<: {a: b}",
    "? a",
    ": a",
    "- - a",
    "a",
    "'a'",
    "[a]",
    "{a: b}",
    "---",
    "--- a",
    "...",
    "%YAML 1.2",
    "'a' : b",
    "a: " + "b" * LONGEST,
]


@pytest.mark.parametrize("text", SAID)
def test_what_a_line_says(text: str) -> None:
    said = said_by(text, c_parser)
    assert said
    assert (said.line.key, said.line.kind) == SAID[text][:2]
    assert identical(said.line.value, SAID[text][2])


@pytest.mark.parametrize("text", ["", "# c", "#"])
def test_what_says_nothing(text: str) -> None:
    said = said_by(text, c_parser)
    assert said
    assert said.line.indent == EMPTY


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_to_the_parser(text: str) -> None:
    assert said_by(text, c_parser) is None
