"""Two injected trees as text, and as a document of kind InjectionDiff (schemas/injection-diff.json)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import ObjectReference, document_head
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.features.diff.changed_words import changed_words
from sidecarctl.features.diff.sentences import headline
from sidecarctl.features.diff.sets import comment, found, set_blocks, set_documents, sets_summary, total_cost
from sidecarctl.features.diff.tree_diff import TreeChange, TreeDiffFacts, WorkloadDiff
from sidecarctl.render.blocks import (
    Block,
    BlockDocument,
    Column,
    Counts,
    Diff,
    Names,
    NoteList,
    Overview,
    Section,
    Table,
    columns,
)
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.lines import count, shown
from sidecarctl.render.output import Page
from sidecarctl.render.run.document import injected_json
from sidecarctl.render.unified_diff import hunks


class Alike(NamedTuple):
    """Workloads with the same change, and the hunks of the injection of the first of them."""

    workloads: Sequence[WorkloadDiff]
    hunks: str

    @property
    def first(self) -> WorkloadDiff:
        """The workload that is shown."""
        return self.workloads[0]


def alike(workloads: Iterable[WorkloadDiff]) -> list[Alike]:
    """The workloads that differ, grouped, in the order of the first of each group."""
    groups: dict[tuple[object, ...], Alike] = {}
    for workload in workloads:
        if workload.change is TreeChange.UNCHANGED:
            continue
        text = hunks(workload.injection.before, workload.injection.after)
        lines = tuple(line for line in text.splitlines() if not line.startswith((" ", "@")))
        key = (
            workload.change,
            workload.before.injected,
            workload.after.injected,
            workload.injection.hashes,
            workload.injection.own,
            lines,
        )
        group = groups.setdefault(key, Alike([], text))
        groups[key] = group._replace(workloads=[*group.workloads, workload])
    return list(groups.values())


_HASHES = "hashes change"


def unified(workload: WorkloadDiff) -> str:
    """The difference between the pods of a workload, as a unified diff; empty if there is none."""
    if workload.change is TreeChange.FAILED or workload.before.text == workload.after.text:
        return ""
    name = shown(_path(workload.reference))
    before = f"before/{name}" if workload.change is not TreeChange.ADDED else "/dev/null"
    after = f"after/{name}" if workload.change is not TreeChange.REMOVED else "/dev/null"
    return f"--- {before}\n+++ {after}\n{hunks(workload.before.text, workload.after.text)}"


def tree_blocks(report: Report[TreeDiffFacts], _page: Page) -> BlockDocument:
    """The changes of the SidecarSets, the workloads whose pods differ, then the counts."""
    facts, groups = report.facts, alike(report.facts.workloads)
    sections = tuple(map(_section, groups))
    own = tuple(set_blocks(facts.sets))
    number = sum(isinstance(block, Overview) for block in own)
    rows = [(f"{len(group.workloads):,}", _names(group), workload_summary(group.first)) for group in groups]
    head = (Column("number", is_number=True), *columns("workloads", "what changes in their pods"))
    overview = [Overview(Table(head, rows))] if rows else []
    counts = Counts(sets_summary(facts.sets)), Counts(trees_summary(facts))
    blocks: tuple[Block, ...] = (*own[:number], *overview, *own[number:], counts[0], *sections, counts[1])
    said = f"{headline(facts.sets).rstrip('.')}; {trees_summary(facts)}"
    return comment(report, facts.sets, said, blocks, has_effect=any(map(_has_effect, facts.workloads)))


def _has_effect(workload: WorkloadDiff) -> bool:
    """Whether the pods of a workload get other sidecars, or it is new and gets some."""
    injection = workload.injection
    return workload.change is TreeChange.FAILED or bool(injection.fields or injection.hashes)


def _names(group: Alike) -> Names:
    return Names("workloads with this change", tuple(str(workload.reference) for workload in group.workloads))


_MOODS = {TreeChange.FAILED: "bad", TreeChange.REMOVED: "odd", TreeChange.ADDED: "good"}


def _section(group: Alike) -> Section:
    """Workloads with the same change: the diff, and which they are."""
    workload, more, said = group.first, len(group.workloads) - 1, workload_summary(group.first)
    name = f"{workload.reference}{f' and {more:,} more' if more else ''}"
    is_changed = workload.change is TreeChange.CHANGED
    text = headed(workload, group.hunks) if is_changed and group.hunks else "" if is_changed else unified(workload)
    blocks: list[Block] = [Diff(name, text, repeats=bool(more and not is_changed))] if text else []
    blocks += [NoteList((_HASHES,))] if is_changed and workload.injection.hashes else []
    if more:
        blocks.append(_names(group))
    return Section(
        name,
        said,
        tuple(blocks),
        badge="" if said.startswith(str(workload.change)) else str(workload.change),
        mood=_MOODS.get(workload.change, "held"),
        group="What the pods get",
        is_dense=True,
    )


def headed(workload: WorkloadDiff, text: str) -> str:
    """Hunks under the names of a workload's pods before and after."""
    name = shown(_path(workload.reference))
    return f"--- before/{name}\n+++ after/{name}\n{text}"


def workload_summary(workload: WorkloadDiff) -> str:
    """`log-agent 2.8.0 → 2.9.1; env LEVEL added to proxy`; of a workload in one tree only, what is injected."""
    before, after = workload.before.injected or "nothing injected", workload.after.injected or "nothing injected"
    match workload.change:
        case TreeChange.FAILED:
            return "failed: its pods cannot be injected"
        case TreeChange.ADDED:
            return f"added; {after}"
        case TreeChange.REMOVED:
            return f"removed; {before}"
    words = changed_words(workload.injection.fields)
    if not words and not workload.injection.hashes:
        return "changed only by the workload itself"
    own = "; the workload itself changes too" if workload.injection.own else ""
    return (words or "only the recorded hashes change") + own


def _path(reference: ObjectReference) -> str:
    return "/".join(part for part in (reference.namespace, reference.kind, reference.name) if part)


def trees_summary(diff: TreeDiffFacts) -> str:
    """`3 workloads: 1 changed, 2 unchanged`."""
    counts = Counter(workload.change for workload in diff.workloads)
    said = ", ".join(f"{counts[change]} {change}" for change in TreeChange if counts[change])
    return f"{count(len(diff.workloads), 'workload')}: {said or 'none'}"


def tree_data(report: Report[TreeDiffFacts]) -> Object:
    """The difference as an object of kind InjectionDiff (schemas/injection-diff.json)."""
    facts = report.facts
    return {
        **document_head("InjectionDiff", report.release.behavior, facts.gates),
        "sidecarSets": set_documents(facts.sets),
        **total_cost(facts.sets),
        "workloads": [_workload(workload) for workload in facts.workloads],
        **found(report),
    }


def _workload(workload: WorkloadDiff) -> Object:
    reference = workload.reference
    return {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        "change": str(workload.change),
        **({"what": workload_summary(workload)} if workload.change is not TreeChange.UNCHANGED else {}),
        "sidecarsChange": _has_effect(workload),
        "before": injected_json(workload.before.sets),
        "after": injected_json(workload.after.sets),
        "diff": unified(workload),
    }


FORMATS: Mapping[str, Formats] = {"tree-diff": block_formats(tree_blocks, tree_data)}
"""The formats of a difference of trees."""
