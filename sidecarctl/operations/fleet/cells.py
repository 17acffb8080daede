"""A cluster in the answer over several: a cell for each of its SidecarSets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.values import Object


class Cell(NamedTuple):
    """A SidecarSet in a cluster; values that a command does not report are empty, or None for numbers.

    `verdict`: what a change or a rollout comes to. `state`: the worst state of its pods. `counts`: pods, or findings,
    by what they are counted by.
    """

    name: str
    revision: str = ""
    pods: int | None = None
    updated: int | None = None
    verdict: str = ""
    state: str = ""
    counts: Mapping[str, int] = {}


class ClusterRow(NamedTuple):
    """The answer for a cluster. `kind`: that of its document; `further`: what only documents of that kind have."""

    name: str
    kind: str
    behavior: str
    gates: Sequence[str]
    cells: Sequence[Cell]
    findings: Sequence[Object]
    further: Object
