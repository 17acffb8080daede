"""The rollout for several values of partition or maxUnavailable: charts and a table, or grids for pairs of values."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.facts.findings import document_head
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.summary.rollout_plan import clock, ends_at, round_label
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.features.plan.plan import SweepFacts, SweepRow
from sidecarctl.features.plan.rows import mood, options_document
from sidecarctl.render.blocks import BlockDocument, Card, Cards, Column, CourseNumbers, Section, Table
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.output import Page
from sidecarctl.render.text import NOTHING

_TOLD = ("updated", "waves", "most unavailable", "time")
"""The columns that cards show, too."""


def sweep_blocks(report: Report[SweepFacts], _page: Page) -> BlockDocument:
    """A section for each SidecarSet: a card for each value, and a table."""
    facts = report.facts
    names = dict.fromkeys(row.set_name for row in facts.rows)
    title = "Rollout for each " + " and ".join(filter(None, (facts.field, facts.column_field)))
    return BlockDocument(
        title=title,
        blocks=tuple(_section(facts, [row for row in facts.rows if row.set_name == name]) for name in names),
        command=" ".join(["plan", *(f"--sweep {field}" for field in (facts.field, facts.column_field) if field)]),
        of=f"{title}:",
        findings=report.findings,
        behavior=report.release.behavior,
        nothing=NOTHING,
    )


def _section(facts: SweepFacts, rows: Sequence[SweepRow]) -> Section:
    seconds, name = facts.options.step_seconds, f"SidecarSet {rows[0].set_name}"
    columns = _columns(facts.field, seconds)
    cells = [sweep_cells(row, seconds) for row in rows]
    tables = [Table(columns, cells, f"Numbers of {name}", is_aligned=True)]
    before = rows[0].plan.before
    said = f"{number(before.matched)}, {before.updated:,} updated"
    if facts.column_field:
        tables = list(_grids(rows, columns, cells, name))
        said += f"; rows: {facts.field}, columns: {facts.column_field}"
    return Section(name, said, (_cards(facts, rows, columns, cells), *tables))


def _grids(
    rows: Sequence[SweepRow], columns: Sequence[Column], cells: Sequence[Sequence[str]], name: str
) -> Iterator[Table]:
    """A table for each column: a row for each value, a column for each value of the other field."""
    across = len(dict.fromkeys(row.column for row in rows))
    for index, column in enumerate(columns):
        if index and not column.is_extra:
            numbers = [said[index] for said in cells]
            lines = [(str(rows[at].value), *numbers[at : at + across]) for at in range(0, len(rows), across)]
            heads = [Column(str(row.column), is_number=column.is_number) for row in rows[:across]]
            yield Table(
                (Column(column.title), *heads), lines, f"{column.title} of {name}", is_aligned=True, is_grid=True
            )


def _columns(field: str, seconds: int | None) -> tuple[Column, ...]:
    time = [Column("time", is_number=True)] if seconds else []
    return (
        Column(field, is_number=True),
        Column("updated", is_number=True),
        Column("old", is_number=True, is_extra=True),
        Column("waves", is_number=True),
        Column("rounds", is_number=True, is_extra=True),
        Column("most unavailable", is_number=True, short="DOWN"),
        *time,
        Column("ending"),
    )


def _cards(
    facts: SweepFacts, rows: Sequence[SweepRow], columns: Sequence[Column], cells: Sequence[Sequence[str]]
) -> Cards:
    """The values of a SidecarSet; all charts have the same scales, so that they can be compared."""
    seconds = facts.options.step_seconds
    rounds = max(max(row.plan.rounds, row.plan.course[-1].round) for row in rows)
    limits = [row.plan.window.max_unavailable_pods for row in rows]
    most = max(1, *limits, *(counts.unavailable for row in rows for counts in row.plan.course))
    best = "shortest time" if seconds else "fewest rounds"
    cards = [
        Card(
            facts.named(row),
            str(row.plan.outcome.ending),
            mood(row.plan),
            marks,
            CourseNumbers(row.plan.course, limit, row.plan.outcome.largest_unavailable, rounds, most),
            tuple((column.title, cell) for column, cell in zip(columns, said, strict=True) if column.title in _TOLD),
        )
        for row, limit, marks, said in zip(rows, limits, _best(rows, best), cells, strict=True)
    ]
    means = f"Marked, of the values that update the most pods: the {best}, and the fewest pods unavailable at once."
    return Cards(tuple(cards), round_label(rounds, seconds), means)


def _best(rows: Sequence[SweepRow], first: str) -> list[tuple[str, ...]]:
    """What each value is best at, of those that update the most pods; empty if these do not differ."""
    updated = [row.plan.outcome.status.updated for row in rows]
    able = [index for index, pods in enumerate(updated) if pods == max(updated)]
    said: list[list[str]] = [[] for _ in rows]
    rounds = [row.plan.rounds for row in rows]
    unavailable = [row.plan.outcome.largest_unavailable for row in rows]
    for word, numbers in ((first, rounds), ("fewest unavailable", unavailable)):
        least = min(numbers[index] for index in able)
        best = [index for index in able if numbers[index] == least]
        for index in best if len(best) < len(able) else ():
            said[index].append(word)
    return [*map(tuple, said)]


def sweep_data(report: Report[SweepFacts]) -> Object:
    """The table as an object of kind RolloutSweep (schemas/rollout-sweep.json)."""
    facts = report.facts
    return {
        **document_head("RolloutSweep", report.release.behavior, facts.gates),
        **report.cluster(),
        "options": options_document(facts.options),
        "field": facts.field,
        **({"columnField": facts.column_field} if facts.column_field else {}),
        "rows": [_row_document(row, facts.options.step_seconds) for row in facts.rows],
    }


def _row_document(row: SweepRow, step_seconds: int | None) -> Object:
    status, plan = row.plan.outcome.status, row.plan
    return {
        "value": row.value,
        **({} if row.column is None else {"columnValue": row.column}),
        "sidecarSet": row.set_name,
        "matchedPods": status.matched,
        "updatedPods": status.updated,
        "waves": len(plan.waves),
        "rounds": plan.rounds,
        "largestUnavailable": plan.outcome.largest_unavailable,
        **({"endsAtSeconds": ends_at(plan, step_seconds)} if step_seconds else {}),
        "ending": str(plan.outcome.ending),
    }


def sweep_cells(row: SweepRow, step_seconds: int | None) -> tuple[str, ...]:
    """The cells of a row."""
    status, plan = row.plan.outcome.status, row.plan
    numbers = (status.updated, status.matched - status.updated, len(plan.waves), plan.rounds)
    time = (clock(ends_at(plan, step_seconds)),) if step_seconds else ()
    said = (f"{count:,}" for count in (*numbers, plan.outcome.largest_unavailable))
    return (str(row.value), *said, *time, str(plan.outcome.ending))


FORMATS: Mapping[str, Formats] = {"sweep": block_formats(sweep_blocks, sweep_data)}
"""The formats of a sweep."""
