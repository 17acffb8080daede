"""Text to parser events: those of libyaml, wrapped by `ruamel.yaml.clib`.

The pure parser of `ruamel.yaml` reads
the few texts that libyaml refuses and Kubernetes accepts, where both are known to agree.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from sidecarctl.engine.documents.reading.libyaml import Event, as_tuple, c_parser, some_events
from sidecarctl.engine.documents.reading.text_lines import error_at
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.memory import LARGE, with_room_left
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern

CParser = c_parser()
from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: E402 - the module that the parser has imported

_Result = TypeVar("_Result")

# What the pure parser reads differently.
_READ_DIFFERENTLY = lazy_pattern(
    "[\x85\u2028\u2029]"  # line breaks for libyaml only
    r"|(?m:^|[:,?\[{-]) *\t|\t[ \t]*(?m:[#:]|$)"  # tabs as separation: an error for the pure parser only
    r"|\\u[dD][89a-fA-F]"  # halves of surrogate pairs
)
# `{a:b}`, `[http://a]` and `[a :b]`, and `"\\'"`, which libyaml refuses and Kubernetes accepts.
_REFUSED = ("found unexpected ':'", "found unknown escape character")
# Where that is to be expected, outside quotes; finding too much, or too little, only costs time.
_COLON_IN_FLOW = lazy_pattern(
    r"""[\[{](?:[^\n\]}"']|"[^"\n]*+"|'[^'\n]*+'){1,200}?(?<=[^\s,\[\]{}"'?:]):(?=[^\s,\[\]{}"'])"""
)
# Colons that belong to a plain scalar, if one holds them; what is quoted or a comment may be found as well.
# The colon comes first in the pattern, which makes searching for it seven times faster; then what few colons have.
_COLONS = lazy_pattern(r":(?=\S)(?<=[^\s,\[\]{}\"'?:]:):*(?=\S)")
# The same after blanks, if a word of a plain scalar is before these, which is not a quote, an alias or an indicator.
_COLONS_AFTER_BLANKS = lazy_pattern(r":(?=\S)(?<=[ \t]:):*(?=\S)")
_PLAIN_WORD = lazy_pattern(
    r"(?<![^\s,\[\]{}])[^\s,\[\]{}\"'?:&*!#-](?:[^\s,\[\]{}]*[^\s,\[\]{}\"':])?"
    r"(?:[ \t]+:[^\s,\[\]{}]*[^\s,\[\]{}:])*[ \t]+\Z"
)
_LONGEST_WORD = 200
# An escaped apostrophe: its backslash follows an even number of others.
_APOSTROPHE = lazy_pattern(r"(?<!\\)((?:\\\\)*)\\'")
# Anchors and tags with colons, where libyaml takes no stand-ins.
_COLON_IN_NAME = lazy_pattern(r"[&!][^\s,\[\]{}:]*:\S")
_STAND_IN, _BACKSLASH = "\uf8f8", "\uf8f9"
# As itself, or as an escape between quotes.
_STAND_IN_WRITTEN = lazy_pattern(r"(?i:[\uf8f8\uf8f9]|\\u(?:0000)?f8f[89])")
_STAND_INS = lazy_pattern(f"[{_STAND_IN}{_BACKSLASH}]")
# A line that is nothing but a placeholder, or a value that begins with one.
_TEMPLATE = lazy_pattern(
    r"""(?m)^(?:[ \t]*(?:- +)*(?:(?:[\w./-]+|"[^"\n]+"|'[^'\n]+'):[ \t]+)?|[^'"#\n]*[{\[,:][ \t]*)\{\{"""
)
"""Braces where a value or a member of a map or list begins."""
_BLOCK = 4096
"""Events that are looked at together."""


def from_events(text: str, make: Callable[[Iterator[Event]], _Result]) -> _Result:
    """The result of `make` over a text's events; InputError, with line and column, if it is not YAML."""
    likely = _has_colon_in_flow(text)
    try:
        if likely and (made := _with_stand_ins(text, make, allows_pure=False)):
            return made[0]
    except YAMLError:
        pass  # perhaps a stand-in was wrong: libyaml is asked about the text itself
    try:
        return make(_events(text))
    except MarkedYAMLError as fault:
        error = _syntax_error(fault, text)
        if fault.problem not in _REFUSED:
            raise error from None
    except YAMLError as fault:
        raise _character_error(fault, text) from None
    try:
        made = _with_stand_ins(text, make, allows_pure=True)
    except MarkedYAMLError as fault:
        raise _syntax_error(fault, text) from None  # what is wrong besides the colons
    except YAMLError as fault:
        raise _character_error(fault, text) from None
    if made:
        return made[0]
    raise error


def event_count(text: str) -> int:
    """How many events `from_events` takes, without making objects of them; -1 where libyaml refuses the text."""
    if _has_colon_in_flow(text):
        return _raw_count(_stood_in(text))
    count = _raw_count(text)
    return count if count >= 0 else _raw_count(_stood_in(text))


def _raw_count(text: str) -> int:
    try:
        return int(CParser(text).raw_parse())
    except YAMLError:
        return -1


def _events(text: str) -> Iterator[Event]:
    """The events of libyaml; its errors come while they are taken."""
    return chain.from_iterable(_blocks(text))


def _blocks(text: str) -> Iterator[list[Event]]:
    blocks = _blocks_of(CParser(text))
    return blocks if len(text) < LARGE else with_room_left(blocks, between=1)


def _blocks_of(parser: Any) -> Iterator[list[Event]]:
    block = some_events(parser, _BLOCK)
    while len(block) == _BLOCK:
        yield block
        block = some_events(parser, _BLOCK)
    if block:
        yield block


def in_blocks(events: Iterator[Event]) -> Iterator[list[Event]]:
    """The events, many at a time."""
    return iter(lambda: list(islice(events, _BLOCK)), [])


def _pure_events(text: str) -> Iterator[Event]:
    """The events of the pure parser."""
    from io import StringIO

    from ruamel.yaml import YAML

    return map(as_tuple, YAML(typ="safe", pure=True).parse(StringIO(text, newline="")))


def _has_colon_in_flow(text: str) -> bool:
    """Whether a colon that libyaml refuses is to be expected."""
    for bracket in "[{":  # one character is found many times faster than a pattern is
        at = text.find(bracket)
        while at >= 0:
            if _COLON_IN_FLOW.match(text, at):
                return True
            at = text.find(bracket, at + 1)
    return False


def _with_stand_ins(
    text: str, make: Callable[[Iterator[Event]], _Result], *, allows_pure: bool
) -> tuple[_Result] | None:
    """The result of `make` over a text that only libyaml refuses; None if it cannot be read this way either.

    Libyaml is given other characters, which are then put back: that is a hundred times faster than the pure
    parser, which is left for anchors and tags with colons. That one places empty values differently, so it is used
    only where `allows_pure` says that libyaml rejected the text itself.
    """
    has_names = "&" in text or "!" in text
    may_hold_stand_ins = "\\" in text or _STAND_IN in text or _BACKSLASH in text
    holds_stand_ins = may_hold_stand_ins and _STAND_IN_WRITTEN.search(text)
    needs_pure = holds_stand_ins or (has_names and _COLON_IN_NAME.search(text))
    if needs_pure and (not allows_pure or _READ_DIFFERENTLY.search(text)):
        return None
    return (make(_pure_events(text) if needs_pure else _events_by_stand_ins(text)),)


def _events_by_stand_ins(text: str) -> Iterator[Event]:
    stood_in = _stood_in(text)
    places = [found.start() for found in _STAND_INS.finditer(stood_in)]
    return chain.from_iterable(_put_back(block, places) for block in _blocks(stood_in))


def _put_back(block: list[Event], places: list[int]) -> list[Event]:
    """The events with the text's own characters in the scalars that cover the places of stand-ins."""
    first = bisect_left(places, _start(block[0]))
    for place in places[first : bisect_right(places, _end(block[-1]))]:
        at = bisect_right(block, place, key=_start) - 1
        kind, value, anchor, tag, start, end = block[at]
        if value is not None:
            value = value.replace(_STAND_IN, ":")
            value = value.replace(f"{_BACKSLASH}'", "'") if kind == '"' else value.replace(_BACKSLASH, "\\")
            block[at] = kind, value, anchor, tag, start, end
    return block


def _start(event: Event) -> int:
    return event[4]


def _end(event: Event) -> int:
    return event[5]


def _stood_in(text: str) -> str:
    """The text, as long as before, without the colons and backslashes that libyaml refuses."""
    stood_in = _COLONS.sub(_of_same_length, text)
    stood_in = _COLONS_AFTER_BLANKS.sub(_after_a_word, stood_in)
    return _APOSTROPHE.sub(rf"\1{_BACKSLASH}'", stood_in) if "\\'" in text else stood_in


def _of_same_length(colons: re.Match[str]) -> str:
    return _STAND_IN * len(colons[0])


def _after_a_word(colons: re.Match[str]) -> str:
    before = colons.string[max(0, colons.start() - _LONGEST_WORD) : colons.start()]
    return _of_same_length(colons) if _PLAIN_WORD.search(before) else colons[0]


def _syntax_error(fault: MarkedYAMLError, text: str) -> InputError:
    index = (fault.problem_mark or fault.context_mark).index
    words = " ".join(part for part in (fault.context, fault.problem) if part)
    if text[index : index + 1] == "\t":
        return error_at(Reason.SYNTAX, words, text, index, hint="indent with spaces, not tabs")
    return template_or_syntax(words, text, index)


_LEFT_OUT = lazy_pattern(r"^[ \t]*(?:- )?(\.{3,}|…)[ \t]*(?:#.*)?$", re.MULTILINE)
"""A line that an example in a manual has in place of others."""


def may_be_template(text: str) -> bool:
    """Whether `template_or_syntax` takes the text for a template, if it is not YAML."""
    return _TEMPLATE.search(text) is not None


def template_or_syntax(words: str, text: str, index: int, *, hint: str = "") -> InputError:
    """The error for a text that is not YAML, perhaps because it becomes so only when Helm renders it."""
    template = _TEMPLATE.search(text)
    if not template:
        line_end = text.find("\n", index)
        if dots := [*_LEFT_OUT.finditer(text, 0, len(text) if line_end < 0 else line_end)]:
            message = "`...` stands for lines that were left out"
            return error_at(Reason.SYNTAX, message, text, dots[-1].start(1), hint="write them, or delete it")
        return error_at(Reason.SYNTAX, words, text, index, hint=hint)
    message = f"this looks like a Helm template, not YAML ({words})"
    hint = "render it with `helm template` first"
    return error_at(Reason.HELM_TEMPLATE, message, text, template.end() - 2, hint=hint)


def _character_error(fault: Any, text: str) -> InputError:
    character = fault.character if isinstance(fault.character, int) else ord(fault.character)
    at = max(text.find(chr(character)), 0)
    return error_at(Reason.SYNTAX, f"the character U+{character:04X} is not allowed in YAML", text, at)
