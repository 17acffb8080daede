"""A Kruise upgrade as text, Markdown, and a document of kind KruiseUpgrade (schemas/kruise-upgrade.json)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sidecarctl.engine.comparing.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.engine.comparing.pod_effects import RolloutNumbers
from sidecarctl.engine.comparing.recreated_pods import RecreatedPods
from sidecarctl.engine.comparing.release_effects import Effect
from sidecarctl.engine.comparing.set_diff import moved_pods
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import document_head, findings_json, reference_json
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import Ending
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.features.diff.sentences import field_value, rollout_sentence, short_value
from sidecarctl.features.diff.sets import rollout_document, version_document, wrapped
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import count, joined
from sidecarctl.render.markdown import cell, code, fitting
from sidecarctl.render.output import Page
from sidecarctl.render.run.document import injected_json
from sidecarctl.render.tables import table

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage

SHOWN_FIELDS = 12
"""The number of fields of a pod that a text shows; documents list all."""


def title(facts: UpgradeFacts) -> str:
    """`Upgrade of Kruise from 1.6 to 1.9`."""
    before, after = (release.behavior.removeprefix("Kruise ") for release in (facts.before, facts.after))
    return f"{'Downgrade' if facts.is_downgrade else 'Upgrade'} of Kruise from {before} to {after}"


def explanation(upgrade: SetUpgrade) -> str:
    """What the verdict means for an upgrade, with the number of pods."""
    rollout = upgrade.running if upgrade.running and upgrade.running.matched else None
    match upgrade.verdict:
        case Verdict.SIDECAR_LOST:
            return f"{moved_pods(upgrade.moves.lost)}, once recreated, without its sidecars."
        case Verdict.SIDECAR_GAINED:
            return f"{moved_pods(upgrade.moves.gained)}, once recreated, with its sidecars."
        case Verdict.REJECTED:
            return f"The webhook of {upgrade.after.release.behavior} rejects the SidecarSet at its next write."
        case Verdict.IN_PLACE:
            said = rollout.sentence if rollout else "running pods are updated in place"
            return f"Once the SidecarSet is written again, {said}."
        case Verdict.RECREATE:
            pods = f"{_pods(rollout.recreate, rollout)} (of {rollout.matched:,})" if rollout else "running pods"
            return f"Once the SidecarSet is written again, {pods} must be recreated to be updated."
    if rollout:
        return f"{_pods(rollout.matched, rollout)} {'stays' if rollout.matched == 1 else 'stay'} as before."
    return "Running pods stay as they are."


def _pods(count: int, rollout: RolloutNumbers) -> str:
    return f"{number(count)} of workloads" if rollout.synthetic else number(count, "running pod")


def heading(upgrade: SetUpgrade) -> str:
    """`Recreate: Once the SidecarSet is written again ...`, or that nothing changes."""
    if not upgrade.effects:
        return "nothing changes"
    return f"{upgrade.verdict}: {explanation(upgrade)}"


def effect_sentence(effect: Effect) -> str:
    """The field, and the effect on it."""
    return f"{path_text(effect.path)}: {effect.message}" if effect.path else effect.message


def running_sentence(rollout: RolloutNumbers | None) -> str:
    """The rollout under the later release; empty if there is none."""
    if rollout is None or (rollout.ending is Ending.NOTHING_TO_DO and not rollout.left_out):
        return ""
    return rollout_sentence(rollout).replace("rollout", "rollout afterward", 1)


def recreated_heading(recreated: RecreatedPods) -> str:
    """`Deployment shop/web, 2 pods`, or `Pod shop/web-1 and 3 more pods`."""
    if recreated.reference.kind != "Pod" or not recreated.number:
        pods = "" if recreated.number is None else f", {count(recreated.number, 'pod')}"
    else:
        pods = f" and {count(recreated.number - 1, 'more pod')}" if recreated.number > 1 else ""
    return f"{recreated.reference}{pods}"


def applied_sentence(recreated: RecreatedPods) -> Iterator[str]:
    """Which SidecarSets apply, if that differs."""
    if recreated.before != recreated.after:
        before, after = recreated.applied
        yield f"injected: {after}; before: {before}"


def summary(facts: UpgradeFacts) -> str:
    """`3 SidecarSets: 2 NoEffect (40 pods), 1 Recreate (9 pods); 4 pods injected differently when recreated`."""
    counts: dict[str, list[SetUpgrade]] = {}
    for upgrade in facts.sets:
        counts.setdefault(str(upgrade.verdict) if upgrade.effects else "unchanged", []).append(upgrade)
    said = ", ".join(f"{len(sets)} {word}{_of_pods(sets)}" for word, sets in counts.items())
    numbers = [recreated.number for recreated in facts.recreated]
    known = count(sum(filter(None, numbers)), "pod") if any(numbers) else ""
    pods = " and ".join(filter(None, (known, "an unknown number of pods" if None in numbers else "")))
    more = f"; {pods} injected differently when recreated" if facts.recreated else ""
    return f"{count(len(facts.sets), 'SidecarSet')}: {said or 'none'}{more}"


def _of_pods(sets: Sequence[SetUpgrade]) -> str:
    known = [upgrade.running.matched for upgrade in sets if upgrade.running]
    return f" ({number(sum(known))})" if known else ""


def upgrade_text(report: Report[UpgradeFacts], page: Page) -> str:
    """The SidecarSets that change, the pods that are injected differently, the counts."""
    facts, width = report.facts, page.width
    parts = [title(facts) + "\n"]
    parts += [joined(_set_lines(upgrade, width)) for upgrade in facts.sets if upgrade.effects]
    parts += [joined(_pod_lines(recreated, width)) for recreated in facts.recreated]
    return "\n".join([*parts, summary(facts) + "\n"])


def _set_lines(upgrade: SetUpgrade, width: int | None) -> Iterator[str]:
    yield from wrapped(f"{upgrade.name}: {heading(upgrade)}", width)
    for effect in upgrade.effects:
        yield from wrapped(f"  - {effect_sentence(effect)}", width)
    if sentence := running_sentence(upgrade.running):
        yield from wrapped(f"  - {sentence}", width)


def _pod_lines(recreated: RecreatedPods, width: int | None) -> Iterator[str]:
    yield from wrapped(f"{recreated_heading(recreated)}: injected differently when recreated", width)
    for sentence in applied_sentence(recreated):
        yield from wrapped(f"  - {sentence}", width)
    if recreated.fields:
        rows = [
            (field.text, f"{short_value(field.before)} -> {short_value(field.after)}")
            for field in recreated.fields[:SHOWN_FIELDS]
        ]
        yield from table(("FIELD", "BEFORE -> AFTER"), rows, width, "  ")
    if len(recreated.fields) > SHOWN_FIELDS:
        yield f"  {len(recreated.fields) - SHOWN_FIELDS} more fields; -o json has all of them"


def upgrade_markdown(report: Report[UpgradeFacts], _page: Page) -> str:
    """The verdicts first, then a section for each SidecarSet that changes, and for pods."""
    facts = report.facts
    changing = [upgrade for upgrade in facts.sets if upgrade.effects]
    head = [f"### {cell(title(facts))}", "", cell(summary(facts)), ""]
    if changing:
        head += ["| SidecarSet | what it means for pods |", "| --- | --- |"]
        head += [f"| {code(upgrade.name)} | {cell(heading(upgrade))} |" for upgrade in changing]
    sections = [_set_section(upgrade) for upgrade in changing] + [
        _pod_section(recreated) for recreated in facts.recreated
    ]
    return fitting("\n".join(head) + "\n", ["\n".join(lines) + "\n" for lines in sections], "section")


def _set_section(upgrade: SetUpgrade) -> Iterator[str]:
    yield f"#### {code(upgrade.name)}: {cell(heading(upgrade))}"
    yield ""
    yield from (f"- {cell(effect_sentence(effect))}" for effect in upgrade.effects)
    if sentence := running_sentence(upgrade.running):
        yield f"- {cell(sentence)}"


def _pod_section(recreated: RecreatedPods) -> Iterator[str]:
    yield f"#### {cell(recreated_heading(recreated))}: injected differently when recreated"
    sentences = [f"- {cell(sentence)}" for sentence in applied_sentence(recreated)]
    yield from (["", *sentences] if sentences else [])
    if recreated.fields:
        yield from ("", "| field | before | after |", "| --- | --- | --- |")
    for field in recreated.fields[:SHOWN_FIELDS]:
        yield f"| {code(field.text)} | {code(field_value(field.before))} | {code(field_value(field.after))} |"
    if len(recreated.fields) > SHOWN_FIELDS:
        yield f"\n{len(recreated.fields) - SHOWN_FIELDS} more fields."


def upgrade_data(report: Report[UpgradeFacts]) -> Object:
    """The upgrade as an object of kind KruiseUpgrade (schemas/kruise-upgrade.json)."""
    facts = report.facts
    return {
        **document_head("KruiseUpgrade", facts.after.behavior, facts.gates),
        "behaviourBefore": facts.before.behavior,
        "sidecarSets": [_set(upgrade) for upgrade in facts.sets],
        "recreatedPods": [_recreated(recreated) for recreated in facts.recreated],
        "findings": findings_json(report.findings),
    }


def _set(upgrade: SetUpgrade) -> Object:
    members: Object = {
        "name": upgrade.name,
        "verdict": str(upgrade.verdict),
        "explanation": explanation(upgrade),
        "before": version_document(upgrade.before, revision_name(upgrade.before)),
        "after": version_document(upgrade.after, revision_name(upgrade.after)),
        "effects": [_effect(effect) for effect in upgrade.effects],
    }
    if upgrade.running:
        members["rollout"] = rollout_document(upgrade.running)
    return members


def _effect(effect: Effect) -> Object:
    return {
        "topic": str(effect.topic),
        "severity": str(effect.severity),
        "path": path_text(effect.path),
        "message": effect.message,
    }


def _recreated(recreated: RecreatedPods) -> Object:
    sets, rejections = recreated.injected, recreated.rejections
    return {
        "object": reference_json(recreated.reference),
        "pods": recreated.number,
        "before": injected_json(sets[0]),
        "after": injected_json(sets[1]),
        **({"rejectedBefore": rejections[0]} if rejections[0] else {}),
        **({"rejectedAfter": rejections[1]} if rejections[1] else {}),
        "fields": [
            {"path": field.text, "before": field.before, "after": field.after, "order": field.is_order}
            for field in recreated.fields
        ],
    }


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    from sidecarctl.features.diff.diff_page import upgrade_html  # loads the template engine

    return upgrade_html(report, page)


FORMATS: Mapping[str, Formats] = {
    "kruise-upgrade": data_formats(upgrade_data, text=upgrade_text, markdown=upgrade_markdown, html=_html)
}
"""The formats of an upgrade."""
