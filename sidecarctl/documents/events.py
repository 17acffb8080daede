"""Text to parser events: the C parser of `ruamel.yaml.clib`, or the pure one where that is missing.

Only the classes, values, styles and character offsets of the events are used. The C parser's result counts:
text that the pure parser is known to read differently is refused while it stands in.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, TypeAlias

from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from sidecarctl.documents.limits import Limits
from sidecarctl.documents.problems import problem
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.reasons import Reason

__all__ = [
    "COLLECTION_ENDS",
    "COLLECTION_STARTS",
    "AliasEvent",
    "DocumentStartEvent",
    "Event",
    "MappingEndEvent",
    "MappingStartEvent",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "c_parser",
    "parse",
    "pure_parser",
]

Event: TypeAlias = Any
"""An event of the library: its attributes carry no types there."""

Parser: TypeAlias = Callable[[str], Callable[[], Event]]
"""Given a text, the function that gives its next event, None after the last."""

COLLECTION_STARTS = (MappingStartEvent, SequenceStartEvent)
COLLECTION_ENDS = (MappingEndEvent, SequenceEndEvent)

# Events are taken in chunks, so that neither endless nesting nor endless text is parsed to its end.
_CHUNK = 4096

_READ_DIFFERENTLY = re.compile(
    "[\x85\u2028\u2029]"  # line breaks for the C parser only
    r"|(?m:^|[:,?\[{-]) *\t|\t *(?m:#|$)"  # tabs as separation: an error for the pure parser only
    r"|[{,] *[^\s{}\[\],\"'#]+:[^\s,}\]]"  # {a:b}: an error for the C parser only
    r"|\\u[dD][89a-fA-F]"  # halves of surrogate pairs
)


def c_parser(text: str) -> Callable[[], Event]:
    """Events by libyaml; ImportError where the extension is not installed."""
    from _ruamel_yaml import CParser

    get_event: Callable[[], Event] = CParser(text).get_event
    return get_event


def pure_parser(text: str) -> Callable[[], Event]:
    """Events by ruamel.yaml's own parser, for text that both parsers read alike."""
    from io import StringIO

    from ruamel.yaml import YAML

    if different := _READ_DIFFERENTLY.search(text):
        raise problem(
            Reason.SYNTAX,
            "without ruamel.yaml.clib this text cannot be read as Kubernetes reads it",
            text,
            different.start(),
            hint="install ruamel.yaml.clib",
        )
    events = YAML(typ="safe", pure=True).parse(StringIO(text, newline=""))
    return lambda: next(events, None)


try:
    c_parser("")
    DEFAULT_PARSER: Parser = c_parser
except ImportError:
    DEFAULT_PARSER = pure_parser


def parse(text: str, limits: Limits, parser: Parser = DEFAULT_PARSER) -> list[Event]:
    """All events of a text that holds one document at most.

    Raises InputError with line and column within the text: not YAML, too large, too deep.
    """
    try:
        stream = iter(parser(text), None)
        events = list(islice(stream, _CHUNK))
        if len(events) == _CHUNK:
            _take_the_rest(events, stream, text, limits)
    except MarkedYAMLError as fault:
        raise _syntax_error(fault, text) from None
    except ReaderError as fault:
        raise _character_error(fault, text) from None
    return events


def _take_the_rest(events: list[Event], stream: Any, text: str, limits: Limits) -> None:
    most = limits.size // 8  # denser text than one event in eight bytes is made to fill the memory
    depth, chunk = 0, events
    while chunk:
        for event in chunk:
            if event.__class__ in COLLECTION_STARTS:
                depth += 1
            elif event.__class__ in COLLECTION_ENDS:
                depth -= 1
        if depth > limits.depth + _CHUNK or len(events) > most:
            raise problem(
                Reason.TOO_DEEP if depth > limits.depth else Reason.TOO_LARGE,
                f"nested {depth} levels deep, {len(events)} events",
                text,
                event.start_mark.index,
            )
        chunk = list(islice(stream, _CHUNK))
        events += chunk


def _syntax_error(fault: MarkedYAMLError, text: str) -> InputError:
    mark = fault.problem_mark or fault.context_mark
    words = " ".join(part for part in (fault.context, fault.problem) if part)
    if "{{" in text:
        return problem(
            Reason.HELM_TEMPLATE,
            f"a Helm template is not YAML yet ({words})",
            text,
            mark.index,
            hint="render it first, with `helm template`",
        )
    return problem(Reason.SYNTAX, words, text, mark.index)


def _character_error(fault: ReaderError, text: str) -> InputError:
    character = fault.character if isinstance(fault.character, int) else ord(fault.character)
    at = max(text.find(chr(character)), 0)
    return problem(Reason.SYNTAX, f"the character U+{character:04X} is not allowed in YAML", text, at)
