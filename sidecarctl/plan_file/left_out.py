"""Patches that a selection of SidecarSets and waves leaves out, although a selected patch builds on them.

An annotation of a pod holds the entries of all its SidecarSets: a later patch also writes what an earlier one
recorded, and would record an update that nobody made.
"""

from collections.abc import Collection, Sequence

from sidecarctl.facts.errors import ImpossibleError, impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.plan_file.reading import PlannedPatch


def refuse_left_out(
    patches: Sequence[PlannedPatch], chosen: Sequence[PlannedPatch], waves: Collection[int], only: Collection[str]
) -> None:
    """ImpossibleError (LeftOutPatch) if an earlier patch of the pod of a selected patch is left out.

    `patches` are all patches of the plan, in order. Waves before the first of `waves` count as applied.
    """
    wanted = set(map(id, chosen))
    left_out: dict[tuple[str, str], PlannedPatch] = {}
    for patch in patches:
        if id(patch) in wanted:
            if patch.pod in left_out:
                raise _builds_on(patch, left_out[patch.pod], only)
        elif (only and patch.set_name not in only) or not waves or patch.wave > min(waves):
            left_out.setdefault(patch.pod, patch)


def _builds_on(patch: PlannedPatch, earlier: PlannedPatch, only: Collection[str]) -> ImpossibleError:
    message = (
        f"the patch of {patch.set_name} in wave {patch.wave} builds on that of {earlier.set_name} in wave "
        f"{earlier.wave}, which is left out: it would record an update of {earlier.set_name} that was not made"
    )
    if only and earlier.set_name not in only:
        hint = f"plan the SidecarSet alone, with plan --only {patch.set_name}, and render that plan"
    else:
        hint = f"add --wave {earlier.wave}, or render that wave and the waves before it first"
    problem = impossible(Reason.LEFT_OUT_PATCH, message, hint=hint)
    subject = ObjectReference("v1", "Pod", patch.namespace, patch.name)
    return ImpossibleError(problem.findings[0]._replace(subject=subject))
