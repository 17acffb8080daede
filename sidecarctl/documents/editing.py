"""Edits of a document's value, made in its text: only what must change changes."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.documents.aliases import collapsed, expansions, own_edits
from sidecarctl.documents.block_edits import BlockEdits, block_style, open_end
from sidecarctl.documents.document import Document
from sidecarctl.documents.extents import CannotSpliceError
from sidecarctl.documents.flow_edits import FlowEdits
from sidecarctl.documents.layout import Layout
from sidecarctl.documents.splices import Splice, spliced
from sidecarctl.facts.edits import Edit
from sidecarctl.facts.errors import impossible
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value


class EditedText(NamedTuple):
    """The text after the edits, and the branches that had to be written anew."""

    text: str
    rewritten: tuple[Path, ...]


def edited_text(document: Document, edits: Sequence[Edit]) -> EditedText:
    """The document's text with the edits made in it.

    Raises ImpossibleError for a shape that cannot be edited without changing what need not change.
    """
    layout, value = document.layout, document.value
    own = own_edits(layout, value, list(edits)) if layout.aliases else list(edits)
    edits, splices, rewritten = _with_splices(layout, value, own)
    if layout.aliases:
        splices += expansions(layout, value, edits)
    return EditedText(spliced(document.text, splices), rewritten)


def _with_splices(
    layout: Layout, value: Value, edits: list[Edit]
) -> tuple[list[Edit], list[Splice], tuple[Path, ...]]:
    """The edits as they can be made, their splices, and the branches that had to be written anew for it."""
    try:
        return edits, _Editor(layout, value, edits).splices(), ()
    except _WriteAnewError as caught:
        obstacle = caught
    if not obstacle.path:
        message = "the document has a shape that cannot be edited"
        raise impossible(Reason.CANNOT_EDIT, message, hint="write it in plain block style")
    edits, splices, rewritten = _with_splices(layout, value, collapsed(value, edits, obstacle.path))
    return edits, splices, (obstacle.path, *rewritten) if obstacle.loses_comments else rewritten


class _WriteAnewError(Exception):
    """The branch at a path has to be set as a whole."""

    def __init__(self, path: Path, *, loses_comments: bool) -> None:
        super().__init__(path)
        self.path = path
        self.loses_comments = loses_comments


class _Editor:
    def __init__(self, layout: Layout, value: Value, edits: list[Edit]) -> None:
        self.layout = layout
        self.value = value
        self.edits = edits
        self.removed: dict[Path, set[str | int]] = {}
        self.added: set[Path] = set()
        for edit in edits:
            if edit.action == "remove":
                self.removed.setdefault(edit.path[:-1], set()).add(edit.path[-1])
            elif edit.action == "insert" or self.layout.find(edit.path) is None:
                self.added.add(edit.path[:-1])

    def splices(self) -> list[Splice]:
        splices: list[Splice] = []
        for edit in self.edits:
            try:
                splices += self.edit(edit)
            except CannotSpliceError:
                raise _WriteAnewError(edit.path[:-1], loses_comments=True) from None
        if any(splice.start == len(self.layout.text) for splice in splices):
            splices += open_end(self.layout)
        return splices

    def edit(self, edit: Edit) -> list[Splice]:
        """The splices of one edit, by the style of the collection that it changes."""
        layout = self.layout
        path = edit.path[:-1]
        nodes = layout.trace(path)
        node = nodes[-1]
        if len(nodes) <= len(path) or node not in layout.ends:
            raise _WriteAnewError(path[: len(nodes) - 1], loses_comments=False)
        size = len(layout.pairs(node) if layout.is_mapping(node) else layout.items(node))
        emptied = size == len(self.removed.get(path, ())) and (path not in self.added or layout.is_flow(node))
        if not size or emptied:
            raise _WriteAnewError(path, loses_comments=False)
        if layout.is_flow(node):
            return self.in_flow(edit, node)
        return self.in_block(edit, nodes)

    def in_block(self, edit: Edit, nodes: list[int]) -> list[Splice]:
        node, step = nodes[-1], edit.path[-1]
        block = BlockEdits(self.layout, node, block_style(self.layout, nodes), len(nodes))
        if isinstance(step, str):
            member = self.layout.members(node).get(step)
            if member is None:
                return block.add_member(step, edit.value)
            return block.set_member(member, edit.value) if edit.action == "set" else block.remove_member(member)
        if edit.action == "insert":
            return block.insert_item(step, edit.value, self.key_of(edit.path[:-1], nodes))
        return block.set_item(step, edit.value) if edit.action == "set" else block.remove_item(step)

    def in_flow(self, edit: Edit, node: int) -> list[Splice]:
        step = edit.path[-1]
        flow = FlowEdits(self.layout, node, len(edit.path))
        removed = self.removed.get(edit.path[:-1], set())
        if isinstance(step, str):
            member = self.layout.members(node).get(step)
            if member is None:
                return flow.add_member(step, edit.value)
            if edit.action == "set":
                return flow.set_member(member, edit.value)
            keys = [self.layout.key(pair) for pair in self.layout.pairs(node)]
            return flow.remove_member(member, {keys.index(str(key)) for key in removed})
        if edit.action == "insert":
            return flow.insert_item(step, edit.value)
        if edit.action == "set":
            return flow.set_item(step, edit.value)
        return flow.remove_item(step, {index for index in removed if isinstance(index, int)})

    def key_of(self, path: Path, nodes: list[int]) -> int | None:
        """The event of the key that a collection belongs to."""
        if not path or not isinstance(path[-1], str):
            return None
        return self.layout.members(nodes[-2])[path[-1]].key
