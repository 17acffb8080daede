"""What a SidecarSet change means for running pods: a word for each case."""

from enum import StrEnum


class Verdict(StrEnum):
    """What a change means for running pods, the gravest verdict first."""

    REJECTED = "Rejected"
    RECREATE = "Recreate"
    PODS_LOST = "PodsLost"
    IN_PLACE = "InPlace"
    ROLLOUT_HALTS = "RolloutHalts"
    ROLLOUT_ADVANCES = "RolloutAdvances"
    PODS_GAINED = "PodsGained"
    PACE_CHANGES = "PaceChanges"
    NO_EFFECT = "NoEffect"

    @property
    def sentence(self) -> str:
        """What the verdict means."""
        return _SENTENCES[self]

    @property
    def is_objection(self) -> bool:
        """Whether the change does not reach running pods as intended."""
        return self in (Verdict.RECREATE, Verdict.REJECTED)


_SENTENCES = {
    Verdict.NO_EFFECT: "Running pods stay as they are.",
    Verdict.IN_PLACE: "Only images change: running pods are updated in place.",
    Verdict.RECREATE: "More than images changes: running pods keep the old version until they are recreated.",
    Verdict.REJECTED: "Kruise rejects this update of the SidecarSet.",
    Verdict.ROLLOUT_ADVANCES: "The rollout advances: more pods may be updated.",
    Verdict.ROLLOUT_HALTS: "The rollout is held back: fewer pods may be updated.",
    Verdict.PACE_CHANGES: "The same pods are updated, in a different order or number at a time.",
    Verdict.PODS_LOST: "Pods are no longer selected: they keep their sidecars, which are never updated again.",
    Verdict.PODS_GAINED: "More pods are selected: running ones get the sidecars only when they are recreated.",
}


def gravest_first(verdicts: set[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts that hold, NoEffect only if no other does."""
    found = tuple(item for item in Verdict if item in verdicts and item is not Verdict.NO_EFFECT)
    return found or (Verdict.NO_EFFECT,)
