"""The text of a ResourceList as kustomize writes it, cut at its items."""

import re

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern

_ITEMS = lazy_pattern(r"^items:\n(?=- )", re.MULTILINE)
_ITEM = lazy_pattern(r"^- ", re.MULTILINE)
_BEYOND = lazy_pattern(r"^(?!- | |\n)", re.MULTILINE)


class Slices(NamedTuple):
    """The text before the items, the text of each item, and the text after them."""

    head: str
    items: tuple[str, ...]
    tail: str


def slices_of(text: str, count: int) -> Slices | None:
    """The slices of a text with so many items; None if it is laid out in another way.

    Kustomize writes a block list with its dashes in the first column, where an item has nothing else.
    """
    begin = _ITEMS.search(text)
    if begin is None:
        return None
    beyond = _BEYOND.search(text, begin.end())
    end = beyond.start() if beyond else len(text)
    starts = [found.start() for found in _ITEM.finditer(text, begin.end(), end)]
    if len(starts) != count or not text[:end].endswith("\n"):
        return None
    items = tuple(text[at:until] for at, until in zip(starts, [*starts[1:], end], strict=True))
    return Slices(text[: begin.end()], items, text[end:])
