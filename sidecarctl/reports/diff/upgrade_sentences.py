"""The sentences about a Kruise upgrade that all its forms share."""

from collections.abc import Iterator

from sidecarctl.facts.paths import path_text
from sidecarctl.operations.comparing.affected_pods import RunningPods
from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.comparing.release_effects import Effect
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.reports.diff.sentences import count

SHOWN_FIELDS = 12
"""The number of fields of a pod that a text shows; documents list all."""

_SENTENCES = {
    Verdict.NO_EFFECT: "Running pods stay as they are.",
    Verdict.IN_PLACE: "Running pods are updated in place once the SidecarSet is written again.",
    Verdict.RECREATE: "Once the SidecarSet is written again, running pods are outdated until they are recreated.",
    Verdict.REJECTED: "The webhook of the new release rejects the SidecarSet at its next write.",
}


def title(facts: UpgradeFacts) -> str:
    """`Upgrade of Kruise from 1.6 to 1.9`."""
    before, after = (release.behaviour.removeprefix("Kruise ") for release in (facts.before, facts.after))
    return f"Upgrade of Kruise from {before} to {after}"


def explanation(verdict: Verdict) -> str:
    """The meaning of the verdict for an upgrade."""
    return _SENTENCES[verdict]


def heading(upgrade: SetUpgrade) -> str:
    """`Recreate: Running pods count as old ...`, or that nothing changes."""
    if not upgrade.effects:
        return "nothing changes"
    return f"{upgrade.verdict}: {explanation(upgrade.verdict)}"


def effect_sentence(effect: Effect) -> str:
    """The effect, after the field that it is about."""
    return f"{path_text(effect.path)}: {effect.message}" if effect.path else effect.message


def running_sentence(pods: RunningPods) -> str:
    """The number of running pods, and what they need under the later release."""
    parts = [
        f"{pods.updated} up to date",
        f"{pods.in_place} to be updated in place" + (f" ({pods.held} held back)" if pods.held else ""),
        f"{pods.recreate} to be recreated",
    ]
    return (
        f"{count(pods.matched, 'running pod')} afterwards: {', '.join(parts)}" if pods.matched else "no running pod"
    )


def recreated_heading(recreated: RecreatedPods) -> str:
    """`Deployment shop/web, 2 pods`, or `Pod shop/web-1 and 3 more pods`."""
    if recreated.reference.kind != "Pod" or not recreated.number:
        return (
            f"{recreated.reference}, {count(recreated.number, 'pod')}"
            if recreated.number is not None
            else str(recreated.reference)
        )
    return (
        f"{recreated.reference} and {count(recreated.number - 1, 'more pod')}"
        if recreated.number > 1
        else str(recreated.reference)
    )


def applied_sentence(recreated: RecreatedPods) -> Iterator[str]:
    """Which SidecarSets apply, if that differs."""
    if recreated.before != recreated.after:
        yield f"injected: {recreated.after or 'nothing'}; before: {recreated.before or 'nothing'}"


def summary(facts: UpgradeFacts) -> str:
    """`3 SidecarSets: 2 NoEffect, 1 Recreate; 4 pods injected differently when recreated`."""
    counts: dict[str, int] = {}
    for upgrade in facts.sets:
        word = str(upgrade.verdict) if upgrade.effects else "unchanged"
        counts[word] = counts.get(word, 0) + 1
    said = ", ".join(f"{number} {word}" for word, number in counts.items())
    pods = sum(recreated.number or 0 for recreated in facts.recreated)
    more = f"; {count(pods, 'pod')} injected differently when recreated" if facts.recreated else ""
    return f"{count(len(facts.sets), 'SidecarSet')}: {said or 'none'}{more}"
