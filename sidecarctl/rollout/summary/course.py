"""The course of a rollout: the states of the pods of a SidecarSet, round by round."""

from collections import Counter

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.rollout.pods.pod_progress import Eligibility
from sidecarctl.rollout.round.set_rollout import SetRollout


class RoundCounts(NamedTuple):
    """The states of the pods of a SidecarSet after its pass of a round; `round` is 0 at the start.

    The numbers from `updated` to `not_upgradable` add up to the matched pods. `updated` pods are available;
    `updating` are updated and not available, which maxUnavailable limits; `in_flight` have an earlier update that
    does not end; `held_back` are those that partition, selector, `paused` or NotUpdate keep as they are.
    `unavailable` counts all pods that are not available, updated or not.
    """

    round: int
    updated: int
    updating: int
    in_flight: int
    waiting: int
    held_back: int
    not_upgradable: int
    unavailable: int

    @property
    def matched(self) -> int:
        """All pods of the SidecarSet."""
        return sum(self[1:7])


def round_counts(rollout: SetRollout, number: int) -> RoundCounts:
    """The current states of the pods, after a pass."""
    by_eligibility: Counter[Eligibility] = Counter()
    updating = unavailable = 0
    for progress, pods in rollout.pods.tally.items():
        by_eligibility[progress.eligibility] += pods
        unavailable += 0 if progress.available else pods
        updating += pods if progress.holds_budget else 0
    candidates = by_eligibility[Eligibility.CANDIDATE]
    held = candidates if rollout.held else min(max(rollout.window.partition_pods, 0), candidates)
    return RoundCounts(
        number,
        by_eligibility[Eligibility.UPDATED] - updating,
        updating,
        by_eligibility[Eligibility.BUSY],
        candidates - held,
        held + by_eligibility[Eligibility.NOT_SELECTED],
        by_eligibility[Eligibility.NOT_UPGRADABLE],
        unavailable,
    )


def appended(course: list[RoundCounts], counts: RoundCounts) -> None:
    """Go on with a course, which has no entry for a round in which no number changes."""
    if not course or course[-1][1:] != counts[1:]:
        course.append(counts)
