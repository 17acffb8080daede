"""The difference of two versions of sets as Markdown, fit for a pull request's comment."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.judging import SetDiff
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.diff import DiffFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.sentences import SHOWN_FIELDS, field_note, field_value, heading, reasons
from sidecarctl.reports.layout.markdown import cell, code, fitting
from sidecarctl.reports.page import Page


def diff_markdown(report: Report[DiffFacts], page: Page) -> str:
    """The verdicts first, then a section for each SidecarSet that differs."""
    del page
    return facts_markdown(report.facts)


def facts_markdown(facts: DiffFacts) -> str:
    """The same of the facts alone."""
    differing = [one for one in facts.sets if one.change.change != "unchanged"]
    head = ["### SidecarSets", ""]
    if differing:
        head += ["| SidecarSet | |", "| --- | --- |"]
        head += [f"| {code(one.change.name)} | {cell(heading(one.change))} |" for one in differing]
    else:
        head.append("No SidecarSet differs.")
    return fitting("\n".join(head) + "\n", ["\n".join(_section(one)) + "\n" for one in differing], "set")


def _section(one: SetDiff) -> Iterator[str]:
    change = one.change
    yield f"#### {code(change.name)}: {cell(heading(change))}"
    yield ""
    yield from (f"- {cell(reason)}" for reason in reasons(one))
    if change.fields:
        yield from _fields(change)


def _fields(change: SetChange) -> Iterator[str]:
    yield from ("", "| field | before | after | |", "| --- | --- | --- | --- |")
    for one in change.fields[:SHOWN_FIELDS]:
        values = f"{code(field_value(one.before))} | {code(field_value(one.after))}"
        yield f"| {code(one.text)} | {values} | {field_note(change, one)} |"
    if len(change.fields) > SHOWN_FIELDS:
        yield f"\n{len(change.fields) - SHOWN_FIELDS} more fields."
