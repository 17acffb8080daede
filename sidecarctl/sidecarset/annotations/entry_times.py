"""Hash annotations without the times of their entries: those of pods that were injected one after another are alike.

Only times as Kruise writes them, at the beginning of an entry, are taken out. A reader keeps such a time as it is and
decides nothing by it, so a text can be read without its times, and they be put back afterwards.
"""

from collections.abc import Mapping

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern

_ENTRY = ':{{"updateTimestamp":"{}"'
"""How an entry begins. No JSON string has this text inside, because its quotes would be escaped."""

_TIME = lazy_pattern(
    r':\{"updateTimestamp":"(20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])'
    r'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)"'
)
"""The days that every month has, so that each match is a time."""

_STAND_IN = "2000-01-01T00:00:"
_STAND_INS = [f"{_STAND_IN}{second:02}Z" for second in range(60)]
_ENTRIES = [_ENTRY.format(time) for time in _STAND_INS]


class Timeless(NamedTuple):
    """A text in which other times stand for its own: `times` are its own, by those."""

    text: str
    times: Mapping[str, str]


def likened(text: str) -> str:
    """The text with the same time in each place: annotations that differ only in times become equal."""
    return _TIME.sub(_ENTRIES[0], text)


def without_times(text: str) -> Timeless:
    """The text without its times; as it is, if it has none, or if they could be mistaken for others."""
    parts = _TIME.split(text)
    number = len(parts) // 2
    if not 0 < number <= len(_STAND_INS) or _STAND_IN in text:
        return Timeless(text, {})
    times = dict(zip(_STAND_INS, parts[1::2], strict=False))
    parts[1::2] = _ENTRIES[:number]
    return Timeless("".join(parts), times)
