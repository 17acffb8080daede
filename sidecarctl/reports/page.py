"""What a document is laid out for: a terminal, a pipe or a file."""

from typing import NamedTuple


class Page(NamedTuple):
    """How wide a text may be (None for as wide as it needs), what bars are made of, whether every pod is named."""

    width: int | None = None
    bar: str = "█"
    all_pods: bool = False
