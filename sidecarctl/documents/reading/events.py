"""Text to parser events: by the C parser of `ruamel.yaml.clib`, or the pure one where that is missing.

Only the classes, values, styles and character offsets of the events are used. The C parser's result counts:
text that the pure parser is known to read differently is refused while it stands in.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

from sidecarctl.documents.reading.libyaml import library_left_out
from sidecarctl.documents.reading.problems import problem
from sidecarctl.documents.reading.quick_events import make_quickly
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason

with library_left_out():
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.events import (
        AliasEvent,
        DocumentEndEvent,
        DocumentStartEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
        StreamStartEvent,
    )

    try:
        from _ruamel_yaml import CParser
    except ImportError:
        CParser = None

make_quickly(ScalarEvent, MappingStartEvent, SequenceStartEvent)

__all__ = [
    "COLLECTION_ENDS",
    "COLLECTION_STARTS",
    "DEFAULT_PARSER",
    "AliasEvent",
    "DocumentEndEvent",
    "DocumentStartEvent",
    "Event",
    "MappingEndEvent",
    "MappingStartEvent",
    "Parser",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamStartEvent",
    "c_parser",
    "event_count",
    "from_events",
    "pure_parser",
    "template_or_syntax",
]

Event: TypeAlias = Any
"""An event of the library: its attributes carry no types there."""

Parser: TypeAlias = Callable[[str], Iterator[Event]]
"""Given a text, its events; the library's own errors come while they are taken."""

COLLECTION_STARTS = (MappingStartEvent, SequenceStartEvent)
COLLECTION_ENDS = (MappingEndEvent, SequenceEndEvent)

_Result = TypeVar("_Result")

# The patterns that are no more than texts here are for what is seldom found: `re` makes them when they are used.
_READ_DIFFERENTLY = (
    "[\x85\u2028\u2029]"  # line breaks for the C parser only
    r"|(?m:^|[:,?\[{-]) *\t|\t[ \t]*(?m:[#:]|$)"  # tabs as separation: an error for the pure parser only
    r"|\\u[dD][89a-fA-F]"  # halves of surrogate pairs
)
# `{a:b}`, `[http://a]` and `[a :b]`, and `"\\'"`, which the C parser refuses and Kubernetes takes.
_REFUSED = ("found unexpected ':'", "found unknown escape character")
# Where that is to be expected; what is found too much, or missed, costs time alone.
# The colon alone follows the repetition, so that only colons are tried on the way back.
_COLON_IN_FLOW = lazy_pattern(r"[\[{][^\n\]}]{1,201}:(?<=[^\s,\[\]{}\"'?:]:)(?=[^\s,\[\]{}\"'])")
# Colons that belong to a plain scalar, if one holds them; what is quoted or a comment may be found as well.
# The colon comes first in the pattern, which makes searching for it seven times faster; then what few colons have.
_COLONS = r":(?=\S)(?<=[^\s,\[\]{}\"'?:]:):*(?=\S)"
# The same after blanks, if a word of a plain scalar is before these, which is not a quote, an alias or an indicator.
_COLONS_AFTER_BLANKS = r":(?=\S)(?<=[ \t]:):*(?=\S)"
_PLAIN_WORD = (
    r"(?<![^\s,\[\]{}])[^\s,\[\]{}\"'?:&*!#-](?:[^\s,\[\]{}]*[^\s,\[\]{}\"':])?"
    r"(?:[ \t]+:[^\s,\[\]{}]*[^\s,\[\]{}:])*[ \t]+\Z"
)
_LONGEST_WORD = 200
# An escaped apostrophe: its backslash follows an even number of others.
_APOSTROPHE = r"(?<!\\)((?:\\\\)*)\\'"
# Anchors and tags with colons, of which the C parser takes no stand-ins.
_COLON_IN_NAME = r"[&!][^\s,\[\]{}:]*:\S"
_STAND_IN, _BACKSLASH = "\uf8f8", "\uf8f9"
_STAND_IN_WRITTEN = r"(?i:[\uf8f8\uf8f9]|\\u(?:0000)?f8f[89])"  # as itself, or as an escape between quotes
# A line that is nothing but a placeholder, or a value that begins with one.
_TEMPLATE = r"""(?m)^[ \t]*(?:- +)*(?:(?:[\w./-]+|"[^"\n]+"|'[^'\n]+'):[ \t]+)?\{\{"""


def c_parser(text: str) -> Iterator[Event]:
    """Events by libyaml; TypeError if the extension is not installed."""
    return iter(CParser(text).get_event, None)


def pure_parser(text: str) -> Iterator[Event]:
    """Events by ruamel.yaml's own parser, for text that both parsers read alike; InputError for other text."""
    if different := re.search(_READ_DIFFERENTLY, text):
        raise problem(
            Reason.SYNTAX,
            "this text cannot be read as Kubernetes does without ruamel.yaml.clib",
            text,
            different.start(),
            hint="install ruamel.yaml.clib",
        )
    return _pure_events(text)


def _pure_events(text: str) -> Iterator[Event]:
    from io import StringIO

    from ruamel.yaml import YAML

    events: Iterator[Event] = YAML(typ="safe", pure=True).parse(StringIO(text, newline=""))
    return events


DEFAULT_PARSER: Parser = pure_parser if CParser is None else c_parser


def from_events(text: str, parser: Parser, make: Callable[[Iterator[Event]], _Result]) -> _Result:
    """What `make` makes of a text's events; where the text is not YAML, InputError with line and column."""
    likely = _has_colon_in_flow(text)
    if likely and (made := _with_stand_ins(text, parser, make)):
        return made[0]
    try:
        return make(parser(text))
    except MarkedYAMLError as fault:
        error = _syntax_error(fault, text)
        if likely or fault.problem not in _REFUSED:
            raise error from None
    except YAMLError as fault:
        raise _character_error(fault, text) from None
    if made := _with_stand_ins(text, parser, make):
        return made[0]
    raise error


def event_count(text: str) -> int:
    """How many events `from_events` takes from the C parser, without making objects of them; -1 where it refuses."""
    if _has_colon_in_flow(text):
        return _raw_count(_stood_in(text))
    count = _raw_count(text)
    return count if count >= 0 else _raw_count(_stood_in(text))


def _raw_count(text: str) -> int:
    try:
        return int(CParser(text).raw_parse())
    except YAMLError:
        return -1


def _has_colon_in_flow(text: str) -> bool:
    """Whether a colon that the C parser refuses is to be expected."""
    for bracket in "[{":  # one character is found many times faster than a pattern is
        at = text.find(bracket)
        while at >= 0:
            if _COLON_IN_FLOW.match(text, at):
                return True
            at = text.find(bracket, at + 1)
    return False


def _with_stand_ins(text: str, parser: Parser, make: Callable[[Iterator[Event]], _Result]) -> tuple[_Result] | None:
    """What `make` makes of a text that the C parser refuses for what Kubernetes takes; None if that is no reason.

    The C parser is given other characters, which are then put back: that is a hundred times faster than the pure
    parser, which is left for anchors and tags with colons.
    """
    has_names = "&" in text or "!" in text
    may_hold_stand_ins = "\\" in text or _STAND_IN in text or _BACKSLASH in text
    holds_stand_ins = may_hold_stand_ins and re.search(_STAND_IN_WRITTEN, text)
    needs_pure = holds_stand_ins or (has_names and re.search(_COLON_IN_NAME, text))
    if needs_pure and re.search(_READ_DIFFERENTLY, text):
        return None
    try:
        return (make(_pure_events(text) if needs_pure else _events_by_stand_ins(text, parser)),)
    except YAMLError:
        return None


def _events_by_stand_ins(text: str, parser: Parser) -> Iterator[Event]:
    for event in parser(_stood_in(text)):
        if type(event) is ScalarEvent:
            value = event.value
            if _STAND_IN in value:
                value = value.replace(_STAND_IN, ":")
            if _BACKSLASH in value:
                value = (
                    value.replace(f"{_BACKSLASH}'", "'") if event.style == '"' else value.replace(_BACKSLASH, "\\")
                )
            event.value = value
        yield event


def _stood_in(text: str) -> str:
    """The text, as long as before, without the colons and backslashes that the C parser refuses."""
    stood_in = re.sub(_COLONS, _of_same_length, text)
    stood_in = re.sub(_COLONS_AFTER_BLANKS, _after_a_word, stood_in)
    return re.sub(_APOSTROPHE, rf"\1{_BACKSLASH}'", stood_in) if "\\'" in text else stood_in


def _of_same_length(colons: re.Match[str]) -> str:
    return _STAND_IN * len(colons[0])


def _after_a_word(colons: re.Match[str]) -> str:
    before = colons.string[max(0, colons.start() - _LONGEST_WORD) : colons.start()]
    return _of_same_length(colons) if re.search(_PLAIN_WORD, before) else colons[0]


def _syntax_error(fault: MarkedYAMLError, text: str) -> InputError:
    index = (fault.problem_mark or fault.context_mark).index
    words = " ".join(part for part in (fault.context, fault.problem) if part)
    if text[index : index + 1] == "\t":
        return problem(Reason.SYNTAX, words, text, index, hint="indent with spaces, not tabs")
    return template_or_syntax(words, text, index)


def template_or_syntax(words: str, text: str, index: int, *, hint: str = "") -> InputError:
    """The error for a text that is not YAML, perhaps because it becomes so only when Helm renders it."""
    template = re.search(_TEMPLATE, text)
    if not template:
        return problem(Reason.SYNTAX, words, text, index, hint=hint)
    message = f"this looks like a Helm template, not YAML ({words})"
    hint = "render it with `helm template` first"
    return problem(Reason.HELM_TEMPLATE, message, text, template.end() - 2, hint=hint)


def _character_error(fault: Any, text: str) -> InputError:
    character = fault.character if isinstance(fault.character, int) else ord(fault.character)
    at = max(text.find(chr(character)), 0)
    return problem(Reason.SYNTAX, f"the character U+{character:04X} is not allowed in YAML", text, at)
