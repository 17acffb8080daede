"""The patches of a plan in the requested form, each with its pod and its position in the rollout."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.facts.errors import ImpossibleError, impossible, usage_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.plan_file.pod_patches import (
    applied_to,
    condition_patch_of,
    json_patch_of,
    merge_patch_of,
    refuse_unchecked,
    strategic_patch_of,
)
from sidecarctl.engine.plan_file.reading import PlannedCondition, PlannedPatch, PlannedRollout, PodKey


class RenderForm(StrEnum):
    """The output forms of patches."""

    JSONPATCH = "jsonpatch"
    MERGE = "merge"
    STRATEGIC = "strategic"
    KUBECTL = "kubectl"
    PODS = "pods"

    @property
    def needs_pods(self) -> bool:
        """Whether the form needs the whole pods."""
        return self in (RenderForm.MERGE, RenderForm.PODS)


class Rendered(NamedTuple):
    """A patch, or a condition, for a pod."""

    set_name: str
    wave: int | None
    round: int
    target: Object
    patch_type: str
    patch: Value
    subresource: str = ""

    def document(self) -> Object:
        """The patch with its pod, SidecarSet and wave."""
        about: Object = {"sidecarSet": self.set_name, "wave": self.wave, "round": self.round}
        about |= {"target": self.target}
        subresource = {"subresource": self.subresource} if self.subresource else {}
        return {**about, "patchType": self.patch_type, **subresource, "patch": self.patch}


def chosen_patches(
    rollout: PlannedRollout, waves: Collection[int], only: Collection[str], *, simulated: bool
) -> list[PlannedPatch]:
    """The patches of the given waves (of all waves if none are given).

    ImpossibleError for a synthetic plan and for invented imageIDs, unless `simulated`, and if a patch builds on one
    that is left out; UsageError for a wave that the plan does not have.
    """
    if rollout.synthetic and not simulated:
        message = "the plan was made from workloads, not from the pods of a cluster"
        raise impossible(Reason.SYNTHETIC_PLAN, message, ("synthetic",), hint="use --simulated to render it anyway")
    own = [patch for patch in rollout.patches if not only or patch.set_name in only]
    missing = sorted(set(waves) - {patch.wave for patch in own})
    if missing:
        last = max((patch.wave for patch in own), default=0)
        raise usage_error(f"--waves: the plan has no wave {missing[0]}", hint=f"it has waves up to {last}")
    chosen = [patch for patch in own if not waves or patch.wave in waves]
    _refuse_left_out(rollout.patches, chosen, waves, only)
    if not simulated:
        _refuse_invented(chosen)
    return chosen


def rendered_patches(
    form: RenderForm, rollout: PlannedRollout, chosen: Sequence[PlannedPatch], pods: Mapping[PodKey, Object]
) -> Iterator[Rendered]:
    """The selected patches, in the order of the rollout; `pods` are the whole pods for which the plan was made.

    ImpossibleError if a pod is not as the plan expects, and for a merge patch that nothing guards.
    """
    wanted = set(map(id, chosen))
    now = dict(pods)
    for patch in rollout.patches:
        if id(patch) in wanted:
            yield _rendered(form, patch, now)
        if form.needs_pods:  # later waves see what earlier ones did
            now[patch.pod] = applied_to(patch, _pod(patch, now))


def rendered_conditions(
    rollout: PlannedRollout, chosen: Sequence[PlannedPatch], waves: Collection[int], only: Collection[str]
) -> list[Rendered]:
    """The conditions that the rounds write (of selected waves: those of the same rounds)."""
    return [
        Rendered(entry.set_name, None, entry.round, _target(entry), "strategic", condition_patch_of(entry), "status")
        for entry in chosen_conditions(rollout, chosen, waves, only)
    ]


def chosen_conditions(
    rollout: PlannedRollout, chosen: Sequence[PlannedPatch], waves: Collection[int], only: Collection[str]
) -> list[PlannedCondition]:
    """The conditions written together with the selected waves; all of them without a selection."""
    rounds = {(patch.set_name, patch.round) for patch in chosen}
    return [
        entry
        for entry in rollout.conditions
        if (not only or entry.set_name in only) and (not waves or (entry.set_name, entry.round) in rounds)
    ]


def resulting_pods(
    rollout: PlannedRollout, chosen: Sequence[PlannedPatch], pods: Mapping[PodKey, Object]
) -> list[Object]:
    """The pods after the selected patches, each once, in the order of their first patches."""
    now = dict(pods)
    last = {patch.pod: id(patch) for patch in chosen}
    result: dict[PodKey, Object] = {name: {} for name in last}
    for patch in rollout.patches:
        if patch.pod in last:
            now[patch.pod] = applied_to(patch, _pod(patch, now))
            if last[patch.pod] == id(patch):
                result[patch.pod] = now[patch.pod]
    return list(result.values())


def _rendered(form: RenderForm, patch: PlannedPatch, pods: Mapping[PodKey, Object]) -> Rendered:
    made: tuple[str, Value]
    if form is RenderForm.MERGE:
        refuse_unchecked(patch)
        made = "merge", merge_patch_of(patch, _pod(patch, pods))
    elif form is RenderForm.STRATEGIC:
        made = "strategic", strategic_patch_of(patch)
    else:
        made = "json", json_patch_of(patch)
    return Rendered(patch.set_name, patch.wave, patch.round, _target(patch), *made)


def _target(patch: PlannedPatch | PlannedCondition) -> Object:
    uid = {"uid": patch.uid} if patch.uid else {}
    return {"apiVersion": "v1", "kind": "Pod", "namespace": patch.namespace, "name": patch.name, **uid}


def _pod(patch: PlannedPatch, pods: Mapping[PodKey, Object]) -> Object:
    found = pods.get(patch.pod)
    if found is None:
        problem = impossible(Reason.STALE_PLAN, "it is not in PODS", hint="pass the pods that the plan was made from")
        raise ImpossibleError(problem.findings[0]._replace(subject=patch.reference))
    return found


def _refuse_invented(chosen: Sequence[PlannedPatch]) -> None:
    invented = [patch for patch in chosen if patch.is_invented]
    if not invented:
        return
    first = invented[0]
    message = (
        f"{len(invented)} patches, the first in wave {first.wave} of {first.set_name}, record imageIDs that only the "
        "simulated cluster knows"
    )
    hint = "render the waves before with --waves, apply them and make a new plan; or use --simulated"
    raise impossible(Reason.INVENTED_IMAGE_ID, message, hint=hint)


def _refuse_left_out(
    patches: Sequence[PlannedPatch], chosen: Sequence[PlannedPatch], waves: Collection[int], only: Collection[str]
) -> None:
    """ImpossibleError (LeftOutPatch) if an earlier patch of the pod of a selected patch is left out.

    `patches` are all patches of the plan, in order. Waves before the first of `waves` count as applied.
    """
    wanted = set(map(id, chosen))
    left_out: dict[PodKey, PlannedPatch] = {}
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
        hint = f"add --waves {earlier.wave}, or render that wave and the waves before it first"
    problem = impossible(Reason.LEFT_OUT_PATCH, message, hint=hint)
    return ImpossibleError(problem.findings[0]._replace(subject=patch.reference))
