"""What an upgrade of Kruise does, as Markdown, fit for the ticket of the upgrade."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.sentences import field_value
from sidecarctl.reports.diff.upgrade_sentences import (
    SHOWN_FIELDS,
    applied_sentence,
    heading,
    recreated_heading,
    running_sentence,
    summary,
    title,
)
from sidecarctl.reports.layout.markdown import cell, code, fitting
from sidecarctl.reports.page import Page


def upgrade_markdown(report: Report[UpgradeFacts], page: Page) -> str:
    """The verdicts first, then a section for each SidecarSet that changes, and for pods."""
    del page
    facts = report.facts
    changing = [one for one in facts.sets if one.effects]
    head = [f"### {cell(title(facts))}", "", cell(summary(facts)), ""]
    if changing:
        head += ["| SidecarSet | |", "| --- | --- |"]
        head += [f"| {code(one.name)} | {cell(heading(one))} |" for one in changing]
    sections = [_set_lines(one) for one in changing] + [_pod_lines(one) for one in facts.recreated]
    return fitting("\n".join(head) + "\n", ["\n".join(lines) + "\n" for lines in sections], "section")


def _set_lines(one: SetUpgrade) -> Iterator[str]:
    yield f"#### {code(one.name)}: {cell(heading(one))}"
    yield ""
    yield from (f"- {cell(effect.message)}" for effect in one.effects)
    if one.running:
        yield f"- {cell(running_sentence(one.running))}"


def _pod_lines(one: RecreatedPods) -> Iterator[str]:
    yield f"#### {cell(recreated_heading(one))}: injected differently when created again"
    sentences = [f"- {cell(sentence)}" for sentence in applied_sentence(one)]
    yield from (["", *sentences] if sentences else [])
    if one.fields:
        yield from ("", "| field | before | after |", "| --- | --- | --- |")
    for field in one.fields[:SHOWN_FIELDS]:
        yield f"| {code(field.text)} | {code(field_value(field.before))} | {code(field_value(field.after))} |"
    if len(one.fields) > SHOWN_FIELDS:
        yield f"\n{len(one.fields) - SHOWN_FIELDS} more fields."
