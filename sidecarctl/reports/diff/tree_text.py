"""The difference of two injected trees as text, and as Markdown for a pull request's comment."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sidecarctl.facts.references import ObjectReference
from sidecarctl.operations.tree_diff import TreeChange, TreeDiff, WorkloadDiff
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.markdown import cell, code, diff_block, fitting
from sidecarctl.reports.layout.unified_diff import hunks


def unified(one: WorkloadDiff) -> str:
    """What a workload's pods get, as a unified diff; empty when they get the same."""
    if one.change is TreeChange.FAILED or one.before.text == one.after.text:
        return ""
    name = shown(_path(one.reference))
    before = f"before/{name}" if one.change is not TreeChange.ADDED else "/dev/null"
    after = f"after/{name}" if one.change is not TreeChange.REMOVED else "/dev/null"
    return f"--- {before}\n+++ {after}\n{hunks(one.before.text, one.after.text)}"


def tree_text(diff: TreeDiff) -> str:
    """A diff for each workload whose pods differ, then the numbers."""
    parts = ["".join(f"{shown(line)}\n" for line in _lines(one)) for one in _differing(diff)]
    return "\n".join([*parts, f"{_summary(diff)}\n"])


def tree_markdown(diff: TreeDiff, head: str) -> str:
    """After a head the numbers, then a folded diff for each workload whose pods differ."""
    sections = [
        f"<details><summary>{code(str(one.reference))}: {cell(_said(one))}</summary>\n\n"
        f"{diff_block(unified(one)) if unified(one) else ''}\n</details>\n"
        for one in _differing(diff)
    ]
    return fitting(f"{head}\n### What the pods get\n\n{cell(_summary(diff))}\n", sections, "workload")


def _differing(diff: TreeDiff) -> Sequence[WorkloadDiff]:
    return [one for one in diff.workloads if one.change is not TreeChange.UNCHANGED]


def _lines(one: WorkloadDiff) -> Iterator[str]:
    yield f"{one.reference}: {_said(one)}"
    yield from unified(one).splitlines()


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
    return f"{one.change}; {before} -> {after}" if before != after else f"{one.change}; {after}"


def _path(reference: ObjectReference) -> str:
    return "/".join(part for part in (reference.namespace, reference.kind, reference.name) if part)


def _summary(diff: TreeDiff) -> str:
    """`3 workloads: 1 changed, 2 unchanged`."""
    counts = Counter(one.change for one in diff.workloads)
    total = len(diff.workloads)
    said = ", ".join(f"{counts[change]} {change}" for change in TreeChange if counts[change])
    return f"{total} workload{'' if total == 1 else 's'}: {said or 'none'}"
