"""Parts of a text replaced, all at once."""

from collections.abc import Iterable

from sidecarctl.documents.reading.text_lines import line_break_before
from sidecarctl.facts.named_tuples import NamedTuple


class Splice(NamedTuple):
    """`text` in place of the characters from `start` to `end`; at one place the deeper value comes first."""

    start: int
    end: int
    text: str
    depth: int


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with all splices made; positions are those of the text as given. Deletions may overlap."""
    parts: list[str] = []
    done = 0
    for start, end, new, _ in sorted(splices, key=_order):
        if start > done:
            parts.append(text[done:start])
        parts.append(new)
        done = max(done, end)
    parts.append(text[done:])
    return "".join(parts)


def _order(splice: Splice) -> tuple[int, bool, int]:
    return splice.start, splice.end > splice.start, -splice.depth


def new_lines(text: str, at: int, lines: list[str], depth: int) -> Splice:
    """Whole lines, put in where a line begins; they end as the line before does."""
    return Splice(at, at, line_break_before(text, at).join([*lines, ""]), depth)
