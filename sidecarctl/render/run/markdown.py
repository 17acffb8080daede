"""The report of a run as Markdown, short enough for a pull request comment."""

from collections.abc import Iterator
from typing import Any

from sidecarctl.engine.report import ObjectResult, Outcome, Report, RunFacts
from sidecarctl.render.markdown import cell, code, finding_item, fitting
from sidecarctl.render.output import RunEnd
from sidecarctl.render.run.findings import every_finding, most_severe_first, other_behavior, outcome_word, summary_of

_ROWS = 500
"""More would not fit into a comment."""


def report_markdown(report: Report[Any], end: RunEnd) -> str:
    """The summary, the findings, most severe first, then the objects."""
    mark = "❌" if report.failure else "⚠️" if end.exit_code else "✅"
    title = f"### {mark} sidecarctl {cell(end.command)}".rstrip()
    head = f"{title}\n\n**{cell(summary_of(report, end))}** (exit code {end.exit_code})\n"
    if behavior := other_behavior(report):
        head += f"\nbehavior: {cell(behavior)}\n"
    if end.config:
        head += f"\nsettings: {code(end.config)}\n"
    findings = most_severe_first(every_finding(report))
    sections = [f"- {finding_item(finding, end.links)}\n" for finding in findings[:_ROWS]]
    text = fitting(head, _joined(sections), "finding")
    if len(findings) > _ROWS:
        text += f"\n{len(findings) - _ROWS} more findings\n"
    if isinstance(report.facts, RunFacts):
        rows = _rows(report, report.facts)
        text = fitting(text, rows, "section")
    return text


def _joined(lines: list[str]) -> list[str]:
    return ["".join(lines)] if lines else []


def _rows(report: Report[Any], facts: RunFacts) -> list[str]:
    """A table of the objects that changed or failed, and a folded one of all others."""
    changed: list[str] = []
    others: list[str] = []
    more = 0
    for result in report.objects:
        rows = changed if result.change.outcome in (Outcome.CHANGED, Outcome.DRIFTED, Outcome.FAILED) else others
        if result.change.outcome is Outcome.OTHER:
            continue
        if len(rows) < _ROWS:
            rows.append(_row(result, facts))
        else:
            more += 1
    tables = ["".join(_table(changed))] if changed else []
    if others:
        tables.append("".join(["<details>\n<summary>other objects</summary>\n\n", *_table(others), "\n</details>\n"]))
    return [*tables, *([f"{more} more objects\n"] if more else [])]


def _table(rows: list[str]) -> Iterator[str]:
    yield "| outcome | object | where | what |\n| --- | --- | --- | --- |\n"
    yield from rows


def _row(result: ObjectResult, facts: RunFacts) -> str:
    said = ": ".join(filter(None, [result.change.reason, result.change.summary]))
    place = code(str(result.place)) if result.place else ""
    word = outcome_word(result.change.outcome, facts)
    return f"| {cell(word)} | {cell(str(result.reference))} | {place} | {cell(said)} |\n"
