"""A table of pods that the page's script searches: all rows as data, though few of them are drawn."""

from collections.abc import Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.reports.layout.lines import shown

_MOST_SEARCHED = 100_000


class PodRow(NamedTuple):
    """A pod: its state, the revision that it has, whether it is ready, why it is so; the name of its colour."""

    pod: str
    state: str
    revision: str
    ready: str
    why: str
    colour: str


def pod_table_data(rows: Sequence[PodRow], drawn: int) -> Object:
    """The rows as data, each text once; `drawn`: how many rows the script may show at once.

    Only the first hundred thousand rows are searched; the number of the others is part of the data.
    """
    texts: dict[str, int] = {}
    data = [
        [shown(row.pod), *(texts.setdefault(shown(cell), len(texts)) for cell in row[1:])]
        for row in rows[:_MOST_SEARCHED]
    ]
    return {"drawn": drawn, "more": max(len(rows) - _MOST_SEARCHED, 0), "texts": list(texts), "rows": data}
