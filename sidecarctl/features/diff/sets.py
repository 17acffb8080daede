"""Two versions of SidecarSets as blocks, and as documents (SidecarSetDiff, schemas/sidecarset-diff.json)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidecarctl.engine.api.pod_resources import quantities
from sidecarctl.engine.comparing.judged_changes import SetDiff, verdict_sentence
from sidecarctl.engine.comparing.lost_and_gained import Moved, TemplatePods
from sidecarctl.engine.comparing.pod_effects import CostChange, RolloutNumbers, RolloutShift
from sidecarctl.engine.comparing.set_changes import SetChange
from sidecarctl.engine.comparing.set_diff import DiffFacts
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.findings import Severity, document_head, findings_json, place_json, reference_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.diff.sentences import (
    SHOWN_FIELDS,
    bar_of,
    brief_words,
    cost_sentence,
    field_note,
    field_row,
    heading,
    headline,
    mood_of,
    reasons,
    what_changes,
    words_of,
)
from sidecarctl.render.blocks import (
    Block,
    BlockDocument,
    Code,
    Counts,
    Diff,
    Fields,
    Items,
    Lines,
    Overview,
    Section,
    Table,
    VersionList,
    columns,
)
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.lines import count
from sidecarctl.render.output import Page
from sidecarctl.render.run.findings import BASE, every_finding, most_severe_first, other_behavior
from sidecarctl.render.unified_diff import hunks

_HASH = 12


def diff_blocks(report: Report[DiffFacts], _page: Page) -> BlockDocument:
    """What differs in each SidecarSet, then the counts."""
    facts = report.facts
    return comment(report, facts, headline(facts), (*set_blocks(facts), Counts(sets_summary(facts))))


def comment(
    report: Report[Any], facts: DiffFacts, said: str, blocks: tuple[Block, ...], *, has_effect: bool = False
) -> BlockDocument:
    """The document of a difference, whose Markdown is a comment on a pull request.

    `has_effect`: something other than SidecarSets changes what pods get.
    """
    has_effect |= any(item.change.verdict is not Verdict.NO_EFFECT for item in facts.sets)
    return BlockDocument(
        title=f"Changes {facts.compared}" if facts.compared else "Changes of SidecarSets",
        blocks=blocks,
        command="diff",
        findings=(findings := most_severe_first(every_finding(report))),
        known=report.suppressed,
        is_idle=not (has_effect or any(item.severity is not Severity.NOTE for item in findings)),
        behavior=report.release.behavior,
        headline=with_gaps(said, report),
        is_comment=True,
        other_behavior=other_behavior(report),
    )


def with_gaps(headline: str, report: Report[Any]) -> str:
    """The headline, after a warning if a part could not be read."""
    return f"Incomplete, since not everything could be read. {headline}" if report.failure else headline


def set_blocks(facts: DiffFacts) -> Iterator[Block]:
    """The SidecarSets that differ: all at a glance, then a section for each."""
    differing = [difference for difference in facts.sets if difference.differs]
    head = columns("SidecarSet", "verdict", "what changes", "what it means for pods")
    yield Overview(Table(head, [*map(_overview_row, differing)]))
    yield from map(_section, differing)


def _overview_row(difference: SetDiff) -> tuple[Code, Lines, str, Lines]:
    """Every verdict, the fields that change, and what each verdict means for pods."""
    change = difference.change
    means = (verdict_sentence(difference, verdict).rstrip(".") for verdict in change.verdicts)
    name = Code(change.name, difference.place)
    return name, Lines(words_of(difference)), what_changes(difference), Lines(tuple(means))


def _section(difference: SetDiff) -> Section:
    change, rollout, name = difference.change, difference.rollout, f"SidecarSet {difference.change.name}"
    stalls = rollout is not None and rollout.waiting > 0 and change.verdict is Verdict.IN_PLACE
    what = what_changes(difference) if change.change == "changed" else ""
    blocks: list[Block] = [Items(tuple(reasons(difference))), *bar_of(rollout)]
    if change.old and change.new:
        blocks += (
            [VersionList(tuple(_versions(change, change.old, change.new)))] if change.change != "unchanged" else []
        )
    if change.fields:
        rows = [field_row(field, field_note(change, field)) for field in change.fields]
        blocks.append(Fields(name, rows, SHOWN_FIELDS))
    if change.old and change.new:
        specs = (block_text({"spec": each.spec}) for each in (change.old, change.new))
        blocks += [Diff(name, text, repeats=True)] if (text := hunks(*specs)) else []
    return Section(
        name,
        ". ".join(filter(None, [what, change.explanation])),
        tuple(blocks),
        label=change.name,
        badge=", ".join(words_of(difference)),
        mood="odd" if stalls else mood_of(change.verdict),
        heading=heading(difference),
        group="SidecarSets",
    )


def _versions(change: SetChange, old: SidecarSet, new: SidecarSet) -> Iterator[tuple[str, str, str]]:
    yield "hash", old.hash[:_HASH], new.hash[:_HASH]
    yield "hash without image", old.hash_without_image[:_HASH], new.hash_without_image[:_HASH]
    yield "revision", *change.revisions


def sets_summary(facts: DiffFacts) -> str:
    """`4 SidecarSets: 1 SidecarLost + Recreate, 3 unchanged`."""
    counts = Counter(" + ".join(brief_words(difference)) for difference in facts.sets)
    said = ", ".join(f"{number} {word}" for word, number in counts.items())
    cost = f"; sidecars request {cost_sentence(facts.cost)}" if facts.cost else ""
    return f"{count(len(facts.sets), 'SidecarSet')}: {said or 'none'}{cost}"


def diff_data(report: Report[DiffFacts]) -> Object:
    """The difference as an object of kind SidecarSetDiff (schemas/sidecarset-diff.json)."""
    return {
        **document_head("SidecarSetDiff", report.release.behavior, report.facts.gates),
        "sidecarSets": set_documents(report.facts),
        **total_cost(report.facts),
        **found(report),
    }


def found(report: Report[Any]) -> Object:
    """What is new in the change, and what was found before it too, if anything was."""
    known = [item._replace(suppressed_by="") for item in report.suppressed if item.suppressed_by == BASE]
    base = {"baseFindings": findings_json(known)} if known else {}
    return {"findings": findings_json([*report.findings, *report.objections]), **base}


def set_documents(facts: DiffFacts) -> list[Object]:
    """The SidecarSets of a difference, each as an object."""
    return [_set(difference) for difference in facts.sets]


def total_cost(facts: DiffFacts) -> Object:
    """The member `cost` of the document, if there is any."""
    return {"cost": cost_document(facts.cost)} if facts.cost else {}


def cost_document(cost: CostChange) -> Object:
    """What sidecars request more or less."""
    pods = "running" if cost.running else "workloads"
    return {"pods": pods, "changedPods": cost.pods, "change": quantities(cost.change)}


def _set(difference: SetDiff) -> Object:
    change = difference.change
    before, after = change.revisions
    members: Object = {
        "name": change.name,
        "change": change.change,
        "verdict": str(change.verdict),
        "verdicts": [str(verdict) for verdict in change.verdicts],
        "explanation": change.explanation,
        "summary": {
            "what": what_changes(difference),
            "means": [verdict_sentence(difference, verdict) for verdict in change.verdicts],
            "reasons": [*reasons(difference)],
        },
        **place_json(difference.place),
        "before": change.old and version_document(change.old, before),
        "after": change.new and version_document(change.new, after),
        "fields": _fields(change),
        "causes": list(change.causes),
        "remarks": list(change.remarks),
        "refusals": findings_json([each for each in change.findings if each.severity == "error"]),
        "rollout": difference.rollout and rollout_document(difference.rollout),
        "newPods": difference.new_pods or None,
        "rolloutShift": difference.shift and _shift(difference.shift),
        "lost": _moved(difference.moves.lost) if difference.moves else None,
        "gained": _moved(difference.moves.gained) if difference.moves else None,
        "workloadPods": _templates(difference.moves.templates) if difference.moves else None,
        "cost": difference.cost and cost_document(difference.cost),
    }
    return {key: value for key, value in members.items() if value is not None}


def version_document(sidecarset: SidecarSet, revision: str) -> Object:
    """A version by its hashes and its revision."""
    return {
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "revision": revision,
    }


def _fields(change: SetChange) -> list[Object]:
    return [
        {
            "path": field.text,
            "before": field.before,
            "after": field.after,
            "order": field.is_order,
            "default": field.text in change.defaulted,
        }
        for field in change.fields
    ]


def rollout_document(rollout: RolloutNumbers) -> Object:
    """The numbers of a rollout, as `plan` simulates it."""
    return {
        "pods": "workloads" if rollout.synthetic else "running",
        "matchedPods": rollout.matched,
        "updatedBefore": rollout.already,
        "updatedNow": rollout.updated,
        "heldBack": {
            "partition": rollout.held_by_partition,
            "selector": rollout.held_by_selector,
            "paused": rollout.paused,
        },
        "waiting": rollout.waiting,
        "busy": rollout.busy,
        "recreate": rollout.recreate,
        "leftOut": rollout.left_out,
        "ending": str(rollout.ending),
        "message": rollout.message,
    }


def _shift(shift: RolloutShift) -> Object:
    return {"letGo": shift.let_go, "held": shift.held, "notUpdated": shift.old}


def _moved(moved: Sequence[Moved]) -> list[Object]:
    return [
        {
            "object": reference_json(item.reference),
            "pods": item.pods,
            "running": item.is_running,
            "hasThem": item.had,
            "reason": str(item.cause.reason),
            "cause": item.cause.text,
            **place_json(item.cause.place),
        }
        for item in moved
    ]


def _templates(pods: TemplatePods) -> Object:
    return {
        "workloads": pods.workloads,
        "kept": pods.kept,
        "gained": pods.gained,
        "lost": pods.lost,
        "uncountedWorkloads": pods.uncounted,
    }


FORMATS: Mapping[str, Formats] = {"diff": block_formats(diff_blocks, diff_data)}
"""The formats of a difference."""
