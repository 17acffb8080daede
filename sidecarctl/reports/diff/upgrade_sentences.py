"""The sentences of what an upgrade of Kruise does, which all its forms share."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.affected_pods import RunningPods
from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.reports.diff.sentences import count

SHOWN_FIELDS = 12
"""Fields of a pod that a text shows; machines get all."""

_SENTENCES = {
    Verdict.NO_EFFECT: "Running pods stay as they are.",
    Verdict.IN_PLACE: "Running pods are updated in place, once the SidecarSet is written again.",
    Verdict.RECREATE: "Running pods count as old until they are recreated, once the SidecarSet is written again.",
    Verdict.REJECTED: "The webhook of the new release refuses the SidecarSet at its next write.",
}


def title(facts: UpgradeFacts) -> str:
    """`Upgrade of Kruise from 1.6 to 1.9`."""
    before, after = (one.behaviour.removeprefix("Kruise ") for one in (facts.before, facts.after))
    return f"Upgrade of Kruise from {before} to {after}"


def explanation(verdict: Verdict) -> str:
    """What the verdict means here."""
    return _SENTENCES[verdict]


def heading(one: SetUpgrade) -> str:
    """`Recreate: Running pods count as old ...`, or that nothing is otherwise."""
    if not one.effects:
        return "nothing changes"
    return f"{one.verdict}: {explanation(one.verdict)}"


def running_sentence(pods: RunningPods) -> str:
    """How many pods run, and what they need under the later release."""
    parts = [
        f"{pods.updated} up to date",
        f"{pods.in_place} to be updated in place" + (f" ({pods.held} held back)" if pods.held else ""),
        f"{pods.recreate} to be recreated",
    ]
    return (
        f"{count(pods.matched, 'running pod')} afterwards: {', '.join(parts)}" if pods.matched else "no running pod"
    )


def recreated_heading(one: RecreatedPods) -> str:
    """`Deployment shop/web, 2 pods`, or `Pod shop/web-1 and 3 more pods`."""
    if one.reference.kind != "Pod" or not one.number:
        return f"{one.reference}, {count(one.number, 'pod')}" if one.number is not None else str(one.reference)
    return f"{one.reference} and {count(one.number - 1, 'more pod')}" if one.number > 1 else str(one.reference)


def applied_sentence(one: RecreatedPods) -> Iterator[str]:
    """Which SidecarSets apply, where that is not the same."""
    if one.before != one.after:
        yield f"injected: {one.after or 'nothing'}; before: {one.before or 'nothing'}"


def summary(facts: UpgradeFacts) -> str:
    """`3 SidecarSets: 2 NoEffect, 1 Recreate; 4 pods injected differently when created again`."""
    counts: dict[str, int] = {}
    for one in facts.sets:
        word = str(one.verdict) if one.effects else "unchanged"
        counts[word] = counts.get(word, 0) + 1
    said = ", ".join(f"{number} {word}" for word, number in counts.items())
    pods = sum(one.number or 0 for one in facts.recreated)
    more = f"; {count(pods, 'pod')} injected differently when created again" if facts.recreated else ""
    return f"{count(len(facts.sets), 'SidecarSet')}: {said or 'none'}{more}"
