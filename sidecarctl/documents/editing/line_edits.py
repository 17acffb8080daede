"""Edits made by lines, where a document was read so: new members and items, and whole ones taken out.

That is nearly all of what injection does. The text is that which `document_edits` makes by the parser's events;
any other edit is left to it.
"""

import marshal
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from sidecarctl.documents.editing.collection_changes import Changes, changes_of
from sidecarctl.documents.editing.line_styles import LineStyles
from sidecarctl.documents.lines.nodes import Node, Nodes, NoNodeError
from sidecarctl.documents.lines.pattern import CONTENT, EMPTY, OPEN
from sidecarctl.documents.lines.read_lines import ReadLines
from sidecarctl.documents.lines.skeletons import Skeleton
from sidecarctl.documents.writing.yaml_text import BlockStyle, item_lines, mapping_lines, with_quoted_end
from sidecarctl.facts.edits import Edit
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Value


class _Patch(NamedTuple):
    """New lines in place of those from `start` to `end`; at one place the deeper value comes first."""

    start: int
    end: int
    depth: int
    lines: list[str]


def edited_by_lines(read: ReadLines, edits: Sequence[Edit]) -> str | None:
    """The text, with the break of its last line, after the edits; None if one of them is not made by lines."""
    try:
        if read.skeleton is None:
            patches = _LineEditor(read.nodes, edits).patches(edits)
        else:
            patches = _patches_alike(read.skeleton, marshal.dumps([tuple(edit) for edit in edits], 2))
    except NoNodeError:
        return None
    sources: list[str] = []
    done = 0
    for start, end, _, lines in patches:
        sources += read.sources[done:start]
        sources += lines
        done = max(done, start, end)
    return "\n".join(sources + read.sources[done:])


class _LineEditor:
    """What the edits make of the lines; NoNodeError for edits of other kinds.

    Of the lines it asks what their shapes and keys say, not for their values.
    """

    def __init__(self, nodes: Nodes, edits: Iterable[Edit]) -> None:
        self.lines = nodes.lines
        self.nodes = nodes
        self.styles = LineStyles(self.nodes)
        self.cautious = any(edit.action == "remove" for edit in edits)

    def patches(self, edits: Iterable[Edit]) -> list[_Patch]:
        """All of them, in order."""
        by_branch: dict[Path, list[Edit]] = {}
        for edit in edits:
            if not edit.path:
                raise NoNodeError
            by_branch.setdefault(edit.path[:-1], []).append(edit)
        patches = [patch for path, own in by_branch.items() for patch in self._branch(path, changes_of(own))]
        return sorted(patches, key=lambda patch: (patch.start, patch.end > patch.start, -patch.depth))

    def _branch(self, path: Path, changes: Changes) -> list[_Patch]:
        node = self.nodes.at(path)
        return self._sequence(node, path, changes) if node.dashed else self._mapping(node, path, changes)

    def _mapping(self, node: Node, path: Path, changes: Changes) -> list[_Patch]:
        added = {str(key): value for key, value in changes.values.items()}
        keys = [self.lines[at].key for at in node.starts]
        if any(key in keys for key in added):
            raise NoNodeError
        gone = [index for index, key in enumerate(keys) if key in changes.removed]
        patches = self._removals(node, gone, stays=bool(added))
        if added:
            lines = _member_lines(marshal.dumps(added, 2), node.column, self.styles.style(path))
            patches.append(_Patch(node.end, node.end, len(path), self._settled(node.end, lines, added)))
        return patches

    def _sequence(self, node: Node, path: Path, changes: Changes) -> list[_Patch]:
        if changes.values:
            raise NoNodeError
        starts = node.starts
        gone = [step for step in changes.removed if isinstance(step, int)]
        patches = self._removals(node, gone, stays=bool(changes.inserted))
        for index, values in changes.inserted.items():
            sibling = self.lines[starts[min(index, len(starts) - 1)]]
            if sibling.kind == OPEN and sibling.key is None:
                raise NoNodeError  # a dash alone: the indentation of the text is unknown
            width, style = sibling.column - sibling.indent, self.styles.style(path)
            lines = _item_lines(marshal.dumps(values, 2), node.column, width, style)
            at = self.nodes.end(node, index - 1) if index else node.owner + 1
            if not index and node.owner < 0:
                at = node.first
            patches.append(_Patch(at, at, len(path), self._settled(at, lines, values)))
        return patches

    def _removals(self, node: Node, gone: Collection[int], *, stays: bool) -> list[_Patch]:
        if len(gone) == len(node.starts) and not stays:
            raise NoNodeError  # an empty collection is written in its owner's line
        return [self._removal(node, index) for index in gone]

    def _removal(self, node: Node, index: int) -> _Patch:
        start = node.starts[index]
        if self.lines[start].dash is not node.dashed:
            raise NoNodeError  # it follows the dash of its mapping
        above = self.nodes.last(start)
        if above and self.lines[above - 1].indent == CONTENT:
            raise NoNodeError  # comments behind must not become part of a block scalar
        return _Patch(start, self.nodes.end(node, index), 0, [])

    def _settled(self, at: int, lines: list[str], value: Value) -> list[str]:
        """The lines in a form that can precede a blank line or a comment, which a literal block would take in."""
        is_before_text = at < len(self.lines) - 1 and self.lines[at].indent == EMPTY
        return with_quoted_end(lines, value) if self.cautious or is_before_text else lines


# What is put into one pod is put into the next, too: it is written once. Values are identified by their bytes.


@lru_cache(maxsize=256)
def _patches_alike(skeleton: Skeleton, edits: bytes) -> list[_Patch]:
    """What the same edits make of all documents whose lines have the same shapes and keys."""
    made = [Edit(*edit) for edit in marshal.loads(edits)]  # noqa: S302 - written by this module
    return _LineEditor(skeleton.nodes, made).patches(made)


@lru_cache(maxsize=256)
def _member_lines(members: bytes, indent: int, style: BlockStyle) -> list[str]:
    return mapping_lines(marshal.loads(members), indent, style)  # noqa: S302 - written by this module


@lru_cache(maxsize=256)
def _item_lines(items: bytes, indent: int, width: int, style: BlockStyle) -> list[str]:
    values = marshal.loads(items)  # noqa: S302 - written by this module
    return [line for value in values for line in item_lines(value, indent, width, style)]
