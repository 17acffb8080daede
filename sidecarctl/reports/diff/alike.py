"""Workloads whose pods get the same change, told once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecarctl.operations.tree_diff import TreeChange, WorkloadDiff
from sidecarctl.reports.layout.unified_diff import hunks


class Alike(NamedTuple):
    """Workloads with the same change, and the hunks of the first of them in what is injected."""

    workloads: Sequence[WorkloadDiff]
    hunks: str

    @property
    def first(self) -> WorkloadDiff:
        """The one that is shown."""
        return self.workloads[0]


def alike(workloads: Iterable[WorkloadDiff]) -> list[Alike]:
    """The workloads that differ, in groups, in the order of their first ones."""
    groups: dict[tuple[object, ...], Alike] = {}
    for one in workloads:
        if one.change is TreeChange.UNCHANGED:
            continue
        text = hunks(one.injection.before, one.injection.after)
        lines = tuple(line for line in text.splitlines() if not line.startswith((" ", "@")))
        key = one.change, one.before.injected, one.after.injected, one.injection.hashes, one.injection.own, lines
        group = groups.setdefault(key, Alike([], text))
        groups[key] = group._replace(workloads=[*group.workloads, one])
    return list(groups.values())
