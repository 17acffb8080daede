"""The difference between two versions of SidecarSets as Markdown, short enough for a pull request comment."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.judging import SetDiff
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.diff import DiffFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.headline import headline
from sidecarctl.reports.diff.sentences import SHOWN_FIELDS, count, field_note, field_value, heading, reasons
from sidecarctl.reports.layout.markdown import cell, code, fitting
from sidecarctl.reports.page import Page


def diff_markdown(report: Report[DiffFacts], page: Page) -> str:
    """The headline, the verdicts, then a folded section for each SidecarSet that differs."""
    del page
    facts = report.facts
    return fitting(f"**{cell(headline(facts))}**\n\n{verdict_table(facts)}", folded_sections(facts), "set")


def verdict_table(facts: DiffFacts) -> str:
    """The SidecarSets that differ, each with its verdict."""
    differing = [difference for difference in facts.sets if difference.change.change != "unchanged"]
    head = ["### SidecarSets", ""]
    if differing:
        head += ["| SidecarSet | |", "| --- | --- |"]
        head += [
            f"| {code(difference.change.name)} | {cell(heading(difference.change))} |" for difference in differing
        ]
    else:
        head.append("No SidecarSet differs.")
    return "\n".join(head) + "\n"


def folded_sections(facts: DiffFacts) -> list[str]:
    """The details of each SidecarSet that differs, folded."""
    return [
        "\n".join(_section(difference)) + "\n" for difference in facts.sets if difference.change.change != "unchanged"
    ]


def _section(difference: SetDiff) -> Iterator[str]:
    change = difference.change
    yield f"<details><summary>{code(change.name)}: {cell(_short(change))}</summary>"
    yield ""
    yield from (f"- {cell(reason)}" for reason in reasons(difference))
    if change.fields:
        yield from _fields(change)
    yield from ("", "</details>")


def _short(change: SetChange) -> str:
    fields = len(change.fields)
    word = str(change.verdict) if change.change == "changed" else change.change
    return f"{word}; {count(fields, 'field')}" if fields else word


def _fields(change: SetChange) -> Iterator[str]:
    yield from ("", "| field | before | after | |", "| --- | --- | --- | --- |")
    for field in change.fields[:SHOWN_FIELDS]:
        values = f"{code(field_value(field.before))} | {code(field_value(field.after))}"
        yield f"| {code(field.text)} | {values} | {field_note(change, field)} |"
    if len(change.fields) > SHOWN_FIELDS:
        yield f"\n{len(change.fields) - SHOWN_FIELDS} more fields."
