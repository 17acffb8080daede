"""The difference of two injected trees as text, and as Markdown for a pull request's comment."""

from collections import Counter
from collections.abc import Iterator

from sidecarctl.facts.references import ObjectReference
from sidecarctl.operations.report import Report
from sidecarctl.operations.tree_diff import TreeChange, TreeDiffFacts, WorkloadDiff
from sidecarctl.reports.diff.alike import Alike, alike
from sidecarctl.reports.diff.headline import headline
from sidecarctl.reports.diff.markdown import folded_sections, verdict_table
from sidecarctl.reports.diff.text import facts_text
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.markdown import cell, code, diff_block, fitting
from sidecarctl.reports.layout.unified_diff import hunks
from sidecarctl.reports.page import Page

_HASHES = "hashes change"
_MOST_ROWS = 20
_NAMED = 3


def unified(one: WorkloadDiff) -> str:
    """What a workload's pods get, as a unified diff; empty when they get the same."""
    if one.change is TreeChange.FAILED or one.before.text == one.after.text:
        return ""
    name = shown(_path(one.reference))
    before = f"before/{name}" if one.change is not TreeChange.ADDED else "/dev/null"
    after = f"after/{name}" if one.change is not TreeChange.REMOVED else "/dev/null"
    return f"--- {before}\n+++ {after}\n{hunks(one.before.text, one.after.text)}"


def tree_text(report: Report[TreeDiffFacts], page: Page) -> str:
    """The SidecarSets' changes, a diff for each workload whose pods differ (those alike once), then the numbers."""
    diff = report.facts
    parts = [
        facts_text(diff.sets, page.width),
        *("".join(f"{shown(line)}\n" for line in _lines(one)) for one in alike(diff.workloads)),
    ]
    return "\n".join([*parts, f"{_summary(diff)}\n"])


def tree_markdown(report: Report[TreeDiffFacts], page: Page) -> str:
    """What it comes to in one line, the SidecarSets' verdicts, what is injected anew; then all details, folded."""
    del page
    diff = report.facts
    line = f"{headline(diff.sets).rstrip('.')}; {_summary(diff)}"
    head = f"**{cell(line)}**\n\n{verdict_table(diff.sets)}"
    groups = alike(diff.workloads)
    if groups:
        rows = [f"| {_names(one)} | {cell(_said(one.first))} |" for one in groups[:_MOST_ROWS]]
        more = [f"\n{len(groups) - _MOST_ROWS} more below."] if len(groups) > _MOST_ROWS else []
        table = ["| workload | what is injected |", "| --- | --- |", *rows, *more]
        head += "\n### What the pods get\n\n" + "\n".join(table) + "\n"
    return fitting(head, [*folded_sections(diff.sets), *filter(None, map(_section, groups))], "section")


def _section(group: Alike) -> str:
    """The folded diff of what is injected; empty where there is none."""
    one = group.first
    if one.change not in (TreeChange.CHANGED, TreeChange.ADDED) or not (group.hunks or one.injection.hashes):
        return ""
    block = diff_block(_headed(one, group.hunks)) if group.hunks else ""
    names = (
        "" if len(group.workloads) == 1 else f"{', '.join(code(str(each.reference)) for each in group.workloads)}\n\n"
    )
    hashes = f"\n{_HASHES}\n" if one.injection.hashes else ""
    return f"<details><summary>{_names(group)}: {cell(_said(one))}</summary>\n\n{names}{block}{hashes}\n</details>\n"


def _names(group: Alike) -> str:
    named = ", ".join(code(str(one.reference)) for one in group.workloads[:_NAMED])
    return f"{named} and {len(group.workloads) - _NAMED:,} more" if len(group.workloads) > _NAMED else named


def _headed(one: WorkloadDiff, text: str) -> str:
    name = shown(_path(one.reference))
    return f"--- before/{name}\n+++ after/{name}\n{text}"


def _lines(group: Alike) -> Iterator[str]:
    one = group.first
    more = len(group.workloads) - 1
    yield f"{one.reference}{f' and {more:,} more' if more else ''}: {_said(one)}"
    if one.change is TreeChange.CHANGED:
        yield from _headed(one, group.hunks).splitlines() if group.hunks else ()
        yield from [_HASHES] if one.injection.hashes else ()
    elif not more:
        yield from unified(one).splitlines()
    if more:
        yield from (f"  {each.reference}" for each in group.workloads)


def _said(one: WorkloadDiff) -> str:
    """`changed; logs (log-agent) -> logs (log-agent), mesh (proxy)`."""
    before, after = one.before.injected or "nothing injected", one.after.injected or "nothing injected"
    match one.change:
        case TreeChange.FAILED:
            return "failed: its pods cannot be injected"
        case TreeChange.ADDED:
            return f"added; {after}"
        case TreeChange.REMOVED:
            return f"removed; {before}"
    said = f"{one.change}; {before} -> {after}" if before != after else f"{one.change}; {after}"
    if not one.injection.own:
        return said
    same = one.injection.before == one.injection.after and not one.injection.hashes
    return f"{said}; only by the workload itself" if same else f"{said}; the workload itself changes too"


def _path(reference: ObjectReference) -> str:
    return "/".join(part for part in (reference.namespace, reference.kind, reference.name) if part)


def _summary(diff: TreeDiffFacts) -> str:
    """`3 workloads: 1 changed, 2 unchanged`."""
    counts = Counter(one.change for one in diff.workloads)
    total = len(diff.workloads)
    said = ", ".join(f"{counts[change]} {change}" for change in TreeChange if counts[change])
    return f"{total} workload{'' if total == 1 else 's'}: {said or 'none'}"
