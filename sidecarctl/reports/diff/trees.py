"""The difference between two injected trees as text, and as Markdown for a pull request comment."""

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


def unified(workload: WorkloadDiff) -> str:
    """The difference between the pods of a workload, as a unified diff; empty if there is none."""
    if workload.change is TreeChange.FAILED or workload.before.text == workload.after.text:
        return ""
    name = shown(_path(workload.reference))
    before = f"before/{name}" if workload.change is not TreeChange.ADDED else "/dev/null"
    after = f"after/{name}" if workload.change is not TreeChange.REMOVED else "/dev/null"
    return f"--- {before}\n+++ {after}\n{hunks(workload.before.text, workload.after.text)}"


def tree_text(report: Report[TreeDiffFacts], page: Page) -> str:
    """The changes of the SidecarSets, a diff for each workload whose pods differ, then the counts."""
    diff = report.facts
    parts = [
        facts_text(diff.sets, page.width),
        *("".join(f"{shown(line)}\n" for line in _lines(group)) for group in alike(diff.workloads)),
    ]
    return "\n".join([*parts, f"{trees_summary(diff)}\n"])


def tree_markdown(report: Report[TreeDiffFacts], page: Page) -> str:
    """The headline, the verdicts of the SidecarSets, the changed injections; then all details, folded."""
    del page
    diff = report.facts
    line = f"{headline(diff.sets).rstrip('.')}; {trees_summary(diff)}"
    head = f"**{cell(line)}**\n\n{verdict_table(diff.sets)}"
    groups = alike(diff.workloads)
    if groups:
        rows = [f"| {_names(group)} | {cell(workload_said(group.first))} |" for group in groups[:_MOST_ROWS]]
        more = [f"\n{len(groups) - _MOST_ROWS} more below."] if len(groups) > _MOST_ROWS else []
        table = ["| workload | what is injected |", "| --- | --- |", *rows, *more]
        head += "\n### What the pods get\n\n" + "\n".join(table) + "\n"
    return fitting(head, [*folded_sections(diff.sets), *filter(None, map(_section, groups))], "section")


def _section(group: Alike) -> str:
    """The folded diff of the injection; empty if there is none."""
    workload = group.first
    if workload.change not in (TreeChange.CHANGED, TreeChange.ADDED) or not (
        group.hunks or workload.injection.hashes
    ):
        return ""
    block = diff_block(headed(workload, group.hunks)) if group.hunks else ""
    names = (
        "" if len(group.workloads) == 1 else f"{', '.join(code(str(each.reference)) for each in group.workloads)}\n\n"
    )
    hashes = f"\n{_HASHES}\n" if workload.injection.hashes else ""
    summary = f"{_names(group)}: {cell(workload_said(workload))}"
    return f"<details><summary>{summary}</summary>\n\n{names}{block}{hashes}\n</details>\n"


def _names(group: Alike) -> str:
    named = ", ".join(code(str(workload.reference)) for workload in group.workloads[:_NAMED])
    return f"{named} and {len(group.workloads) - _NAMED:,} more" if len(group.workloads) > _NAMED else named


def headed(workload: WorkloadDiff, text: str) -> str:
    """Hunks under the names of a workload's pods before and after."""
    name = shown(_path(workload.reference))
    return f"--- before/{name}\n+++ after/{name}\n{text}"


def _lines(group: Alike) -> Iterator[str]:
    workload = group.first
    more = len(group.workloads) - 1
    yield f"{workload.reference}{f' and {more:,} more' if more else ''}: {workload_said(workload)}"
    if workload.change is TreeChange.CHANGED:
        yield from headed(workload, group.hunks).splitlines() if group.hunks else ()
        yield from [_HASHES] if workload.injection.hashes else ()
    elif not more:
        yield from unified(workload).splitlines()
    if more:
        yield from (f"  {each.reference}" for each in group.workloads)


def workload_said(workload: WorkloadDiff) -> str:
    """`changed; logs (log-agent) -> logs (log-agent), mesh (proxy)`."""
    before, after = workload.before.injected or "nothing injected", workload.after.injected or "nothing injected"
    match workload.change:
        case TreeChange.FAILED:
            return "failed: its pods cannot be injected"
        case TreeChange.ADDED:
            return f"added; {after}"
        case TreeChange.REMOVED:
            return f"removed; {before}"
    said = f"{workload.change}; {before} -> {after}" if before != after else f"{workload.change}; {after}"
    if not workload.injection.own:
        return said
    same = workload.injection.before == workload.injection.after and not workload.injection.hashes
    return f"{said}; only by the workload itself" if same else f"{said}; the workload itself changes too"


def _path(reference: ObjectReference) -> str:
    return "/".join(part for part in (reference.namespace, reference.kind, reference.name) if part)


def trees_summary(diff: TreeDiffFacts) -> str:
    """`3 workloads: 1 changed, 2 unchanged`."""
    counts = Counter(workload.change for workload in diff.workloads)
    total = len(diff.workloads)
    said = ", ".join(f"{counts[change]} {change}" for change in TreeChange if counts[change])
    return f"{total} workload{'' if total == 1 else 's'}: {said or 'none'}"
