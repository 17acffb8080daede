"""Several clusters as text, Markdown and a document: a line for each SidecarSet and cluster, and their totals.

Clusters that agree share a line if there are very many.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecarctl.cli.clusters.matrix import COMPARED, FleetFacts, SetRow, fleet_document
from sidecarctl.cli.clusters.rows import DIGESTS, Cell, ClusterRow
from sidecarctl.engine.api.pod_resources import read_quantities
from sidecarctl.engine.comparing.costs import NamespaceCost, SetCost
from sidecarctl.engine.comparing.images import ImageUse, Role, SetImages, Way
from sidecarctl.engine.comparing.pod_effects import CostChange
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import Severity, named
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.features.counts.costs_report import cost_tables, have_sentence
from sidecarctl.features.counts.images_report import set_lines
from sidecarctl.features.diff.sentences import cost_sentence
from sidecarctl.features.merge.changes import KINDS, change_blocks, cluster_findings
from sidecarctl.render.documents import LARGE
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import joined
from sidecarctl.render.markdown import cell, finding_sections, fitting, folded, markdown_of, table_lines, text_block
from sidecarctl.render.output import Page
from sidecarctl.render.run.findings import most_severe_first
from sidecarctl.render.tables import table
from sidecarctl.render.text import table_text, text_of

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage

_FOLDED_FROM = 41
"""With this many cells or more, clusters that agree share a line."""
NAMED = 5
"""Clusters that a text names."""


class Line(NamedTuple):
    """A SidecarSet in clusters that agree, as text; `others` are the columns that differ from most clusters.

    `revision` is without the name of the SidecarSet, `updated` and `pods` are sums.
    """

    name: str
    clusters: Sequence[str]
    revision: str
    updated: str
    kruise: str
    state: str
    others: frozenset[str]


class FindingText(NamedTuple):
    """A finding of a cluster's document."""

    severity: str
    where: str
    message: str
    code: str


COLUMNS = {"name": "SIDECARSET", "revision": "REVISION", "updated": "UPDATED", "kruise": "KRUISE", "state": "STATE"}
"""The fields of a line in their order, and their headings; the clusters come last."""


def fleet_text(report: Report[FleetFacts], page: Page) -> Iterator[str]:
    """The numbers, then a table with a row for each SidecarSet and cluster; of very many, clusters share rows."""
    facts = report.facts
    if facts.kind in KINDS:
        yield from text_of(change_blocks(report, title(facts)), page)
        return
    yield f"{title(facts)}\n\n"
    columns = headings(facts)
    rows = [_row(line, columns, in_full=page.all_pods) for line in _lines(facts, page)]
    yield joined(table([*columns.values(), "CLUSTERS"], rows, page.width))
    for lines in (counted_lines(facts, page), remarks(facts)):
        if text := joined(lines):
            yield f"\n{text}"


def _row(line: Line, columns: dict[str, str], *, in_full: bool) -> list[str]:
    return [*(marked(line, column) for column in columns), named(line.clusters, None if in_full else NAMED)]


def fleet_markdown(report: Report[FleetFacts], page: Page) -> str:
    """The answer over clusters as a table of Markdown."""
    facts = report.facts
    if facts.kind in KINDS:
        return markdown_of(change_blocks(report, title(facts)), page)
    columns = headings(facts)
    rows = [_row(line, columns, in_full=page.all_pods) for line in _lines(facts, page)]
    head = f"### {cell(title(facts))}\n\n"
    head += joined(table_lines([*map(str.lower, columns.values()), "clusters"], rows))
    counted = joined(counted_lines(facts, page))
    sections = [folded("over all clusters", text_block(counted))] if counted else []
    sections += (f"{cell(said)}\n" for said in remarks(facts))
    found = most_severe_first(cluster_findings(facts.clusters, lambda row: row.findings))
    sections += finding_sections(found, (), page.links)
    sections += (folded(f"cluster {cell(name)}", text) for name, text in facts.in_full.items())
    return fitting(head, sections, "section")


def fleet_data(report: Report[FleetFacts]) -> Object:
    """The answer as an object of kind FleetReport."""
    return fleet_document(report.facts)


def headings(facts: FleetFacts) -> dict[str, str]:
    """The columns that are not empty, and their headings for the command."""
    every = [each for row in facts.clusters for each in row.cells]
    said = {**COLUMNS, "state": _STATES.get(facts.command, "WORST STATE")}
    said |= {"updated": "CURRENT"} if facts.command == "images" else {}
    said |= {"updated": "PODS"} if all(each.updated is None for each in every) else {}
    silent = {"revision"} if not any(each.revision for each in every) else set()
    silent |= {"revision", "updated"} if facts.kind in KINDS else set()
    silent |= {"updated"} if all(each.pods is None for each in every) else set()
    silent |= {"state"} if not any(each.verdict or each.state for each in every) else set()
    return {key: text for key, text in said.items() if key not in silent}


_STATES = {"diff": "VERDICT", "plan": "ENDING", "validate": "RESULT", "images": "HARDEST WAY"}


def _lines(facts: FleetFacts, page: Page) -> list[Line]:
    """A line for each SidecarSet and cluster; of very many, for each SidecarSet and group of clusters that agree.

    The latter begin with the one that most clusters share.
    """
    folds = sum(len(item.cells) for item in facts.sets) >= _FOLDED_FROM and not page.all_pods
    rows = {row.name: row for row in facts.clusters}
    return [line for item in facts.sets for line in _set_lines(item, rows, facts, folds=folds)]


def _set_lines(item: SetRow, rows: Mapping[str, ClusterRow], facts: FleetFacts, *, folds: bool) -> Iterator[Line]:
    groups: dict[tuple[object, ...], list[str]] = {}
    for cluster, each in item.cells.items():
        key = each.revision, each.verdict, each.state, rows[cluster].behavior
        groups.setdefault(key if folds else (cluster,), []).append(cluster)
    ordered = sorted(groups.values(), key=len, reverse=True) if folds else [*groups.values()]
    for clusters in ordered:
        first = clusters[0]
        others = columns_of(item.marked(first)) | ({"kruise"} if first in facts.other_releases else set())
        yield line_of(item.name or "-", [item.cells[cluster] for cluster in clusters], rows[first], others)._replace(
            clusters=clusters
        )
    if item.lacking:
        yield Line(item.name, item.lacking, "-", "-", "-", "absent", frozenset({"state"}))


def columns_of(fields: Iterable[str]) -> set[str]:
    """The columns that show these fields of cells."""
    return {_COLUMN_OF[field] for field in fields}


_COLUMN_OF = {"revision": "revision", "verdict": "state", "state": "state"}


def line_of(name: str, cells: Sequence[Cell], row: ClusterRow, others: set[str]) -> Line:
    """The line for cells that agree; `row` is the row of one of their clusters."""
    first = cells[0]
    pods, updated = (sum(getattr(each, key) or 0 for each in cells) for key in ("pods", "updated"))
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
    counts = sum((Counter(each.counts) for each in cells), Counter[str]())
    if not first.verdict:
        return f"{first.state} ({counts[first.state]:,})" if first.state else "-"
    said = ", ".join(_counted(word, times) for word, times in counts.items())
    if first.verdict in counts:
        return said
    verdict = f"{first.verdict} + {Verdict.NEW_PODS_ONLY}" if first.changes_new_pods else first.verdict
    return f"{verdict}: {said}" if said else verdict


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


def title(facts: FleetFacts) -> str:
    """`status of 3 clusters: 2 SidecarSets, 380 of 412 (92 %) updated`."""
    pods, updated = (sum(getattr(item, key) or 0 for item in facts.sets) for key in ("pods", "updated"))
    counted = f", {share(updated, pods)} updated" if facts.command in ("status", "plan") else ""
    head = f"{facts.command} of {number(len(facts.clusters), 'cluster')}"
    requests = counted_sentence(facts)
    return f"{head}: {number(len(facts.sets), 'SidecarSet')}{counted}{f'; {requests}' if requests else ''}"


FIELDS = {"state": "worst state"}
"""The names of compared fields in sentences, where they are others."""


def remarks(facts: FleetFacts) -> Iterator[str]:
    """What the mark means, if there is one, what has no majority, and what was found."""
    marked = (item.marked(cluster) for item in facts.sets for cluster in item.cells)
    if any(marked) or any(item.lacking for item in facts.sets) or facts.other_releases:
        yield "* differs from most clusters"
    for field in COMPARED:
        if names := [item.name for item in facts.sets if field in item.undecided]:
            yield f"no majority for the {FIELDS.get(field, field)} of {named(names, NAMED)}"
    different = {finding_text(finding) for row in facts.clusters for finding in row.findings}
    counts = Counter(finding.severity for finding in different)
    where = sum(bool(row.findings) for row in facts.clusters)
    found = [number(counts[severity], str(severity)) for severity in Severity if counts[severity]]
    if found:
        yield f"{', '.join(found)} in {number(where, 'cluster')}"
    if suppressed := sum(row.further.get("suppressed", 0) for row in facts.clusters):
        yield f"{suppressed:,} suppressed"


def counted_sentence(facts: FleetFacts) -> str:
    """What sidecars request in all clusters, or request more after a change; empty for other commands."""
    every = DIGESTS[facts.kind].overall(facts.clusters)
    if facts.command == "diff" and (cost := every.get("cost")):
        change = CostChange(read_quantities(cost["change"]), cost["changedPods"], running=cost["pods"] == "running")
        return f"sidecars request {cost_sentence(change)}, in {number(cost['clusters'], 'cluster')}"
    return have_sentence(_total("", every["total"])) if facts.command == "cost" else ""


def counted_lines(facts: FleetFacts, page: Page) -> Iterator[str]:
    """The images over all clusters, or the costs by cluster and by SidecarSet; nothing for other commands."""
    every = DIGESTS[facts.kind].overall(facts.clusters)
    if facts.command == "images":
        for item in every["images"]:
            yield from set_lines(_images(item), page)
    elif facts.command == "cost":
        clusters = [_total(row.name, row.further["total"]) for row in facts.clusters]
        sets = [SetCost(item["name"], "", item["pods"], read_quantities(item["added"])) for item in every["costs"]]
        tables = cost_tables(_total("", every["total"]), sets, clusters, "cluster")
        yield from "\n\n".join("\n".join(table_text(table, page)) for table in tables).split("\n")


def _images(item: Object) -> SetImages:
    uses = [
        ImageUse(
            use["container"],
            Role(use["role"]),
            use["image"],
            use["wanted"],
            Way(use["way"]),
            use["states"],
            use["digests"],
        )
        for use in item["images"]
    ]
    return SetImages(item["name"], uses, item["ways"], item["leftOut"])


def _total(name: str, item: Object) -> NamespaceCost:
    """The cost of a cluster, instead of a namespace."""
    resources = (read_quantities(item[key]) for key in ("all", "added"))
    return NamespaceCost(name, item["pods"], item["injectedPods"], *resources)


def finding_text(finding: Object) -> FindingText:
    """A finding of a document as text."""
    place = ":".join(str(finding[key]) for key in ("file", "line", "column") if key in finding)
    about = finding.get("object", {})
    name = "/".join(filter(None, (about.get("namespace"), about.get("name"))))
    subject = " ".join(filter(None, (about.get("kind"), name)))
    where = ": ".join(filter(None, (place, subject, finding.get("path"))))
    hint = f" ({finding['hint']})" if finding.get("hint") else ""
    return FindingText(
        finding["severity"], where, f"{finding['message']}{hint}", finding.get("rule") or finding["reason"]
    )


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    from sidecarctl.features.merge.fleet_page import fleet_html  # loads the template engine

    return fleet_html(report, page)


FORMATS: Mapping[str, Formats] = {
    "fleet": data_formats(fleet_data, levels=LARGE, text=fleet_text, markdown=fleet_markdown, html=_html)
}
"""The formats of reports on several clusters."""
