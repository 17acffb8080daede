"""Lines of a text: where they begin and how they end."""

from sidecarctl.documents.reading.problems import LINE_BREAK
from sidecarctl.facts.patterns import lazy_pattern

_LAST_BREAK = lazy_pattern(f"(?:{LINE_BREAK.pattern})\\Z")
_COMMON_BREAK = lazy_pattern("\r\n|[\n\r]")
_OTHER_BREAK = lazy_pattern("[\r\x85\u2028\u2029]")
_COMMON = ("\n", "\r\n", "\r")
_BREAKS = frozenset("\n\r\x85\u2028\u2029")


def with_last_break(text: str) -> str:
    """The text as a whole number of lines; a line break is added to the last where it has none."""
    return text if not text or text[-1] in _BREAKS else text + some_break(text)


def without_last_break(text: str) -> str:
    """The text without the line break that it ends with."""
    last_break = _LAST_BREAK.search(text, max(len(text) - 2, 0))
    return text[: last_break.start()] if last_break else text


def some_break(text: str) -> str:
    """The line break that a text uses, as its first one shows; none that only old YAML knows."""
    found = _COMMON_BREAK.search(text)
    return found[0] if found else "\n"


def next_line(text: str, at: int) -> int:
    """Where the line after this one begins; the text's end, if this is the last."""
    if _has_line_feeds_only(text):
        return text.find("\n", at) + 1 or len(text)
    found = LINE_BREAK.search(text, at)
    return found.end() if found else len(text)


def line_start(text: str, at: int, after: int = 0) -> int:
    """Where the line of this character begins; `after` is returned where no line does from there on."""
    start = max(text.rfind("\n", after, at) + 1, after)
    if _has_line_feeds_only(text):
        return start
    for line_break in _OTHER_BREAK.finditer(text, start, at):
        start = line_break.end()
    return start


def line_break_before(text: str, at: int) -> str:
    """How the line before ends, where a line begins; as the first line does, if that is a break of old YAML."""
    if _has_line_feeds_only(text):
        return "\n"
    before = _LAST_BREAK.search(text, max(at - 2, 0), at)
    return before[0] if before and before[0] in _COMMON else some_break(text)


def _has_line_feeds_only(text: str) -> bool:
    """Whether no other breaks end lines, as in nearly all texts: they can be found without a pattern."""
    return text.isascii() and "\r" not in text
