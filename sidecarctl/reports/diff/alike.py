"""Workloads whose pods get the same change, shown once."""

from collections.abc import Iterable, Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.operations.tree_diff import TreeChange, WorkloadDiff
from sidecarctl.reports.layout.unified_diff import hunks


class Alike(NamedTuple):
    """Workloads with the same change, and the hunks of the injection of the first of them."""

    workloads: Sequence[WorkloadDiff]
    hunks: str

    @property
    def first(self) -> WorkloadDiff:
        """The workload that is shown."""
        return self.workloads[0]


def alike(workloads: Iterable[WorkloadDiff]) -> list[Alike]:
    """The workloads that differ, grouped, in the order of the first of each group."""
    groups: dict[tuple[object, ...], Alike] = {}
    for workload in workloads:
        if workload.change is TreeChange.UNCHANGED:
            continue
        text = hunks(workload.injection.before, workload.injection.after)
        lines = tuple(line for line in text.splitlines() if not line.startswith((" ", "@")))
        key = (
            workload.change,
            workload.before.injected,
            workload.after.injected,
            workload.injection.hashes,
            workload.injection.own,
            lines,
        )
        group = groups.setdefault(key, Alike([], text))
        groups[key] = group._replace(workloads=[*group.workloads, workload])
    return list(groups.values())
