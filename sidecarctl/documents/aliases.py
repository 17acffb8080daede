"""Anchors, aliases and merge keys: what must be written out before an edit, so that nothing else changes."""

from collections.abc import Iterable

from sidecarctl.documents.extents import end_of_value
from sidecarctl.documents.layout import MERGE_KEY, ROOT, Layout
from sidecarctl.documents.splices import Splice
from sidecarctl.documents.writing import FlowStyle, flow_text
from sidecarctl.facts.edits import Edit, applied, below
from sidecarctl.facts.errors import impossible
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value


def collapsed(value: Value, edits: Iterable[Edit], path: Path) -> list[Edit]:
    """The edits at and below a path as one, that sets the value there."""
    edits = list(edits)
    inner = [edit._replace(path=edit.path[len(path) :]) for edit in edits if below(edit.path, path)]
    outer = [edit for edit in edits if not below(edit.path, path)]
    return [*outer, Edit("set", path, applied(value_at(value, path), inner))]


def own_edits(layout: Layout, value: Value, edits: list[Edit]) -> list[Edit]:
    """The edits, with those that go through an alias or a merged member as one that writes the branch out."""
    for edit in edits:
        path = _borrowed(layout, value, edit)
        if path is not None:
            return own_edits(layout, value, collapsed(value, edits, path))
    return edits


def _borrowed(layout: Layout, value: Value, edit: Edit) -> Path | None:
    """How far the edit's path leads when it comes to what the text has no own place for."""
    node = ROOT
    for index, step in enumerate(edit.path):
        if layout.is_alias(node):
            return edit.path[:index]
        child = layout.child(node, step)
        if child is None:
            return _merged_member(value, edit, index)
        if isinstance(step, str) and layout.is_mapping(node):
            _refuse_hidden(layout, node, step, edit.path[: index + 1])
        node = child
    return None


def _merged_member(value: Value, edit: Edit, index: int) -> Path | None:
    path = edit.path[: index + 1]
    if value_at(value, path) is None or edit == Edit("set", path, edit.value):
        return None
    if edit.action == "remove" and path == edit.path:
        raise impossible(Reason.MERGED_MEMBER, "what came by a merge key cannot be taken out", path)
    return path


def _refuse_hidden(layout: Layout, mapping: int, key: str, path: Path) -> None:
    """Refuse to edit a member that a later merge key puts another in the place of."""
    pairs = layout.pairs(mapping)
    own = max(index for index, pair in enumerate(pairs) if layout.key(pair) == key)
    for pair in pairs[own + 1 :]:
        if layout.key(pair) == MERGE_KEY and key in _merged_keys(layout, pair.value):
            message = f"a merge key further down replaces {key!r}, so it cannot be edited"
            raise impossible(Reason.MERGED_MEMBER, message, path, hint="put the merge key first")


def _merged_keys(layout: Layout, node: int) -> set[str]:
    node = layout.aliases.get(node, node)
    if layout.is_sequence(node):
        return set().union(*(_merged_keys(layout, item) for item in layout.items(node)))
    keys: set[str] = set()
    for pair in layout.pairs(node):
        keys |= _merged_keys(layout, pair.value) if layout.key(pair) == MERGE_KEY else {layout.key(pair)}
    return keys


def expansions(layout: Layout, value: Value, edits: list[Edit]) -> list[Splice]:
    """What puts the value in the place of each alias whose anchor's branch the edits change."""
    changed: set[int] = set()
    gone: set[int] = set()
    for edit in edits:
        nodes = layout.trace(edit.path)
        changed.update(nodes)
        if edit.action != "insert" and len(nodes) > len(edit.path):
            gone.update(range(nodes[-1], layout.ends.get(nodes[-1], nodes[-1]) + 1))
    return [
        _expansion(layout, value, alias, anchor)
        for alias, anchor in layout.aliases.items()
        if (anchor in changed or anchor in gone) and alias not in gone
    ]


def _expansion(layout: Layout, value: Value, alias: int, anchor: int) -> Splice:
    path = layout.path_to(anchor)
    if MERGE_KEY in path:
        message = "an anchor behind a merge key cannot be edited while aliases of it stand elsewhere"
        raise impossible(Reason.MERGED_MEMBER, message, path)
    start, end = layout.events[alias].start_mark.index, end_of_value(layout, alias)
    return Splice(start, end, flow_text(value_at(value, path), FlowStyle()), len(path))
