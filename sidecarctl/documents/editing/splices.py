"""Parts of a text replaced, all at once."""

from collections.abc import Iterable
from typing import NamedTuple

from sidecarctl.documents.reading.text_lines import line_break_before


class Splice(NamedTuple):
    """`text` in place of the characters from `start` to `end`; at one place the deeper value comes first."""

    start: int
    end: int
    text: str
    depth: int


class Unchanged(NamedTuple):
    """A part of a text that no splice touches, and where it begins in the text with all splices made."""

    start: int
    end: int
    moved: int

    def before(self, size: int) -> "Unchanged":
        """The part of it that lies in the first `size` characters of the new text."""
        return self._replace(end=max(self.start, min(self.end, self.start + size - self.moved)))


def spliced(text: str, splices: Iterable[Splice]) -> tuple[str, list[Unchanged]]:
    """The text with all splices made, and what they keep.

    Positions are those of the text as given. Deletions may overlap.
    """
    parts: list[str] = []
    kept: list[Unchanged] = []
    done = size = 0
    for start, end, new, _ in [*sorted(splices, key=_order), Splice(len(text), len(text), "", 0)]:
        if start > done:
            parts.append(text[done:start])
            kept.append(Unchanged(done, start, size))
            size += start - done
        parts.append(new)
        size += len(new)
        done = max(done, end)
    return "".join(parts), kept


def _order(splice: Splice) -> tuple[int, bool, int]:
    return splice.start, splice.end > splice.start, -splice.depth


def new_lines(text: str, at: int, lines: list[str], depth: int) -> Splice:
    """Whole lines, put in where a line begins; they end as the line before does."""
    return Splice(at, at, line_break_before(text, at).join([*lines, ""]), depth)
