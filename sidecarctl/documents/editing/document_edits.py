"""Edits of a document's value, made in its text: only what must change changes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidecarctl.documents.editing.aliases import dangling, expansions, is_merged, refuse_merged
from sidecarctl.documents.editing.block_edits import BlockEdits
from sidecarctl.documents.editing.block_extents import CannotSpliceError
from sidecarctl.documents.editing.block_styles import BlockContext, BlockStyles
from sidecarctl.documents.editing.collection_changes import Changes, changes_of
from sidecarctl.documents.editing.splices import Splice, spliced
from sidecarctl.documents.reading.document import Document
from sidecarctl.documents.reading.layout import ROOT, Layout
from sidecarctl.documents.reading.text_lines import without_last_break
from sidecarctl.facts.edits import Edit, applied
from sidecarctl.facts.edits import below as is_below
from sidecarctl.facts.errors import impossible
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value

if TYPE_CHECKING:
    from sidecarctl.documents.editing.flow_edits import FlowEdits  # manifests are seldom written so


class EditedText(NamedTuple):
    """The text after the edits; the branches that had to be rewritten, and those where an alias was expanded."""

    text: str
    rewritten: tuple[Path, ...]
    written_out: tuple[Path, ...] = ()


def edited_text(document: Document, edits: Sequence[Edit]) -> EditedText:
    """The document's text with the edits made in it.

    Raises ImpossibleError for a shape that cannot be edited without changing what need not change.
    """
    if document.lines is not None:
        from sidecarctl.documents.editing.line_edits import edited_by_lines

        text = edited_by_lines(document.lines, edits)
        if text is not None:
            return EditedText(text if document.text.endswith("\n") else text.removesuffix("\n"), ())
    editor = _Editor(document.layout, edits)
    text = spliced(document.layout.text, editor.splices(document.value, edits))
    if len(document.layout.text) > len(document.text):
        text = without_last_break(text)
    return EditedText(text, tuple(editor.rewritten), tuple(editor.written_out))


class _Branch(NamedTuple):
    """A collection on the way down: the nodes that lead to it, its path and its value."""

    nodes: tuple[int, ...]
    path: Path
    value: Value


class _Editor:
    """The way down the edited branches; remembers what aliases elsewhere may depend on."""

    def __init__(self, layout: Layout, edits: Sequence[Edit]) -> None:
        self.layout = layout
        self.styles = BlockStyles(layout)
        self.cautious = any(edit.action == "remove" for edit in edits)
        self.rewritten: list[Path] = []
        self.written_out: list[Path] = []
        self.changed: dict[int, Path] = {}
        self.gone: dict[int, Path] = {}

    def splices(self, value: Value, edits: Sequence[Edit]) -> list[Splice]:
        """What makes the edits in the whole document."""
        splices = None
        if len(self.layout.events) > ROOT and all(edit.path for edit in edits):
            splices = self.inside(_Branch((ROOT,), (), value), edits)
        if splices is None:
            message = "this document cannot be edited in place"
            raise impossible(Reason.CANNOT_EDIT, message, hint="rewrite it in plain block style")
        return splices + self.expansions() if self.layout.aliases else splices

    def expansions(self) -> list[Splice]:
        """What writes aliases out that would change along with their anchors."""
        aliases = dangling(self.layout, self.changed, self.gone)
        ways = {**self.gone, **self.changed}
        for anchor in set(aliases.values()):
            around = (node for node in ways if node <= anchor <= self.layout.last(node))
            self.written_out.append(ways[max(around)])
        return expansions(self.layout, aliases)

    def inside(self, branch: _Branch, edits: Sequence[Edit]) -> list[Splice] | None:
        """What makes the edits in a branch; None if the text has no own place for them.

        So it is for an alias, for a scalar that becomes a collection, for an empty collection.
        """
        node = branch.nodes[-1]
        if not self.layout.is_collection(node) or self.is_hollow(node):
            return None
        depth = len(branch.path)
        here: list[Edit] = []
        further: dict[str | int, list[Edit]] = {}
        for edit in edits:
            if len(edit.path) == depth + 1:
                here.append(edit)
            else:
                further.setdefault(edit.path[depth], []).append(edit)
        splices: list[Splice] = []
        for step, inner in further.items():
            made = self.below(branch, step, inner)
            if made is None:
                own = [edit._replace(path=edit.path[depth + 1 :]) for edit in inner]
                here.append(Edit("set", (*branch.path, step), applied(branch.value[step], own)))
            else:
                splices += made
        try:
            return splices + self.own(branch, changes_of(here)) if here else splices
        except CannotSpliceError:
            return None

    def is_hollow(self, node: int) -> bool:
        """Whether a collection is empty, also of comments, which would be lost with it."""
        layout = self.layout
        last = layout.last(node)
        return last == node + 1 and "#" not in layout.text[layout.start(node) : layout.start(last)]

    def below(self, branch: _Branch, step: str | int, edits: Sequence[Edit]) -> list[Splice] | None:
        """What makes the edits of one member or item; None if that must be set as a whole."""
        node = branch.nodes[-1]
        path = (*branch.path, step)
        self.changed[node] = branch.path
        if isinstance(step, str):
            refuse_merged(self.layout, node, step, path)
        child = self.layout.child(node, step)
        if child is None or self.layout.is_alias(child):
            self.written_out.append(path)
            return None
        splices = self.inside(_Branch((*branch.nodes, child), path, branch.value[step]), edits)
        if splices is None and self.layout.last(child) > child + 1:
            self.rewritten = [rewritten for rewritten in self.rewritten if not is_below(rewritten, path)]
            self.rewritten.append(path)
        return splices

    def own(self, branch: _Branch, changes: Changes) -> list[Splice]:
        """The splices of a collection's own members or items."""
        layout, node = self.layout, branch.nodes[-1]
        self.changed[node] = branch.path
        for step in (*changes.values, *changes.removed):
            if isinstance(step, str) and step in changes.removed and is_merged(layout, node, step):
                raise CannotSpliceError
            if isinstance(step, str):
                refuse_merged(layout, node, step, (*branch.path, step))
            if (child := layout.child(node, step)) is not None:
                self.gone[child] = (*branch.path, step)
        edits = self.flow_edits(branch) if layout.is_flow(node) else self.block_edits(branch)
        return edits.mapping(changes) if layout.is_mapping(node) else edits.sequence(changes)

    def flow_edits(self, branch: _Branch) -> "FlowEdits":
        from sidecarctl.documents.editing.flow_edits import FlowEdits

        return FlowEdits(self.layout, branch.nodes[-1], len(branch.nodes))

    def block_edits(self, branch: _Branch) -> BlockEdits:
        layout, nodes = self.layout, branch.nodes
        owner = (nodes[-2], branch.path[-1]) if branch.path else None
        context = BlockContext(layout.text, owner, self.styles.style(nodes), len(nodes), self.cautious)
        return BlockEdits(layout, nodes[-1], context)
