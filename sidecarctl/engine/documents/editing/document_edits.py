"""Edits of a document's value, made in its text with minimal changes; the result is verified.

Anchors, aliases and merge keys are expanded first if an edit would otherwise change something else. Before anything
is written, all of the edited text is read again and compared with the intended result (docs/internals/proof.md).
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.documents.editing.block_edits import BlockEdits
from sidecarctl.engine.documents.editing.block_style import BlockContext, BlockStyles, CannotSpliceError
from sidecarctl.engine.documents.editing.covered_comments import Child, strays
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.layout import ROOT, Layout
from sidecarctl.engine.documents.reading.text_lines import Splice, Unchanged, place_at, spliced, without_last_break
from sidecarctl.engine.facts.errors import InputError, InternalFaultError, impossible
from sidecarctl.engine.facts.findings import error
from sidecarctl.engine.facts.memory import LARGE, with_room_left
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Changes, Edit, Path, Value, applied, changes_of, identical, value_at
from sidecarctl.engine.facts.values import below as is_below

if TYPE_CHECKING:
    from sidecarctl.engine.documents.editing.flow_edits import FlowEdits  # manifests are seldom written so


class EditedText(NamedTuple):
    """The text after the edits, and the parts of the document that it keeps.

    `rewritten` are the branches that had to be rewritten, `written_out` those where an alias was expanded, `replaced`
    the members and items of the document that are removed or have another value. `is_plain`: only block style was
    edited, in a document without aliases.
    """

    text: str
    kept: list[Unchanged]
    rewritten: tuple[Path, ...] = ()
    written_out: tuple[Path, ...] = ()
    replaced: tuple[Child, ...] = ()
    is_plain: bool = False


def edited_text(document: Document, edits: Sequence[Edit]) -> EditedText:
    """The document's text with the edits made in it.

    Raises ImpossibleError for a shape that cannot be edited without changing something else.
    """
    editor = _Editor(document, edits)
    text, kept = spliced(document.layout.text, editor.splices(edits))
    if len(document.layout.text) > len(document.text):
        text = without_last_break(text)
        kept = [part.before(len(text)) for part in kept]  # where it ends now, an edit may have taken the rest
    is_plain = editor.is_plain and not editor.rewritten
    replaced = tuple(editor.replaced)
    return EditedText(text, kept, tuple(editor.rewritten), tuple(editor.written_out), replaced, is_plain)


class _Editor:
    """The way down the edited branches, each known by the nodes that lead to it from the root, and its path.

    Remembers what aliases elsewhere may depend on.
    """

    def __init__(self, document: Document, edits: Sequence[Edit]) -> None:
        self.layout = document.layout
        self.value = document.value
        self.styles = BlockStyles(self.layout)
        self.cautious = any(edit.action == "remove" for edit in edits)
        self.rewritten: list[Path] = []
        self.written_out: list[Path] = []
        self.changed: dict[int, Path] = {}
        self.gone: dict[int, Path] = {}
        self.replaced: list[Child] = []
        self.is_plain = not self.layout.aliases

    def splices(self, edits: Sequence[Edit]) -> list[Splice]:
        """The splices that make the edits in the whole document."""
        splices = None
        if self.layout.nodes and all(edit.path for edit in edits):
            splices = self.inside((ROOT,), (), edits)
        if splices is None:
            message = "this document cannot be edited in place"
            raise impossible(Reason.CANNOT_EDIT, message, hint="rewrite it in plain block style")
        return splices + self.expansions() if self.layout.aliases else splices

    def expansions(self) -> list[Splice]:
        """The splices that expand aliases that would otherwise change along with their anchors."""
        from sidecarctl.engine.documents.editing.flow_edits import expansions  # few manifests have aliases

        aliases = dangling(self.layout, self.changed, self.gone)
        ways = {**self.gone, **self.changed}
        for anchor in set(aliases.values()):
            around = (node for node in ways if node <= anchor <= self.layout.last(node))
            self.written_out.append(ways[max(around)])
        return expansions(self.layout, aliases)

    def inside(self, nodes: Sequence[int], path: Path, edits: Sequence[Edit]) -> list[Splice] | None:
        """The splices that make the edits in a branch; None if the branch has no text to edit.

        This is the case for an alias, a scalar that becomes a collection, and an empty collection.
        """
        if not self.layout.is_collection(nodes[-1]) or self.is_hollow(nodes[-1]):
            return None
        depth = len(path)
        here: list[Edit] = []
        further: dict[str | int, list[Edit]] = {}
        for edit in edits:
            if len(edit.path) == depth + 1:
                here.append(edit)
            else:
                further.setdefault(edit.path[depth], []).append(edit)
        splices: list[Splice] = []
        is_large = len(self.layout.text) >= LARGE
        for step, inner in with_room_left(further.items()) if is_large else further.items():
            made = self.below(nodes, (*path, step), inner)
            if made is None:
                own = [edit._replace(path=edit.path[depth + 1 :]) for edit in inner]
                here.append(Edit("set", (*path, step), applied(value_at(self.value, (*path, step)), own)))
            else:
                splices += made
        try:
            return splices + self.own(nodes, path, changes_of(here)) if here else splices
        except CannotSpliceError:
            return None

    def is_hollow(self, node: int) -> bool:
        """Whether a collection is empty and has no comments, which would be lost with it."""
        layout = self.layout
        last = layout.last(node)
        return last == node + 1 and "#" not in layout.text[layout.start(node) : layout.start(last)]

    def below(self, nodes: Sequence[int], path: Path, edits: Sequence[Edit]) -> list[Splice] | None:
        """The splices that make the edits of one member or item of a branch; None if it must be set as a whole."""
        node, step = nodes[-1], path[-1]
        self.changed[node] = path[:-1]
        if isinstance(step, str):
            refuse_merged(self.layout, node, step, path)
        child = self.layout.child(node, step)
        if child is None or self.layout.is_alias(child):
            self.written_out.append(path)
            return None
        splices = self.inside((*nodes, child), path, edits)
        if splices is None and self.layout.last(child) > child + 1:
            self.rewritten = [rewritten for rewritten in self.rewritten if not is_below(rewritten, path)]
            self.rewritten.append(path)
        return splices

    def own(self, nodes: Sequence[int], path: Path, changes: Changes) -> list[Splice]:
        """The splices of a collection's own members or items."""
        layout, node = self.layout, nodes[-1]
        self.changed[node] = path
        for step in (*changes.values, *changes.removed):
            if isinstance(step, str) and step in changes.removed and is_merged(layout, node, step):
                raise CannotSpliceError
            if isinstance(step, str):
                refuse_merged(layout, node, step, (*path, step))
            if (child := layout.child(node, step)) is not None:
                self.gone[child] = (*path, step)
                self.replaced.append((node, step))
        edits = self.flow_edits(nodes) if layout.is_flow(node) else self.block_edits(nodes, path)
        return edits.mapping(changes) if layout.is_mapping(node) else edits.sequence(changes)

    def flow_edits(self, nodes: Sequence[int]) -> "FlowEdits":
        from sidecarctl.engine.documents.editing.flow_edits import FlowEdits

        self.is_plain = False
        return FlowEdits(self.layout, nodes[-1], len(nodes))

    def block_edits(self, nodes: Sequence[int], path: Path) -> BlockEdits:
        layout = self.layout
        owner = (nodes[-2], path[-1]) if path else None
        context = BlockContext(layout.text, owner, self.styles.style(nodes), len(nodes), self.cautious)
        return BlockEdits(layout, nodes[-1], context)


def dangling(layout: Layout, changed: Iterable[int], gone: Iterable[int]) -> dict[int, int]:
    """The aliases whose anchor's branch changes, with their anchors.

    `changed` are the nodes that contain edits, `gone` those that are removed or rewritten.
    """
    replaced, moving = bytearray(len(layout.nodes)), set(changed)
    for node in gone:
        last = layout.last(node)
        replaced[node : last + 1] = b"\1" * (last + 1 - node)
    return {
        alias: anchor
        for alias, anchor in layout.aliases.items()
        if not replaced[alias] and (replaced[anchor] or anchor in moving)
    }


def refuse_merged(layout: Layout, mapping: int, key: str, path: Path) -> None:
    """Refuse to change a member that a merge key further down replaces."""
    pairs, members = layout.pairs(mapping), layout.members(mapping)
    if len(members) == len(pairs):  # no merge key, the usual case
        return
    own = next((index for index, pair in enumerate(pairs) if pair.name == key), len(pairs))
    if any(pair.name is None and key in _merged_names(layout, pair.value) for pair in pairs[own:]):
        message = f"{key!r} cannot be edited: a later merge key (<<) overrides it"
        raise impossible(Reason.MERGED_MEMBER, message, path, hint="move the merge key to the top of the mapping")


def is_merged(layout: Layout, mapping: int, key: str) -> bool:
    """Whether a merge key also provides a member, so that it would remain after its own text is removed."""
    return any(pair.name is None and key in _merged_names(layout, pair.value) for pair in layout.pairs(mapping))


def _merged_names(layout: Layout, node: int) -> set[str]:
    node = layout.aliases.get(node, node)
    if layout.is_sequence(node):
        return set().union(*(_merged_names(layout, item) for item in layout.items(node)))
    names: set[str] = set()
    for pair in layout.pairs(node):
        names |= _merged_names(layout, pair.value) if pair.name is None else {pair.name}
    return names


_BLOCK = 1 << 20
"""Characters that are compared at once: a copy is made of them."""

_MOST = 1000
"""Characters of a key that certainly can be read: YAML has them stop, with their quotes, at 1,024."""


def prove(reader: Reader, document: Document, edited: EditedText, intended: Value) -> None:
    """Read the text that will replace the document's; InternalFaultError if anything in it is not as intended.

    Its value must be the intended one. What the edits keep must be the text of the document, character for
    character, with scalars at the same positions and nowhere else. Comments go only with what is removed or replaced.
    """
    scalars = array("I")
    try:
        again_by = reader._replace(scalars=scalars, like=intended, for_edits=False)
        documents = again_by.documents_of(document.prefix + edited.text)
    except InputError as fault:
        if longest := _longest_key(intended):
            message = f"a key of {longest:,} characters is too long for a YAML flow mapping"
            hint = f"use at most {_MOST:,} characters; no name in the Kubernetes API is longer than 317"
            raise impossible(Reason.CANNOT_EDIT, message, hint=hint) from fault
        if document.text.lstrip()[:1] in {"{", "["} and _has_json_comment(edited.text, reader):
            message = "the edit would turn this document into JSON, which does not allow comments"
            raise impossible(Reason.CANNOT_EDIT, message, hint="remove the comments") from fault
        raise _unproven(f"parsing failed: {fault}") from fault
    if len(documents) != 1 or not identical(documents[0].value, intended):
        raise _unproven("it parses to a different object")
    [again] = documents
    is_kept = all(_is_kept(document.layout, again.text, scalars, part) for part in edited.kept)
    if again.prefix != document.prefix or not is_kept:
        raise _unproven("something outside the edit changed")
    _refuse_lost_comment(document, edited)


def refuse_uneditable(
    reader: Reader, document: Document, edited: EditedText, intended: Value, edits: Iterable[Edit]
) -> None:
    """The errors of `prove`, for a text that is not written.

    The text is read again only where that may find something about the document: in flow style, where a key may be
    too long, with aliases, or with values that are too deep. Elsewhere only a fault of the edit would go unnoticed.
    """
    deepest = reader.limits.depth
    if edited.is_plain and all(len(edit.path) + _levels(edit.value) < deepest for edit in edits):
        _refuse_lost_comment(document, edited)
    else:
        prove(reader, document, edited, intended)


def _levels(value: Value) -> int:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_levels, members), default=0)


def _refuse_lost_comment(document: Document, edited: EditedText) -> None:
    if (stray := next(strays(document.layout, edited.kept, edited.replaced), None)) is not None:
        raise _unproven(f"the comment in line {place_at(document.layout.text, stray).line} would be lost")


def _is_kept(layout: Layout, text: str, scalars: "array[int]", part: Unchanged) -> bool:
    """Whether a part that the edits keep has the same characters, and the same scalars in the same places."""
    start, end, moved = part
    by = moved - start
    for at in range(start, end, _BLOCK):
        if not text.startswith(layout.text[at : min(at + _BLOCK, end)], at + by):
            return False
    at = bisect_left(scalars, moved)
    for some in layout.nodes.scalars(start, end, by):
        if scalars[at : at + len(some)] != some:
            return False
        at += len(some)
    return at == bisect_left(scalars, end + by)


def _has_json_comment(text: str, reader: Reader) -> bool:
    from sidecarctl.engine.documents.reading.json_text import json_comment  # only for an error

    return json_comment(text, reader.limits.depth) is not None


def _longest_key(value: Value) -> int:
    """The length of the longest key that is too long for a flow mapping; 0 if there is none."""
    members = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    own = max(map(len, value), default=0) if isinstance(value, dict) else 0
    return max([own if own > _MOST else 0, *map(_longest_key, members)])


def _unproven(why: str) -> InternalFaultError:
    message = f"the edited text failed verification: {why}"
    return InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this with the manifest"))
