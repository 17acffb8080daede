"""A change as a comment on a pull request: its effect, what changes, the findings; all details folded.

It starts with a hidden marker, by which CI finds the comment to update.
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.comparing.set_changes import SetChange
from sidecarctl.engine.comparing.set_diff import DiffFacts, SetDiff, verdict_sentence
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.report import Report
from sidecarctl.features.diff.sentences import (
    SHOWN_FIELDS,
    field_note,
    field_value,
    headline,
    reasons,
    what_changes,
    words_of,
)
from sidecarctl.features.diff.tree_diff import TreeChange, TreeDiffFacts
from sidecarctl.features.diff.trees import Alike, alike, headed, trees_summary, workload_said
from sidecarctl.render.lines import count, named
from sidecarctl.render.markdown import MARKER, MOST_ROWS, cell, code, diff_block, fitting, folded, linked
from sidecarctl.render.output import Links, Page
from sidecarctl.render.run.findings import every_finding, most_severe_first, other_behavior
from sidecarctl.render.run.markdown import finding_item

_SHOWN_VALUE = 120


def diff_markdown(report: Report[DiffFacts], page: Page) -> str:
    """The comment about two versions."""
    head = [*_head(report, headline(report.facts), page.config), *_set_table(report.facts, page.links)]
    sections = [*_finding_sections(report, page.links), *_set_sections(report.facts)]
    return fitting("\n".join(head) + "\n", sections, "section")


def tree_markdown(report: Report[TreeDiffFacts], page: Page) -> str:
    """The comment about two trees."""
    facts, groups = report.facts, alike(report.facts.workloads)
    head = _head(report, f"{headline(facts.sets).rstrip('.')}; {trees_summary(facts)}", page.config)
    head += [*_set_table(facts.sets, page.links), *_workload_table(groups)]
    sections = [*_finding_sections(report, page.links), *_set_sections(facts.sets)]
    sections += filter(None, map(_workload_section, groups))
    return fitting("\n".join(head) + "\n", sections, "section")


def _head(report: Report[DiffFacts] | Report[TreeDiffFacts], line: str, config: str) -> list[str]:
    behavior = other_behavior(report)
    said = [f"behavior: {cell(behavior)}"] if behavior else []
    said += [f"settings: {code(config)}"] if config else []
    return [MARKER, f"**{cell(line)}**", "", *(part for each in said for part in (each, ""))]


def _set_table(facts: DiffFacts, links: Links) -> Iterator[str]:
    """The SidecarSets that differ: every verdict, the fields that change, and what each verdict means for pods."""
    differing = [difference for difference in facts.sets if difference.differs]
    if not differing:
        yield "No SidecarSet differs."
        return
    yield "| SidecarSet | verdict | what changes | what it means for pods |"
    yield "| --- | --- | --- | --- |"
    for difference in differing[:MOST_ROWS]:
        name = linked(difference.change.name, difference.place, links)
        verdicts = "<br>".join(map(cell, words_of(difference)))
        means = "<br>".join(
            cell(verdict_sentence(difference, verdict).rstrip(".")) for verdict in difference.change.verdicts
        )
        yield f"| {name} | {verdicts} | {cell(what_changes(difference))} | {means} |"
    if len(differing) > MOST_ROWS:
        yield f"\n{len(differing) - MOST_ROWS} more below."


def _workload_table(groups: Sequence[Alike]) -> Iterator[str]:
    if not groups:
        return
    yield from ("", "| number | workloads | what changes in their pods |", "| ---: | --- | --- |")
    for group in groups[:MOST_ROWS]:
        yield f"| {len(group.workloads):,} | {_names(group)} | {cell(workload_said(group.first))} |"
    if len(groups) > MOST_ROWS:
        yield f"\n{len(groups) - MOST_ROWS} more below."


def _finding_sections(report: Report[DiffFacts] | Report[TreeDiffFacts], links: Links) -> Iterator[str]:
    """Errors and warnings, then notes, folded."""
    findings = most_severe_first(dict.fromkeys(every_finding(report)))
    grave = [finding for finding in findings if finding.severity is not Severity.NOTE]
    notes = findings[len(grave) :]
    if grave:
        more = grave[MOST_ROWS:]
        yield _items(grave[:MOST_ROWS], links)
        yield from [folded(count(len(more), "more finding"), _items(more, links))] if more else []
    if notes:
        yield folded(count(len(notes), "note"), _items(notes, links))


def _items(findings: Sequence[Finding], links: Links) -> str:
    return "".join(f"- {finding_item(finding, links)}\n" for finding in findings)


def _set_sections(facts: DiffFacts) -> Iterator[str]:
    """The details of each SidecarSet that differs, folded."""
    for difference in facts.sets:
        if difference.differs:
            yield folded(f"{code(difference.change.name)}: {cell(_short(difference))}", _details(difference))


def _details(difference: SetDiff) -> str:
    lines = [f"- {cell(reason)}" for reason in reasons(difference)]
    shown, more = difference.change.fields[:SHOWN_FIELDS], difference.change.fields[SHOWN_FIELDS:]
    change = difference.change._replace(fields=shown)
    lines += ["", *_field_rows(change)] if shown else []
    if more:
        rest = "\n".join(_field_rows(difference.change._replace(fields=more)))
        lines += ["", folded(count(len(more), "more field"), rest + "\n")]
    return "\n".join(lines) + "\n"


def _short(difference: SetDiff) -> str:
    fields, words = len(difference.change.fields), ", ".join(words_of(difference))
    return f"{words}; {count(fields, 'field')}" if fields else words


def _field_rows(change: SetChange) -> Iterator[str]:
    yield from ("| field | before | after | note |", "| --- | --- | --- | --- |")
    for field in change.fields:
        values = f"{_value(field_value(field.before))} | {_value(field_value(field.after))}"
        yield f"| {code(field.text)} | {values} | {field_note(change, field)} |"


def _value(text: str) -> str:
    """A value; the rest of a long one is folded."""
    if len(text) <= _SHOWN_VALUE:
        return code(text)
    return f"<details><summary>{code(text[:_SHOWN_VALUE])}…</summary>{code(text[_SHOWN_VALUE:])}</details>"


def _workload_section(group: Alike) -> str:
    """The folded diff of the injection; empty if there is none."""
    workload = group.first
    if workload.change not in (TreeChange.CHANGED, TreeChange.ADDED) or not (
        group.hunks or workload.injection.hashes
    ):
        return ""
    every = f"{', '.join(code(str(each.reference)) for each in group.workloads)}\n\n"
    block = diff_block(headed(workload, group.hunks)) if group.hunks else ""
    return folded(
        f"{_names(group)}: {cell(workload_said(workload))}", ("" if len(group.workloads) == 1 else every) + block
    )


def _names(group: Alike) -> str:
    return named([code(str(workload.reference)) for workload in group.workloads])
