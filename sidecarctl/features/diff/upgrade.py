"""A Kruise upgrade as text, Markdown, and a document of kind KruiseUpgrade (schemas/kruise-upgrade.json)."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.comparing.judged_changes import moved_pods
from sidecarctl.engine.comparing.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.engine.comparing.pod_effects import RolloutNumbers
from sidecarctl.engine.comparing.recreated_pods import RecreatedPods
from sidecarctl.engine.comparing.release_effects import Effect
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import document_head, findings_json, reference_json
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import Ending
from sidecarctl.engine.rollout.summary.sentences import doubt, number
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.features.diff.sentences import bar_of, field_row, mood_of, rollout_sentence
from sidecarctl.features.diff.sets import rollout_document, version_document
from sidecarctl.render.blocks import BlockDocument, Code, Counts, Fields, Items, Overview, Section, Table, columns
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.lines import count
from sidecarctl.render.output import Page
from sidecarctl.render.run.document import injected_json

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
        case Verdict.UNKNOWN:
            return f"{doubt(upgrade.doubtful)}."
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


def running_sentence(upgrade: SetUpgrade) -> str:
    """The rollout under the later release, or why it is not known; empty if there is none."""
    rollout = upgrade.running
    if upgrade.doubtful:
        return "" if upgrade.verdict is Verdict.UNKNOWN else doubt(upgrade.doubtful)
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
    is_unknown = any(upgrade.doubtful for upgrade in sets)
    return f" ({number(sum(known))}{', others unknown' if is_unknown else ''})" if known else ""


def upgrade_blocks(report: Report[UpgradeFacts], _page: Page) -> BlockDocument:
    """The SidecarSets that change, the pods that are injected differently, the counts."""
    facts = report.facts
    changing = [upgrade for upgrade in facts.sets if upgrade.effects]
    rows = [(Code(upgrade.name), heading(upgrade)) for upgrade in changing]
    overview = [Overview(Table(columns("SidecarSet", "what it means for pods"), rows))] if rows else []
    sections = (*map(_set_section, changing), *map(_pods_section, facts.recreated))
    return BlockDocument(
        title=title(facts),
        blocks=(Counts(title(facts)), *overview, *sections, Counts(summary(facts))),
        command="diff",
        findings=report.findings,
        behavior=f"{facts.before.behavior}, then {facts.after.behavior}",
        headline=summary(facts),
    )


def _set_section(upgrade: SetUpgrade) -> Section:
    sentences = filter(None, (*map(effect_sentence, upgrade.effects), running_sentence(upgrade)))
    return Section(
        f"SidecarSet {upgrade.name}",
        explanation(upgrade),
        (Items(tuple(sentences)), *bar_of(upgrade.running)),
        label=upgrade.name,
        badge=str(upgrade.verdict),
        mood=mood_of(upgrade.verdict),
        heading=heading(upgrade),
        group="SidecarSets",
    )


def _pods_section(recreated: RecreatedPods) -> Section:
    name = recreated_heading(recreated)
    fields = [Fields(name, [*map(field_row, recreated.fields)], SHOWN_FIELDS)] if recreated.fields else []
    return Section(
        name,
        "injected differently when recreated",
        (Items(tuple(applied_sentence(recreated))), *fields),
        mood="odd",
        group="Pods that are injected differently when recreated",
        is_dense=True,
    )


def upgrade_data(report: Report[UpgradeFacts]) -> Object:
    """The upgrade as an object of kind KruiseUpgrade (schemas/kruise-upgrade.json)."""
    facts = report.facts
    return {
        **document_head("KruiseUpgrade", facts.after.behavior, facts.gates),
        "behaviorBefore": facts.before.behavior,
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


FORMATS: Mapping[str, Formats] = {"kruise-upgrade": block_formats(upgrade_blocks, upgrade_data)}
"""The formats of an upgrade."""
