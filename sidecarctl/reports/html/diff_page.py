"""Two versions of SidecarSets, or two trees, as a page: verdicts, fields, pods, folded diffs."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.judging import SetDiff
from sidecarctl.operations.diff import DiffFacts
from sidecarctl.operations.report import Report
from sidecarctl.operations.tree_diff import TreeChange, TreeDiffFacts
from sidecarctl.reports.diff.alike import Alike, alike
from sidecarctl.reports.diff.headline import headline
from sidecarctl.reports.diff.sentences import SHOWN_FIELDS, field_note, field_value, heading, reasons
from sidecarctl.reports.diff.text import sets_summary
from sidecarctl.reports.diff.trees import headed, trees_summary, unified, workload_said
from sidecarctl.reports.html.differences import DiffPage, FieldRow, Section, diff_lines, mood_of, pods_parts
from sidecarctl.reports.html.findings import finding_rows
from sidecarctl.reports.page import Page

_HASH = 12
_TREE_MOODS = {TreeChange.FAILED: "bad", TreeChange.REMOVED: "odd", TreeChange.ADDED: "good"}


def diff_html(report: Report[DiffFacts], page: Page) -> Iterator[str]:
    """The page of two versions, in parts."""
    from sidecarctl.reports.html.rendering import rendered

    return rendered("diff.html", diff_page(report, page))


def tree_html(report: Report[TreeDiffFacts], page: Page) -> Iterator[str]:
    """The page of two trees, in parts."""
    from sidecarctl.reports.html.rendering import rendered

    return rendered("diff.html", tree_page(report, page))


def diff_page(report: Report[DiffFacts], page: Page) -> DiffPage:
    """The model of the page of two versions."""
    facts = report.facts
    return DiffPage(
        title="Changes of SidecarSets",
        behaviour=report.release.behaviour,
        json_file=page.json_file,
        headline=headline(facts),
        groups=(("SidecarSets", _set_sections(facts)),),
        summary=sets_summary(facts).strip(),
        findings=finding_rows(report.findings),
        data={},
    )


def tree_page(report: Report[TreeDiffFacts], page: Page) -> DiffPage:
    """The model of the page of two trees."""
    facts = report.facts
    workloads = tuple(map(_workload_section, alike(facts.workloads)))
    return DiffPage(
        title="Changes of SidecarSets and of what pods get",
        behaviour=report.release.behaviour,
        json_file=page.json_file,
        headline=headline(facts.sets),
        groups=(("SidecarSets", _set_sections(facts.sets)), ("What the pods get", workloads)),
        summary=f"{sets_summary(facts.sets).strip()}; {trees_summary(facts)}",
        findings=finding_rows(report.findings),
        data={},
    )


def _set_sections(facts: DiffFacts) -> tuple[Section, ...]:
    return tuple(_set_section(difference) for difference in facts.sets if difference.change.change != "unchanged")


def _set_section(difference: SetDiff) -> Section:
    change = difference.change
    is_changed = change.change == "changed"
    rows = (
        FieldRow(field.text, field_value(field.before), field_value(field.after), field_note(change, field))
        for field in change.fields[:SHOWN_FIELDS]
    )
    return Section(
        name=f"SidecarSet {change.name}",
        badge=str(change.verdict) if is_changed else change.change,
        mood=mood_of(change.verdict) if is_changed else "held",
        sentence=change.explanation if is_changed else heading(change),
        reasons=tuple(reasons(difference)),
        versions=tuple(_versions(difference)),
        fields=tuple(rows),
        more_fields=max(len(change.fields) - SHOWN_FIELDS, 0),
        pods=pods_parts(difference.running),
    )


def _versions(difference: SetDiff) -> Iterator[tuple[str, str, str]]:
    old, new = difference.change.old, difference.change.new
    if old and new:
        yield "hash", old.hash[:_HASH], new.hash[:_HASH]
        yield "hash without image", old.hash_without_image[:_HASH], new.hash_without_image[:_HASH]
        yield "revision", *difference.change.revisions


def _workload_section(group: Alike) -> Section:
    workload, more = group.first, len(group.workloads) - 1
    text = (
        headed(workload, group.hunks) if workload.change is TreeChange.CHANGED and group.hunks else unified(workload)
    )
    return Section(
        name=f"{workload.reference}{f' and {more:,} more' if more else ''}",
        badge=str(workload.change),
        mood=_TREE_MOODS.get(workload.change, "held"),
        sentence=workload_said(workload),
        reasons=("hashes change",) if workload.injection.hashes else (),
        names=tuple(str(each.reference) for each in group.workloads) if more else (),
        diff=diff_lines(text),
    )
