"""The difference of two versions of sets as Markdown, fit for a pull request's comment."""

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
    """What it comes to in one line, the verdicts, then a folded section for each SidecarSet that differs."""
    del page
    facts = report.facts
    return fitting(f"**{cell(headline(facts))}**\n\n{verdict_table(facts)}", folded_sections(facts), "set")


def verdict_table(facts: DiffFacts) -> str:
    """The SidecarSets that differ, each with its verdict."""
    differing = [one for one in facts.sets if one.change.change != "unchanged"]
    head = ["### SidecarSets", ""]
    if differing:
        head += ["| SidecarSet | |", "| --- | --- |"]
        head += [f"| {code(one.change.name)} | {cell(heading(one.change))} |" for one in differing]
    else:
        head.append("No SidecarSet differs.")
    return "\n".join(head) + "\n"


def folded_sections(facts: DiffFacts) -> list[str]:
    """The details of each SidecarSet that differs, folded."""
    return ["\n".join(_section(one)) + "\n" for one in facts.sets if one.change.change != "unchanged"]


def _section(one: SetDiff) -> Iterator[str]:
    change = one.change
    yield f"<details><summary>{code(change.name)}: {cell(_short(change))}</summary>"
    yield ""
    yield from (f"- {cell(reason)}" for reason in reasons(one))
    if change.fields:
        yield from _fields(change)
    yield from ("", "</details>")


def _short(change: SetChange) -> str:
    fields = len(change.fields)
    word = str(change.verdict) if change.change == "changed" else change.change
    return f"{word}; {count(fields, 'field')}" if fields else word


def _fields(change: SetChange) -> Iterator[str]:
    yield from ("", "| field | before | after | |", "| --- | --- | --- | --- |")
    for one in change.fields[:SHOWN_FIELDS]:
        values = f"{code(field_value(one.before))} | {code(field_value(one.after))}"
        yield f"| {code(one.text)} | {values} | {field_note(change, one)} |"
    if len(change.fields) > SHOWN_FIELDS:
        yield f"\n{len(change.fields) - SHOWN_FIELDS} more fields."
