"""A sweep as a page: the same rollout once for each value, as small charts on one scale, and as a table."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.features.plan.plan import SweepFacts, SweepRow
from sidecarctl.features.plan.rows import mood
from sidecarctl.features.plan.sweep import pods_before, sweep_cells, sweep_titles
from sidecarctl.render.charts import Course, course_of, round_label, used_bands
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage, PagePart, finding_rows

_TOLD = ("updated", "waves", "most unavailable", "time")


class SweepCard(NamedTuple):
    """One value: its chart, its numbers as the table has them, and in what it is the best.

    `facts` are the numbers that differ between values, with their titles.
    """

    row: SweepRow
    course: Course
    mood: str
    facts: tuple[tuple[str, str], ...]
    cells: tuple[str, ...]
    best: tuple[str, ...]


class SweepSection(NamedTuple):
    """One SidecarSet with all values; `bands` are those of any chart, with their words, `end` the last round."""

    name: str
    pods: str
    bands: tuple[tuple[str, str], ...]
    end: str
    cards: tuple[SweepCard, ...]


class SweepPage(NamedTuple):
    """A whole sweep; `field` is the member of updateStrategy that takes the values; `is_timed`: rounds are times."""

    title: str
    field: str
    is_timed: bool
    titles: tuple[str, ...]
    sections: tuple[SweepSection, ...]
    findings: tuple[FindingRow, ...]
    data: Object


def sweep_html(report: Report[SweepFacts], page: Page) -> HtmlPage:
    """The page."""
    facts = report.facts
    seconds = facts.options.step_seconds
    names = dict.fromkeys(row.set_name for row in facts.rows)
    model = SweepPage(
        title=f"Rollout for each {facts.field}",
        field=facts.field,
        is_timed=bool(seconds),
        titles=sweep_titles(seconds),
        sections=tuple(_section([row for row in facts.rows if row.set_name == name], seconds) for name in names),
        findings=finding_rows(report.findings),
        data={},
    )
    parts = (
        PagePart(f"SidecarSet {each.name}", "", "held", each.pods, model._replace(sections=(each,)))
        for each in model.sections
    )
    return HtmlPage("sweep.html", model, page, report.release.behavior, parts)


def _section(rows: Sequence[SweepRow], seconds: int | None) -> SweepSection:
    """The values of a SidecarSet; all charts have the same scales, so that they can be compared."""
    rounds = max(max(row.plan.rounds, row.plan.course[-1].round) for row in rows)
    limits = [row.plan.window.max_unavailable_pods for row in rows]
    most = max(1, *limits, *(counts.unavailable for row in rows for counts in row.plan.course))
    best = _best(rows, "shortest time" if seconds else "fewest rounds")
    cards = [_card(row, rounds, most, seconds, said) for row, said in zip(rows, best, strict=True)]
    courses = (counts for row in rows for counts in row.plan.course)
    end = round_label(rounds, seconds)
    return SweepSection(rows[0].set_name, pods_before(rows[0]), used_bands(courses), end, tuple(cards))


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


def _card(row: SweepRow, rounds: int, most: int, seconds: int | None, best: tuple[str, ...]) -> SweepCard:
    course = course_of(row.plan.course, row.plan.window.max_unavailable_pods, rounds=rounds, most=most)
    cells = sweep_cells(row, seconds)
    facts = [fact for fact in zip(sweep_titles(seconds), cells, strict=True) if fact[0] in _TOLD]
    return SweepCard(row, course, mood(row.plan), tuple(facts), cells, best)
