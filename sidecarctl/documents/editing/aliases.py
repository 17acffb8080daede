"""Anchors, aliases and merge keys: what must be written out before an edit, so that nothing else changes."""

from collections.abc import Iterable, Mapping

from sidecarctl.documents.editing.block_extents import end_of_value
from sidecarctl.documents.editing.splices import Splice
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.reading.values import anchored_values
from sidecarctl.documents.writing.yaml_text import FlowStyle, flow_text
from sidecarctl.facts.errors import impossible
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason


def dangling(layout: Layout, changed: Iterable[int], gone: Iterable[int]) -> dict[int, int]:
    """The aliases whose anchor's branch changes, with their anchors.

    `changed` are the nodes that edits lie in, `gone` those that are taken out or written anew.
    """
    replaced = {event for node in gone for event in range(node, layout.last(node) + 1)}
    moving = replaced.union(changed)
    return {alias: anchor for alias, anchor in layout.aliases.items() if alias not in replaced and anchor in moving}


def expansions(layout: Layout, aliases: Mapping[int, int]) -> list[Splice]:
    """What puts in the place of each alias what its anchor stands for."""
    if not aliases:
        return []
    anchors = [
        node
        for node, event in enumerate(layout.events)
        if getattr(event, "anchor", None) and not layout.is_alias(node)
    ]
    values = dict(zip(anchors, anchored_values(layout.text, layout.events), strict=True))
    return [
        Splice(layout.start(alias), end_of_value(layout, alias), flow_text(values[anchor], FlowStyle()), 0)
        for alias, anchor in aliases.items()
    ]


def refuse_merged(layout: Layout, mapping: int, key: str, path: Path) -> None:
    """Refuse to change a member that a merge key further down replaces."""
    pairs, members = layout.pairs(mapping), layout.members(mapping)
    if len(members) == len(pairs):  # no merge key, as hardly ever
        return
    own = next((index for index, pair in enumerate(pairs) if pair.name == key), len(pairs))
    if any(pair.name is None and key in _merged_names(layout, pair.value) for pair in pairs[own:]):
        message = f"{key!r} cannot be edited: a later merge key (<<) overrides it"
        raise impossible(Reason.MERGED_MEMBER, message, path, hint="move the merge key to the top of the mapping")


def is_merged(layout: Layout, mapping: int, key: str) -> bool:
    """Whether a merge key brings in a member: it would be there still when the own one is taken out."""
    return any(pair.name is None and key in _merged_names(layout, pair.value) for pair in layout.pairs(mapping))


def _merged_names(layout: Layout, node: int) -> set[str]:
    node = layout.aliases.get(node, node)
    if layout.is_sequence(node):
        return set().union(*(_merged_names(layout, item) for item in layout.items(node)))
    names: set[str] = set()
    for pair in layout.pairs(node):
        names |= _merged_names(layout, pair.value) if pair.name is None else {pair.name}
    return names
