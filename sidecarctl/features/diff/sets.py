"""Two versions of SidecarSets as text, Markdown, and documents (SidecarSetDiff, schemas/sidecarset-diff.json)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from sidecarctl.engine.api.pod_resources import quantities
from sidecarctl.engine.comparing.lost_and_gained import Moved, TemplatePods
from sidecarctl.engine.comparing.pod_effects import CostChange, RolloutNumbers, RolloutShift
from sidecarctl.engine.comparing.set_changes import SetChange
from sidecarctl.engine.comparing.set_diff import DiffFacts, SetDiff
from sidecarctl.engine.facts.findings import document_head, findings_json, place_json, reference_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.diff.sentences import (
    SHOWN_FIELDS,
    brief_words,
    cost_sentence,
    field_note,
    heading,
    reasons,
    short_value,
)
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import count, joined, shown
from sidecarctl.render.output import Page
from sidecarctl.render.tables import table

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage

_HASH = 12


def diff_text(report: Report[DiffFacts], page: Page) -> str:
    """The verdict of every SidecarSet that differs, its reasons, pods and fields; then the number of the others."""
    return facts_text(report.facts, page.width)


def facts_text(facts: DiffFacts, width: int | None) -> str:
    """The text of a comparison, from the facts alone."""
    differing = [difference for difference in facts.sets if difference.differs]
    parts = [joined(_set_lines(difference, width)) for difference in differing]
    parts.append(sets_summary(facts))
    return "\n".join(parts)


def _set_lines(difference: SetDiff, width: int | None) -> Iterator[str]:
    change = difference.change
    yield from wrapped(f"{change.name}: {heading(difference)}", width)
    for reason in reasons(difference):
        yield from wrapped(f"  - {reason}", width)
    if change.old and change.new and change.change != "unchanged":
        yield from _versions(change, change.old, change.new)
    if change.fields:
        yield ""
        rows = [(field.text, _values(change, index)) for index, field in enumerate(change.fields[:SHOWN_FIELDS])]
        yield from table(("FIELD", "BEFORE -> AFTER"), rows, width, "  ")
        if len(change.fields) > SHOWN_FIELDS:
            yield f"  {len(change.fields) - SHOWN_FIELDS} more fields; -o json has all of them"


def _versions(change: SetChange, old: SidecarSet, new: SidecarSet) -> Iterator[str]:
    pairs = {
        "hash": (old.hash[:_HASH], new.hash[:_HASH]),
        "hash without image": (old.hash_without_image[:_HASH], new.hash_without_image[:_HASH]),
        "revision": change.revisions,
    }
    yield ""
    for name, (before, after) in pairs.items():
        yield shown(
            f"  {name:<18}  {before} -> {after}" if before != after else f"  {name:<18}  {before} (unchanged)"
        )


def _values(change: SetChange, index: int) -> str:
    field = change.fields[index]
    note = field_note(change, field)
    return f"{short_value(field.before)} -> {short_value(field.after)}{f' ({note})' if note else ''}"


def wrapped(text: str, width: int | None) -> list[str]:
    """A sentence as lines that fit the width, if there is one."""
    line = shown(text)
    return wrap(line, width, subsequent_indent="    ", break_on_hyphens=False) if width else [line]


def sets_summary(facts: DiffFacts) -> str:
    """`4 SidecarSets: 1 SidecarLost + Recreate, 3 unchanged`, as a line."""
    counts = Counter(" + ".join(brief_words(difference)) for difference in facts.sets)
    said = ", ".join(f"{number} {word}" for word, number in counts.items())
    cost = f"; sidecars request {cost_sentence(facts.cost)}" if facts.cost else ""
    return f"{count(len(facts.sets), 'SidecarSet')}: {said or 'none'}{cost}\n"


def diff_data(report: Report[DiffFacts]) -> Object:
    """The difference as an object of kind SidecarSetDiff (schemas/sidecarset-diff.json)."""
    return {
        **document_head("SidecarSetDiff", report.release.behavior, report.facts.gates),
        "sidecarSets": set_documents(report.facts),
        **total_cost(report.facts),
        "findings": findings_json([*report.findings, *report.objections]),
    }


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
        "before": change.old and version_document(change.old, before),
        "after": change.new and version_document(change.new, after),
        "fields": _fields(change),
        "causes": list(change.causes),
        "remarks": list(change.remarks),
        "refusals": findings_json([each for each in change.findings if each.severity == "error"]),
        "rollout": difference.rollout and rollout_document(difference.rollout),
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


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    from sidecarctl.features.diff.diff_page import diff_html  # loads the template engine

    return diff_html(report, page)


def _markdown(report: Report[DiffFacts], page: Page) -> str:
    from sidecarctl.features.diff.markdown import diff_markdown

    return diff_markdown(report, page)


FORMATS: Mapping[str, Formats] = {"diff": data_formats(diff_data, text=diff_text, markdown=_markdown, html=_html)}
"""The formats of a difference."""
