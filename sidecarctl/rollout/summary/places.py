"""Why the pods of a wave are at their positions, each compared with the pod before it."""

from collections.abc import Iterator, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.values import Object
from sidecarctl.rollout.order.why_here import why_here
from sidecarctl.rollout.round.rollout_facts import PodPatch


def with_neighbours(
    patches: Sequence[PodPatch], before: PodPatch | None
) -> Iterator[tuple[PodPatch, PodPatch | None]]:
    """Each pod of a wave with the one before it; the first with the last of the previous wave, or else the second."""
    for index, patch in enumerate(patches):
        if index:
            yield patch, patches[index - 1]
        else:
            yield patch, before or (patches[1] if len(patches) > 1 else None)


def why_of(patch: PodPatch, neighbour: PodPatch | None, strategy: Object, labels: Labels) -> str:
    """The explanation; empty for a reset, which has no order, and for a pod without a difference."""
    if patch.sort_key is None:
        return ""
    return why_here(patch.sort_key, neighbour.sort_key if neighbour else None, strategy, labels)
