"""SidecarSets by clusters: what most clusters have, and where others differ."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.cli.clusters.rows import DIGESTS, Cell, ClusterRow
from sidecarctl.engine.facts.findings import API_VERSION
from sidecarctl.engine.facts.values import Object, natural

COMPARED = ("revision", "verdict", "state")
"""The parts of a cell that are compared with other clusters."""


class SetRow(NamedTuple):
    """A SidecarSet in all clusters that have it.

    `majority`: what more clusters have than anything else, by the names of COMPARED; without what has no majority.
    `differing`: the clusters that differ from it, or from each other, each with what differs.
    `lacking`: those without this SidecarSet, where most have it.
    """

    name: str
    cells: Mapping[str, Cell]
    majority: Mapping[str, str]
    differing: Mapping[str, Sequence[str]]
    lacking: Sequence[str]

    def marked(self, cluster: str) -> list[str]:
        """What a cluster has that differs from most; nothing where there is no majority."""
        return [field for field in self.differing.get(cluster, ()) if field in self.majority]

    @property
    def undecided(self) -> list[str]:
        """What differs between clusters without a majority."""
        every = {field for fields in self.differing.values() for field in fields}
        return [field for field in COMPARED if field in every and field not in self.majority]

    @property
    def pods(self) -> int | None:
        """The pods in all clusters; None if none are counted."""
        return _sum(cell.pods for cell in self.cells.values())

    @property
    def updated(self) -> int | None:
        """Those of them that are updated."""
        return _sum(cell.updated for cell in self.cells.values())


class FleetFacts(NamedTuple):
    """The answer of a command over all clusters. `kind`: that of each cluster's document.

    `other_releases`: the clusters whose Kruise differs from that of most, if most have the same. `in_full`: the
    Markdown report of each cluster by its name, if Markdown is asked for; empty for joined JSON reports.
    """

    kind: str
    clusters: Sequence[ClusterRow]
    sets: Sequence[SetRow]
    other_releases: frozenset[str]
    in_full: Mapping[str, str] = {}

    @property
    def command(self) -> str:
        """The command that gave the answers."""
        return DIGESTS[self.kind].command


def fleet_of(rows: Iterable[ClusterRow]) -> FleetFacts:
    """The answer of all clusters, of which there is at least one; their documents are of one kind."""
    clusters = sorted(rows, key=lambda row: natural(row.name))
    names = sorted({cell.name for row in clusters for cell in row.cells}, key=natural)
    cells = {row.name: {cell.name: cell for cell in row.cells} for row in clusters}
    sets = [
        _set_row(name, {cluster: own[name] for cluster, own in cells.items() if name in own}, cells) for name in names
    ]
    releases = {row.name: row.behavior for row in clusters}
    others = _others(releases) if _majority(releases.values()) else ()
    return FleetFacts(clusters[0].kind, clusters, sets, frozenset(others))


def _set_row(name: str, cells: Mapping[str, Cell], clusters: Iterable[str]) -> SetRow:
    values = {field: {cluster: getattr(cell, field) for cluster, cell in cells.items()} for field in COMPARED}
    others = {field: _others(own) for field, own in values.items()}
    differing = {cluster: [field for field in COMPARED if cluster in others[field]] for cluster in cells}
    without = [cluster for cluster in clusters if cluster not in cells]
    return SetRow(
        name,
        cells,
        {field: word for field, own in values.items() if (word := _majority(own.values()))},
        {cluster: fields for cluster, fields in differing.items() if fields},
        without if len(without) < len(cells) else (),
    )


def _majority(values: Iterable[str]) -> str | None:
    """The value that is more common than any other; None if there is none."""
    [(first, number), *rest] = Counter(values).most_common(2)
    return None if rest and rest[0][1] == number else first


def _others(values: Mapping[str, str]) -> set[str]:
    """The clusters that differ from the majority; all of them if there is none."""
    most = _majority(values.values())
    return {cluster for cluster, value in values.items() if value != most}


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


KIND = "FleetReport"


def fleet_document(facts: FleetFacts) -> Object:
    """The answer as an object of kind FleetReport (schemas/fleet-report.json)."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "command": facts.command,
        "sidecarSets": [*map(_set_document, facts.sets)],
        **DIGESTS[facts.kind].overall(facts.clusters),
        "clusters": [_row_document(row, facts) for row in facts.clusters],
    }


def rows_of(document: Object) -> Iterator[ClusterRow]:
    """The rows of a FleetReport, which has passed its schema."""
    for item in document["clusters"]:
        known = {*_OF_ROW, "differs"}
        cells = [
            Cell(**{field: cell[key] for key, field in _OF_CELL.items() if key in cell})
            for cell in item["sidecarSets"]
        ]
        further = {key: value for key, value in item.items() if key not in known}
        yield ClusterRow(
            item["name"], item["kind"], item["behavior"], item["featureGates"], cells, item["findings"], further
        )


_OF_ROW = ("name", "kind", "behavior", "featureGates", "sidecarSets", "findings")
_OF_CELL = {
    "name": "name",
    "revision": "revision",
    "pods": "pods",
    "updatedPods": "updated",
    "verdict": "verdict",
    "worstState": "state",
    "counts": "counts",
}
"""The members of a cell in the document, and its fields."""
_WORDS = {field: key for key, field in _OF_CELL.items()}


def _row_document(row: ClusterRow, facts: FleetFacts) -> Object:
    return {
        "name": row.name,
        "kind": row.kind,
        "behavior": row.behavior,
        "featureGates": [*row.gates],
        "differs": row.name in facts.other_releases,
        "sidecarSets": [*map(_cell_document, row.cells)],
        **row.further,
        "findings": [*row.findings],
    }


def _cell_document(cell: Cell) -> Object:
    """The cell; what sidecars of no SidecarSet request has an empty name."""
    members = {key: getattr(cell, field) for key, field in _OF_CELL.items() if key != "name"}
    return {"name": cell.name, **{key: value for key, value in members.items() if value not in ("", None, {})}}


def _set_document(item: SetRow) -> Object:
    return {
        "name": item.name,
        "clusters": len(item.cells),
        **{key: number for key, number in (("pods", item.pods), ("updatedPods", item.updated)) if number is not None},
        "majority": {_WORDS[field]: value for field, value in item.majority.items() if value},
        "differing": [
            {"cluster": cluster, "fields": [_WORDS[field] for field in fields]}
            for cluster, fields in item.differing.items()
        ],
        "lacking": [*item.lacking],
    }
