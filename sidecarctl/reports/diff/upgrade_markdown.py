"""The effects of a Kruise upgrade as Markdown, short enough for a ticket."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.sentences import field_value
from sidecarctl.reports.diff.upgrade_sentences import (
    SHOWN_FIELDS,
    applied_sentence,
    effect_sentence,
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
    changing = [upgrade for upgrade in facts.sets if upgrade.effects]
    head = [f"### {cell(title(facts))}", "", cell(summary(facts)), ""]
    if changing:
        head += ["| SidecarSet | |", "| --- | --- |"]
        head += [f"| {code(upgrade.name)} | {cell(heading(upgrade))} |" for upgrade in changing]
    sections = [_set_lines(upgrade) for upgrade in changing] + [
        _pod_lines(recreated) for recreated in facts.recreated
    ]
    return fitting("\n".join(head) + "\n", ["\n".join(lines) + "\n" for lines in sections], "section")


def _set_lines(upgrade: SetUpgrade) -> Iterator[str]:
    yield f"#### {code(upgrade.name)}: {cell(heading(upgrade))}"
    yield ""
    yield from (f"- {cell(effect_sentence(effect))}" for effect in upgrade.effects)
    if upgrade.running:
        yield f"- {cell(running_sentence(upgrade.running))}"


def _pod_lines(recreated: RecreatedPods) -> Iterator[str]:
    yield f"#### {cell(recreated_heading(recreated))}: injected differently when recreated"
    sentences = [f"- {cell(sentence)}" for sentence in applied_sentence(recreated)]
    yield from (["", *sentences] if sentences else [])
    if recreated.fields:
        yield from ("", "| field | before | after |", "| --- | --- | --- |")
    for field in recreated.fields[:SHOWN_FIELDS]:
        yield f"| {code(field.text)} | {code(field_value(field.before))} | {code(field_value(field.after))} |"
    if len(recreated.fields) > SHOWN_FIELDS:
        yield f"\n{len(recreated.fields) - SHOWN_FIELDS} more fields."
