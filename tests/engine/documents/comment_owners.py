"""Whom the comments of a text describe: a model of the rule, by the positions of nodes.

Entries are the members and items of collections, known by the character they begin at.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sidecarctl.engine.documents.editing.block_style import item_begin
from sidecarctl.engine.documents.editing.document_edits import EditedText
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.documents.reading.layout import ROOT, Layout

DOCUMENT = -1
NOBODY = -2
"""The owner of a comment left of what is around it, between the end of one entry and a blank line before another."""
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


class Comment(NamedTuple):
    """A comment: where it begins, and where the entry begins that it describes."""

    at: int
    owner: int


class Entry(NamedTuple):
    """A member or an item: where its key or dash begins, the entry around it (an index), and its collection."""

    at: int
    around: int
    collection: int


class Line(NamedTuple):
    """A line of text: where it begins, where its first character that is no blank is, and where it ends."""

    begin: int
    first: int
    end: int


class Owners:
    """The comments of one document."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.text = layout.text
        self.entries: list[Entry] = []
        self.flows: list[tuple[int, int, int]] = []
        if layout.nodes:
            self._enter(ROOT, DOCUMENT)
        self.entries.sort(key=lambda entry: entry.at)

    def comments(self) -> list[Comment]:
        """All comments, in order."""
        return [Comment(at, self._owner(at)) for at in self._places()]

    # entries

    def _enter(self, node: int, around: int) -> None:
        layout = self.layout
        if not layout.is_collection(node):
            return
        if layout.is_flow(node):
            self.flows.append((layout.start(node), layout.start(layout.last(node)), around))
        if layout.is_mapping(node):
            children = [(self._key(pair.key), pair.value) for pair in layout.pairs(node)]
        else:
            children = [(self._item(node, index), child) for index, child in enumerate(layout.items(node))]
        for at, child in children:
            self.entries.append(Entry(at, around, node))
            self._enter(child, at)

    def _key(self, key: int) -> int:
        at = self.layout.start(key)
        before = re.search(r"\? *\Z", self.text[max(at - 80, 0) : at])
        return at - len(before[0]) if before else at

    def _item(self, sequence: int, index: int) -> int:
        if self.layout.is_flow(sequence):
            return self.layout.start(self.layout.items(sequence)[index])
        return item_begin(self.layout, sequence, index).at

    def _after_gap(self, at: int) -> int:
        while at < len(self.text):
            if self.text[at] == "#":
                at = self._line_at(at).end
            elif self.text[at] in " \t\r\n\x85\u2028\u2029":
                at += 1
            else:
                return at
        return at

    # comments

    def _places(self) -> Iterator[int]:
        at = self.text.find("#")
        while at >= 0:
            inside = self._scalar_around(at)
            if inside is not None:
                at = self.text.find("#", max(inside, at + 1))
                continue
            yield at
            at = self.text.find("#", self._line_at(at).end)

    def _scalar_around(self, at: int) -> int | None:
        """Where the scalar ends that a character is part of; None if it is in no scalar's text."""
        layout = self.layout
        node = bisect_right(layout.nodes.starts, at) - 1
        while node >= 0 and layout.start(node) == layout.end(node) and not layout.is_collection(node):
            node -= 1
        if node < 0 or layout.is_collection(node) or at >= layout.end(node):
            return None
        start = layout.start(node)
        if layout.is_block_scalar(node) and at < self._line_at(start).end and self.text[at - 1] in " \t":
            return None  # behind the header
        if (
            layout.has_properties(node)
            and layout.quote(node) == ""
            and self.text[at - 1] in " \t\r\n"
            and not layout.is_block_scalar(node)
        ):
            return None
        return layout.end(node)

    @cached_property
    def _lines(self) -> list[Line]:
        begins = [0, *(found.end() for found in _BREAK.finditer(self.text))]
        ends = [*(found.start() for found in _BREAK.finditer(self.text)), len(self.text)]
        return [
            Line(begin, begin + len(self.text[begin:end]) - len(self.text[begin:end].lstrip(" \t")), end)
            for begin, end in zip(begins, ends, strict=True)
        ]

    def _number(self, at: int) -> int:
        return bisect_right(self._lines, at, key=lambda line: line.begin) - 1

    def _line_at(self, at: int) -> Line:
        return self._lines[self._number(at)]

    # owners

    def _owner(self, at: int) -> int:
        around = [flow for flow in self.flows if flow[0] < at <= flow[1]]
        is_alone = self._line_at(at).first == at
        if around:
            return self._owner_in_flow(at, max(around), is_alone=is_alone)
        if is_alone:
            return self._owner_in_block(at)
        first = self._line_at(at).first  # `- name: web # c`: of the item, whose value may have been one word before
        return first if first in self._block_entries else self._last_block_entry(at)

    def _owner_in_flow(self, at: int, flow: tuple[int, int, int], *, is_alone: bool) -> int:
        start, closing, owner = flow
        children = [
            entry.at
            for entry in self.entries
            if self.layout.start(entry.collection) == start and self.layout.is_flow(entry.collection)
        ]
        before = [child for child in children if child <= at]
        after = [child for child in children if child > at]
        following = self._after_gap(at)
        if (
            not is_alone
            or self.text[following : following + 1] == ","
            or (before and following < (after or [closing])[0])
        ):
            return before[-1] if before else owner
        return after[0] if after else owner

    @cached_property
    def _block_entries(self) -> set[int]:
        return {entry.at for entry in self.entries if not self.layout.is_flow(entry.collection)}

    def _last_block_entry(self, at: int) -> int:
        return next(
            (
                entry.at
                for entry in reversed(self.entries)
                if entry.at <= at and not self.layout.is_flow(entry.collection)
            ),
            DOCUMENT,
        )

    def _owner_in_block(self, at: int) -> int:
        number = self._number(at)
        first = number
        while first and self._is_gap(self._lines[first - 1]):
            first -= 1
        last = number
        while last + 1 < len(self._lines) and self._is_gap(self._lines[last + 1]):
            last += 1
        following = next((entry for entry in self.entries if entry.at > at), None)
        content = self._lines[last + 1].first if last + 1 < len(self._lines) else len(self.text)
        if following and content < following.at and self._line_at(following.at).begin > content:
            following_at = None
        else:
            following_at = following.at if following else None
        if following_at is None and content < len(self.text) and not self.text.startswith("...", content):
            return content  # between a key and its value
        if following_at is not None and self.text[content:following_at].strip(" -?:") and content < following_at:
            return content
        column = content - self._lines[last + 1].begin if following_at is not None else -1
        own = min(
            (self._indent(line) for line in self._lines[first : number + 1] if self._is_comment(line)), default=0
        )
        chain = self._chain(at)
        if own > column:
            return next((entry for entry in chain if self._column(entry) < own), DOCUMENT)
        if self._is_foot(first, number, last):
            return self._before(content) if own == column else NOBODY
        return content

    def _before(self, content: int) -> int:
        """The entry before one in its collection, or around it."""
        own = next((entry for entry in self.entries if entry.at == content), None)
        if own is None:
            return DOCUMENT
        siblings = [entry.at for entry in self.entries if entry.collection == own.collection and entry.at < content]
        return siblings[-1] if siblings else own.around

    def _is_foot(self, first: int, number: int, last: int) -> bool:
        """Whether a blank line is between a comment and what follows, and none before it."""
        lines = self._lines
        begin = number
        while begin > first and self._is_comment(lines[begin - 1]):
            begin -= 1
        end = number
        while end < last and self._is_comment(lines[end + 1]):
            end += 1
        return begin == first and end < last

    def around_last(self, at: int) -> int:
        """The entry around one that is the last of its collection; the entry itself if others follow."""
        own = next((entry for entry in self.entries if entry.at == at), None)
        if own is None or any(entry.collection == own.collection and entry.at > at for entry in self.entries):
            return at
        return own.around

    def end_above(self, at: int) -> int:
        """The last character of the line above a group of comments; that of the document for the first line."""
        number = self._number(at)
        while number and self._is_comment(self._lines[number - 1]):
            number -= 1
        return self._lines[number].begin - 1

    def ends_a_group(self, at: int) -> bool:
        """Whether a blank line is below a group of comments."""
        number = self._number(at)
        while number + 1 < len(self._lines) and self._is_comment(self._lines[number]):
            number += 1
        return self._lines[number].first == self._lines[number].end

    def _chain(self, at: int) -> list[int]:
        """The block entries that the last one before a position is in, from the inside."""
        around = {entry.at: entry.around for entry in self.entries}
        entry, chain = self._last_block_entry(at), []
        while entry != DOCUMENT:
            chain.append(entry)
            entry = around[entry]
        return chain

    def _column(self, at: int) -> int:
        return at - self._line_at(at).begin

    def _indent(self, line: Line) -> int:
        return 1 << 30 if "\t" in self.text[line.begin : line.first] else line.first - line.begin

    def _is_comment(self, line: Line) -> bool:
        return self.text[line.first : line.first + 1] == "#" and self._scalar_around(line.first) is None

    def _is_gap(self, line: Line) -> bool:
        return (line.first == line.end and self._scalar_around(line.begin) is None) or self._is_comment(line)


def changed_owners(document: Document, edited: EditedText, again: Document) -> list[str]:
    """The comments that an edit keeps, whose owner it keeps too, and that describe something else afterward.

    A comment between a removed line and a blank line is left out: which of the two it stays with is anybody's guess.
    At the end of a collection a comment describes the last entry or the collection: either is right.
    """
    before, now = Owners(document.layout), Owners(again.layout)
    after = {comment.at: comment.owner for comment in now.comments()}
    changed = []
    for at, owner in before.comments():
        moved, owner_moved = _moved(edited, at), _moved(edited, owner)
        if _moved(edited, before.end_above(at)) is None and before.ends_a_group(at):
            continue
        if moved is None or owner_moved is None:
            continue
        if after.get(moved) not in (owner_moved, NOBODY, now.around_last(owner_moved)):
            changed.append(
                f"{document.layout.text[at : at + 40]!r} of {owner}, {owner_moved} afterward, not {after.get(moved)}"
            )
    return changed


def comments_beside(document: Document, edited: EditedText) -> int:
    """The number of comments in the lines where something changes, or next to them."""
    owners = Owners(document.layout)
    touched = {owners._number(at) + by for at in _changed(document, edited) for by in (-1, 0, 1)}
    return sum(owners._number(comment.at) in touched for comment in owners.comments())


def _changed(document: Document, edited: EditedText) -> Iterator[int]:
    """Where, in the text before, something is added, replaced or taken out."""
    end, moved_end = 0, 0
    for start, next_end, moved in [*edited.kept, (len(document.layout.text), 0, len(edited.text))]:
        if (start, moved) != (end, moved_end):
            yield from (end, start)
        end, moved_end = next_end, moved + next_end - start


def _moved(edited: EditedText, at: int) -> int | None:
    if at == DOCUMENT:
        return DOCUMENT
    return next((at - start + moved for start, end, moved in edited.kept if start <= at < end), None)
