"""A FleetReport in lines: each SidecarSet in each cluster, clusters that agree in one line."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Severity
from sidecarctl.operations.fleet.cells import Cell, ClusterRow
from sidecarctl.operations.fleet.matrix import FleetFacts, SetRow
from sidecarctl.reports.fleet.counting import counted_sentence
from sidecarctl.rollout.summary.sentences import number

FOLDED_FROM = 41
"""With this many cells or more, clusters that agree share a line."""
_NAMED = 5


class Line(NamedTuple):
    """A SidecarSet in clusters that agree; each text as it is shown, `others` are the columns that differ from most.

    `revision` is without the name of the SidecarSet, `updated` and `pods` are sums.
    """

    name: str
    clusters: Sequence[str]
    revision: str
    updated: str
    kruise: str
    state: str
    others: frozenset[str]


COLUMNS = {"name": "SIDECARSET", "revision": "REVISION", "updated": "UPDATED", "kruise": "KRUISE", "state": "STATE"}
"""The fields of a line in their order, and their headings; the clusters come last."""


def headings(facts: FleetFacts) -> dict[str, str]:
    """The columns that say anything, and their headings for the command."""
    every = [cell for row in facts.clusters for cell in row.cells]
    said = {**COLUMNS, "state": _STATES.get(facts.command, "WORST STATE")}
    said |= {"updated": "CURRENT"} if facts.command == "images" else {}
    said |= {"updated": "PODS"} if all(cell.updated is None for cell in every) else {}
    silent = {"revision"} if not any(cell.revision for cell in every) else set()
    silent |= {"updated"} if all(cell.pods is None for cell in every) else set()
    silent |= {"state"} if not any(cell.verdict or cell.state for cell in every) else set()
    return {key: text for key, text in said.items() if key not in silent}


_STATES = {"diff": "VERDICT", "plan": "ENDING", "validate": "RESULT", "images": "HARDEST WAY"}


def lines_of(facts: FleetFacts, *, folds: bool) -> list[Line]:
    """A line for each SidecarSet and cluster; with `folds` for each SidecarSet and group of clusters that agree.

    Those of a SidecarSet begin with what most clusters have.
    """
    rows = {row.name: row for row in facts.clusters}
    return [line for item in facts.sets for line in _set_lines(item, rows, facts, folds=folds)]


def _set_lines(item: SetRow, rows: Mapping[str, ClusterRow], facts: FleetFacts, *, folds: bool) -> Iterator[Line]:
    groups: dict[tuple[object, ...], list[str]] = {}
    for cluster, cell in item.cells.items():
        key = cell.revision, cell.verdict, cell.state, rows[cluster].behavior
        groups.setdefault(key if folds else (cluster,), []).append(cluster)
    ordered = sorted(groups.values(), key=len, reverse=True) if folds else [*groups.values()]
    for clusters in ordered:
        first = clusters[0]
        others = others_of(item, first) | ({"kruise"} if first in facts.other_releases else set())
        yield line_of(item.name or "-", [item.cells[cluster] for cluster in clusters], rows[first], others)._replace(
            clusters=clusters
        )
    if item.lacking:
        yield Line(item.name, item.lacking, "-", "-", "-", "absent", frozenset({"state"}))


def others_of(item: SetRow, cluster: str) -> set[str]:
    """The columns in which a cluster differs from others."""
    return {_COLUMN_OF[field] for field in item.differing.get(cluster, ())}


_COLUMN_OF = {"revision": "revision", "verdict": "state", "state": "state"}


def line_of(name: str, cells: Sequence[Cell], row: ClusterRow, others: set[str]) -> Line:
    """The line of cells that agree; `row` is that of one of their clusters."""
    first = cells[0]
    pods, updated = (sum(getattr(cell, key) or 0 for cell in cells) for key in ("pods", "updated"))
    return Line(
        name,
        (row.name,),
        first.revision.removeprefix(f"{name}-") or "-",
        "-" if first.pods is None else f"{pods:,}" if first.updated is None else share(updated, pods),
        release(row),
        state_text(cells),
        frozenset(others),
    )


def share(updated: int, pods: int) -> str:
    """`380 of 412 (92 %)`; less than all is less than 100 %."""
    return f"{updated:,} of {pods:,} ({updated * 100 // pods} %)" if pods else "no pods"


def state_text(cells: Sequence[Cell]) -> str:
    """`Recreate: 290 updates, 22 to recreate`: the verdict with its numbers, or the worst state with its pods."""
    first = cells[0]
    counts = sum((Counter(cell.counts) for cell in cells), Counter[str]())
    if not first.verdict:
        return f"{first.state} ({counts[first.state]:,})" if first.state else "-"
    said = ", ".join(_counted(word, times) for word, times in counts.items())
    if first.verdict in counts:
        return said
    return f"{first.verdict}: {said}" if said else first.verdict


_COUNTED = {"updates": "update", "waves": "wave", **{str(severity): str(severity) for severity in Severity}}
_PHRASES = {"recreate": "to recreate", "lost": "lose it", "gained": "get it"}


def _counted(word: str, times: int) -> str:
    return number(times, _COUNTED[word]) if word in _COUNTED else f"{times:,} {_PHRASES.get(word, word)}"


def release(row: ClusterRow) -> str:
    """The release of Kruise, without its name, and the feature gates that are not at their defaults."""
    return " ".join([row.behavior.removeprefix("Kruise "), *(f"+{gate}" for gate in row.gates)])


def marked(line: Line, column: str) -> str:
    """A text of the line, with a mark if it differs from most clusters."""
    return f"{getattr(line, column)}{' *' * (column in line.others)}"


def clusters_text(clusters: Sequence[str], *, in_full: bool = False) -> str:
    """`eu-1, eu-2, eu-3, eu-4, eu-5 and 45 more`."""
    if in_full or len(clusters) <= _NAMED:
        return ", ".join(clusters)
    return f"{', '.join(clusters[:_NAMED])} and {len(clusters) - _NAMED:,} more"


def title(facts: FleetFacts) -> str:
    """`status of 3 clusters: 2 SidecarSets, 380 of 412 (92 %) updated`."""
    pods, updated = (sum(getattr(item, key) or 0 for item in facts.sets) for key in ("pods", "updated"))
    counted = f", {share(updated, pods)} updated" if facts.command in ("status", "plan") else ""
    head = f"{facts.command} of {number(len(facts.clusters), 'cluster')}"
    requests = counted_sentence(facts)
    return f"{head}: {number(len(facts.sets), 'SidecarSet')}{counted}{f'; {requests}' if requests else ''}"


def remarks(facts: FleetFacts) -> Iterator[str]:
    """What the mark means, if there is one, and what was found."""
    if any(item.differing or item.lacking for item in facts.sets) or facts.other_releases:
        yield "* differs from other clusters"
    counts = Counter(finding["severity"] for row in facts.clusters for finding in row.findings)
    where = sum(bool(row.findings) for row in facts.clusters)
    found = [number(counts[severity], str(severity)) for severity in Severity if counts[severity]]
    if found:
        yield f"{', '.join(found)} in {number(where, 'cluster')}"
    if suppressed := sum(row.further.get("suppressed", 0) for row in facts.clusters):
        yield f"{suppressed:,} suppressed"
