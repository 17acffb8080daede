"""Several clusters as text and as Markdown."""

from collections.abc import Iterator

from sidecarctl.facts.values import Object
from sidecarctl.operations.fleet.matrix import FleetFacts, fleet_document
from sidecarctl.operations.report import Report
from sidecarctl.reports.fleet.counting import counted_lines
from sidecarctl.reports.fleet.lines import (
    FOLDED_FROM,
    Line,
    clusters_text,
    headings,
    lines_of,
    marked,
    remarks,
    title,
)
from sidecarctl.reports.layout.markdown import cell, fitting, folded, text_block
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.output import Page


def fleet_text(report: Report[FleetFacts], page: Page) -> Iterator[str]:
    """The numbers, then a table with a row for each SidecarSet and cluster; of very many, for clusters that agree."""
    facts = report.facts
    yield f"{title(facts)}\n\n"
    columns = headings(facts)
    rows = [_row(line, columns, in_full=page.all_pods) for line in _lines(facts, page)]
    yield from (f"{line}\n" for line in table([*columns.values(), "CLUSTERS"], rows, page.width))
    if counted := [*counted_lines(facts, page)]:
        yield "\n"
        yield from (f"{line}\n" for line in counted)
    if said := [*remarks(facts)]:
        yield "\n"
        yield from (f"{line}\n" for line in said)


def _lines(facts: FleetFacts, page: Page) -> list[Line]:
    cells = sum(len(item.cells) for item in facts.sets)
    return lines_of(facts, folds=cells >= FOLDED_FROM and not page.all_pods)


def _row(line: Line, columns: dict[str, str], *, in_full: bool) -> list[str]:
    return [*(marked(line, column) for column in columns), clusters_text(line.clusters, in_full=in_full)]


def fleet_markdown(report: Report[FleetFacts], page: Page) -> str:
    """The same as a table of Markdown."""
    facts = report.facts
    columns = headings(facts)
    head = f"### {cell(title(facts))}\n\n| {' | '.join(map(str.lower, columns.values()))} | clusters |\n"
    head += "| --- " * (len(columns) + 1) + "|\n"
    rows = [_row(line, columns, in_full=page.all_pods) for line in _lines(facts, page)]
    head += "".join(f"| {' | '.join(map(cell, row))} |\n" for row in rows)
    counted = "".join(f"{line}\n" for line in counted_lines(facts, page))
    sections = [folded("over all clusters", text_block(counted))] if counted else []
    return fitting(head, [*sections, *(f"{cell(said)}\n" for said in remarks(facts))], "section")


def fleet_data(report: Report[FleetFacts]) -> Object:
    """The answer as an object of kind FleetReport."""
    return fleet_document(report.facts)
