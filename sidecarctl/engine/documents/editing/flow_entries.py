"""Entries of a flow collection inserted and removed where comments are between them.

An entry owns its comma and the comment to the end of that line. A comment behind the opening bracket belongs to the
collection, one on its own line to the entry below.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.documents.editing.block_style import after_blanks, after_gap
from sidecarctl.engine.documents.reading.text_lines import LINE_BREAK, Splice, line_start
from sidecarctl.engine.facts.start_up import lazy_pattern

_COMMENT = lazy_pattern("#[^\r\n\x85\u2028\u2029]*")


class Entry(NamedTuple):
    """Where a member or an item begins and ends; its comma, if any; and where the comment behind that ends."""

    start: int
    end: int
    comma: int | None
    tail: int


class FlowEntries:
    """The entries of one collection, which begins at `inside`, behind the bracket, and ends at `closing`."""

    def __init__(self, text: str, inside: int, closing: int, spans: Sequence[tuple[int, int]]) -> None:
        self.text = text
        self.inside = inside
        self.closing = closing
        self.spans = spans
        self.head = self._end_of_line(inside)

    def are_commented(self, before: int, after: int) -> bool:
        """Whether comments are between two entries, or between the entries removed there."""
        ends = [
            self.spans[before][1] if before >= 0 else self.inside,
            *(self.spans[k][1] for k in range(before + 1, after)),
        ]
        starts = [self.spans[k][0] if k < len(self.spans) else self.closing for k in range(before + 1, after + 1)]
        return any(self.text.find("#", end, start) >= 0 for end, start in zip(ends, starts, strict=True))

    def removals(self, before: int, after: int) -> Iterator[Splice]:
        """Removes the entries between two that stay, and what they own."""
        for index in range(before + 1, after):
            entry, tail = self._entry(index), self._entry(index - 1).tail if index else self.head
            *_, begin = [tail, *(found.end() for found in _COMMENT.finditer(self.text, tail, entry.start))]
            rest = after_blanks(self.text, entry.tail)
            if LINE_BREAK.match(self.text, rest) or (index and not self._is_behind_comment(index, begin)):
                yield Splice(begin, entry.tail, "", 0)
            else:  # what follows would become part of the comment before
                yield Splice(entry.start, rest, "", 0)

    def insertions(self, before: int, after: int, new: list[str], line_break: str, comma: str) -> Iterator[Splice]:
        """Inserts entries behind one that stays, or first; `comma` goes between two where no comment is."""
        line_break = line_break or self._line_break()
        is_last = after == len(self.spans) and (not self.spans or self._entry(after - 1).comma is None)
        lines = "".join(f"{line_break}{text}," for text in new)
        lines = lines[:-1] if is_last else lines
        if before >= 0:
            entry = self._entry(before)
            if self.text.find("#", entry.end, entry.tail) < 0:
                if entry.comma is None:
                    yield Splice(entry.end, entry.end, "".join(comma + text for text in new), 0)
                else:  # each gets the comma behind it, as what owns it when it is removed again
                    gap, _, blank = comma.partition(",")
                    yield Splice(entry.tail, entry.tail, "".join(f"{blank}{text}{gap}," for text in new), 0)
                yield from self.without_comma(before, after)
                return
            if entry.comma and self.text.find("#", entry.comma, entry.tail) < 0:  # the comment is before the comma
                lines = "".join(f" {text}," for text in new)
            if entry.comma is None:
                yield Splice(entry.end, entry.end, ",", 0)
            yield Splice(entry.tail, entry.tail, lines, 0)
        elif after == 0 < len(self.spans) and self.text.find("#", self.head, self.spans[0][0]) < 0:
            yield Splice(self.spans[0][0], self.spans[0][0], "".join(text + comma for text in new), 0)
        else:
            yield Splice(self.head, self.head, lines, 0)

    def without_comma(self, before: int, after: int) -> Iterator[Splice]:
        """Removes the comma of an entry that is the last now, if the last one had none."""
        entry = self._entry(before) if before >= 0 else None
        if entry is None or entry.comma is None or after < len(self.spans):
            return
        if self._entry(after - 1).comma is not None:
            return
        begin = entry.comma if self.text[entry.end : entry.comma].strip() else entry.end
        yield Splice(begin, entry.comma + 1, "", 0)

    def _entry(self, index: int) -> Entry:
        start, end = self.spans[index]
        behind = after_gap(self.text, end)
        if self.text[behind] == ",":
            return Entry(start, end, behind, self._end_of_line(behind + 1))
        return Entry(start, end, None, self._end_of_line(end))

    def _end_of_line(self, at: int) -> int:
        """The position behind the comment of this line, if nothing else follows."""
        comment = _COMMENT.match(self.text, after_blanks(self.text, at))
        return comment.end() if comment else at

    def _is_behind_comment(self, index: int, at: int) -> bool:
        return self.text.find("#", self.spans[index - 1][1], at) >= 0

    def _line_break(self) -> str:
        """The line break of the first comment here, and the indentation of the first entry or comment below."""
        found = LINE_BREAK.search(self.text, self.inside)
        first = self.spans[0][0] if self.spans else after_blanks(self.text, found.end() if found else self.inside)
        return (found[0] if found else "\n") + " " * (first - line_start(self.text, first))
