"""A plan as Markdown, short enough for a pull request comment on GitHub."""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.values import natural
from sidecarctl.operations.planning.plan import PlanFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.markdown import MOST_CHARACTERS, cell
from sidecarctl.reports.layout.tables import folded
from sidecarctl.reports.output import Page
from sidecarctl.reports.plan.rows import (
    Staying,
    budget_text,
    idle_sentence,
    images_of,
    remark_of,
    short_image,
    staying,
    told_apart,
    wave_rows,
)
from sidecarctl.rollout.facts import Ending
from sidecarctl.rollout.summary.rollout_plan import LargestInGroup, SetRolloutPlan, begins_at, clock, ending_time
from sidecarctl.rollout.summary.sentences import ending_sentence, number

_BAR = 20
_ROWS_AND_NAMES = ((40, 120), (24, 60), (12, 40), (8, 24))
"""Rows, and characters of names in each: the first pair that is short enough is used."""


def plan_markdown(report: Report[PlanFacts], page: Page) -> str:
    """The whole plan; ends with a line break."""
    del page
    text = ""
    for rows, names in _ROWS_AND_NAMES:
        text = "\n".join(_lines(report, rows, names)) + "\n"
        if len(text) <= MOST_CHARACTERS:
            return text
    note = "\n\n(shortened)\n"
    lines = text[: MOST_CHARACTERS - len(note) - len("</details>")].rpartition("\n")[0]
    open_details = lines.count("<details>") - lines.count("</details>")
    return lines + "\n</details>" * open_details + note


def _lines(report: Report[PlanFacts], rows: int, names: int) -> Iterator[str]:
    facts, findings = report.facts, report.findings
    if not facts.plan.sets:
        yield "no SidecarSet"
    active, idle = told_apart(facts.plan)
    for rollout in active:
        yield from _set_lines(facts, rollout, rows, names)
    if idle:
        yield from (cell(idle_sentence(idle)), "")
    if findings:
        yield from _details(
            number(len(findings), "finding"),
            [f"- {cell(f'{finding.severity}: {finding} [{finding.reason}]')}" for finding in findings[:rows]]
            + ([f"- and {len(findings) - rows:,} more"] if len(findings) > rows else []),
        )


def _set_lines(facts: PlanFacts, rollout: SetRolloutPlan, rows: int, names: int) -> Iterator[str]:
    before, window = rollout.before, rollout.window
    origins = facts.origins.get(rollout.target.name, {})
    yield f"### {_mark(rollout)} Rollout of SidecarSet {cell(rollout.target.name)}"
    yield ""
    yield f"**{cell(ending_sentence(rollout) + ending_time(rollout, facts.options.step_seconds))}**"
    yield ""
    for container, old, new in images_of(rollout)[:rows]:
        yield f"- image of {cell(container)}: {cell(old)} → {cell(short_image(old, new))}"
    made = " (made from workloads)" if facts.synthetic else ""
    yield f"- pods: {before.matched:,} matched{made}, {before.updated:,} updated, {before.ready:,} ready" + (
        f"; {len(rollout.left_out):,} left out" if rollout.left_out else ""
    )
    held = f"holds back {window.partition_pods:,}"
    yield f"- partition {_value(window.partition)}: {held} {_from(origins.get('partition'))}"
    yield (
        f"- maxUnavailable {_value(window.max_unavailable)}: {window.max_unavailable_pods:,} at a time "
        f"{_from(origins.get('maxUnavailable'))}; {rollout.unavailable_before:,} taken at the start; "
        f"most at once: {rollout.outcome.largest_unavailable:,}"
    )
    for budget in rollout.budgets:
        yield f"- PUB {cell(budget_text(budget))}"
    for decided in facts.deciding.get(rollout.target.name, ()):
        origin = f" {_from(decided.origin)}" if decided.origin else ""
        yield f"- {decided.field}: {cell(decided.text)}{origin}"
    if rollout.ties:
        yield f"- {number(rollout.ties)} rank equally; Kruise does not define their order, so input order is used"
    yield ""
    if rollout.waves:
        yield from _wave_table(rollout, rows, names, facts.options.step_seconds)
    for group in staying(facts.plan, rollout, facts.blocked.get(rollout.target.name, {})):
        yield from _details(f"{number(len(group.names))} {group.title}", _group_lines(group, names))
    yield from _largest(rollout.largest_in_groups, rows)


def _mark(rollout: SetRolloutPlan) -> str:
    ending = rollout.outcome.ending
    if ending.is_objection:
        return "❌"
    if ending not in (Ending.COMPLETE, Ending.NOTHING_TO_DO):
        return "⏸"
    return "✅" if rollout.outcome.status.matched and not rollout.outcome.holding_budget else "⚠️"


def _wave_table(rollout: SetRolloutPlan, most: int, names: int, seconds: int | None) -> Iterator[str]:
    rows = wave_rows(rollout.waves, most, rollout.window.max_unavailable_pods)
    largest = max(row.pods for row in rows)
    yield f"| wave |{' at |' if seconds else ''} pods | | unavailable | names |"
    yield f"| --: |{' --: |' if seconds else ''} --: | :-- | --: | :-- |"
    for row in rows:
        label = f"{row.first:,}" if row.first == row.last else f"{row.first:,}–{row.last:,}"  # noqa: RUF001 - a dash
        kind = "" if row.kind == "upgrade" else f" {row.kind}"
        bar = "█" * max(1, round(row.pods * _BAR / largest))
        named = cell("; ".join(filter(None, (remark_of(row), folded(row.names, names)))))
        at = f" {clock(begins_at(row.rounds[0], seconds))} |" if seconds else ""
        yield f"| {label} |{at} {row.pods:,}{kind} | {bar} | {row.unavailable:,} | {named} |"
    yield ""


def _group_lines(group: Staying, names: int) -> list[str]:
    return [
        *(f"- {cell(detail)}" for detail in group.detail),
        *([""] if group.detail else []),
        cell(folded(group.names, names * 2)),
    ]


def _largest(groups: Sequence[LargestInGroup], most: int) -> Iterator[str]:
    for by in dict.fromkeys(group.by for group in groups):
        own = sorted(
            (item for item in groups if item.by == by), key=lambda item: (-item.largest, natural(item.value))
        )
        lines = [f"- {cell(group.value) or '(none)'}: {group.largest:,} of {group.pods:,}" for group in own[:most]]
        if len(own) > most:
            lines.append(f"- and {len(own) - most:,} more")
        yield from _details(f"most unavailable at once, by {cell(by)}", lines)


def _details(summary: str, lines: Sequence[str]) -> Iterator[str]:
    """A folded section."""
    yield from ("<details>", f"<summary>{_html(summary)}</summary>", "", *lines, "", "</details>", "")


def _html(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _value(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else cell(value)


def _from(origin: str | None) -> str:
    return f"({cell(origin or 'default')})"
