"""The text of a ResourceList as kustomize writes it, cut at its items."""

import re
from typing import NamedTuple


class Slices(NamedTuple):
    """What stands before the items, each of them, and what stands behind them."""

    head: str
    items: tuple[str, ...]
    tail: str


def slices_of(text: str, count: int) -> Slices | None:
    """The slices of a text with so many items; None where it is laid out in another way.

    Kustomize writes a block list whose dashes stand in the first column, where nothing else of an item stands.
    """
    begin = re.search(r"^items:\n(?=- )", text, re.MULTILINE)
    if begin is None:
        return None
    beyond = re.compile(r"^(?!- | |\n)", re.MULTILINE).search(text, begin.end())
    end = beyond.start() if beyond else len(text)
    starts = [found.start() for found in re.compile(r"^- ", re.MULTILINE).finditer(text, begin.end(), end)]
    if len(starts) != count or not text[:end].endswith("\n"):
        return None
    items = tuple(text[at:until] for at, until in zip(starts, [*starts[1:], end], strict=True))
    return Slices(text[: begin.end()], items, text[end:])
