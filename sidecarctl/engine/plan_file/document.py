"""A plan as an object of kind RolloutPlan, which `render` and `push` read (schemas/rollout-plan.json)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, document_head, finding_json, findings_json
from sidecarctl.engine.facts.values import Object, Value, path_text, pointer_text
from sidecarctl.engine.plan_file.pod_patches import condition_document, patch_document
from sidecarctl.engine.plan_file.reading import KIND, sealed
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.rollout.facts import BaseKey, PodPatch, Refusal, RolloutOutcome, Round
from sidecarctl.engine.rollout.predicates import StatusCounts
from sidecarctl.engine.rollout.round.update_order import NO_TIME, sort_time
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, SetRolloutPlan, begins_at, ends_at
from sidecarctl.engine.rollout.summary.sentences import doubt, ending_sentence, why_of, with_neighbors
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.engine.rollout.summary.together import Together
from sidecarctl.engine.rollout.targets import Target


class PlanContext(NamedTuple):
    """The input of a plan.

    `origins`: for each SidecarSet, where its partition and maxUnavailable come from; `blocked`: for each
    SidecarSet, the fields in which a pod (by index) differs from what injection would write now; `cluster`: the
    cluster that was read; `behavior`: the Kruise that was computed; `deciding`: other settings, as field, text,
    origin; `step_seconds`: the duration of a round, if known; `recreation`: how to recreate pods, if asked;
    `paces`: for each SidecarSet, what other orders of its updates do to the pods of a label.
    """

    inputs: Sequence[Object]
    options: Object
    origins: Mapping[str, Mapping[str, str]]
    blocked: Mapping[str, Mapping[int, Sequence[FieldDifference]]]
    findings: Sequence[Finding]
    feature_gates: Sequence[str] = ()
    synthetic: bool = False
    behavior: str = DEFAULT.behavior
    cluster: Object | None = None
    deciding: Mapping[str, Sequence[Object]] = {}
    step_seconds: int | None = None
    recreation: Object | None = None
    paces: Mapping[str, Sequence[Object]] = {}


def plan_document(plan: Plan, around: PlanContext) -> Object:
    """The whole plan; only texts, numbers, lists and objects.

    Waves and their pods are iterators, because together they may need more memory than the rest of the run; the
    digest at the end is a function, to be called after them.
    """
    document = {
        **document_head(KIND, around.behavior, around.feature_gates),
        "metadata": {"name": "-".join(item.target.name for item in plan.sets) or "none"},
        "synthetic": around.synthetic,
        **({} if around.cluster is None else {"cluster": around.cluster}),
        "inputs": list(around.inputs),
        "options": around.options,
        "sidecarSets": [_set(item, plan.pods, around) for item in plan.sets],
        **_together(plan.together),
        **({} if around.recreation is None else {"recreation": around.recreation}),
        "findings": findings_json(around.findings),
    }
    return sealed(document)


def _together(found: Together) -> Object:
    """What the rollouts do at the same time; nothing where there is nothing to say."""
    if not (found.largest or found.evictions):
        return {}
    shared = [
        {"sidecarSets": [*item.set_names], "pods": item.pods, "largestUnavailable": item.largest}
        for item in found.shared
    ]
    budgets = [
        {
            "namespace": item.budget.name.namespace,
            "name": item.budget.name.name,
            "limit": item.budget.limit,
            "rounds": item.rounds,
            "roundsWithoutEviction": item.without,
            "message": item.sentence,
        }
        for item in found.evictions
    ]
    together = {"largestUnavailable": found.largest, "sharedPods": shared, "podDisruptionBudgets": budgets}
    return {"together": together}


def _set(rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], around: PlanContext) -> Object:
    target, outcome, window = rollout.target, rollout.outcome, rollout.window
    origins = around.origins.get(target.name, {})
    return {
        "name": target.name,
        **_identity(target.sidecar_set.metadata),
        "hash": target.hash,
        "hashWithoutImage": target.hash_without_image,
        "revision": target.hash_entry.controller_revision,
        **({"rollbackOf": target.rolls_back} if target.rolls_back else {}),
        "manifest": _manifest(target),
        "images": {container.name: container.image for container in target.containers},
        "ending": str(outcome.ending),
        "message": ending_sentence(rollout),
        "rounds": rollout.rounds,
        "counts": {
            "before": _counts(rollout.before),
            "after": _counts(outcome.status),
            "leftOut": len(rollout.left_out),
            "ties": rollout.ties,
            "assumedToFinish": outcome.begun,
            **({"otherImages": len(rollout.put_back)} if rollout.put_back else {}),
        },
        "window": {
            "partition": _share(window.partition, window.partition_pods, origins.get("partition")),
            "maxUnavailable": _share(
                window.max_unavailable, window.max_unavailable_pods, origins.get("maxUnavailable")
            ),
            "unavailableBefore": rollout.unavailable_before,
            "largestUnavailable": outcome.largest_unavailable,
        },
        **({"newPods": rollout.new_pods} if rollout.new_pods else {}),
        **({"podUnavailableBudgets": _budgets(rollout)} if rollout.budgets else {}),
        "deciding": list(around.deciding.get(target.name, ())),
        **({"endsAtSeconds": ends_at(rollout, around.step_seconds)} if around.step_seconds else {}),
        "largestUnavailableBy": [entry._asdict() for entry in rollout.largest_in_groups],
        **({"otherOrders": list(around.paces[target.name])} if around.paces.get(target.name) else {}),
        "waves": _waves(rollout, pods, around.step_seconds),
        "conditions": [
            {"round": round_number, **_name(pods[change.pod_index]), **condition_document(change)}
            for round_number, change in rollout.conditions
        ],
        **_staying(rollout, pods, around.blocked.get(target.name, {})),
        "leftOut": [
            {**_name(pods[left.pod_index]), "reason": str(left.reason), "message": left.message}
            for left in rollout.left_out
        ],
        **unknown_document(outcome.doubtful),
        **({"error": finding_json(outcome.error)} if outcome.error else {}),
    }


def unknown_document(pods: Sequence[PodName]) -> Object:
    """The pods that the SidecarSet may match or not, and why; empty if there are none."""
    return {"unknown": {"message": doubt(pods), "pods": [pod._asdict() for pod in pods]}} if pods else {}


def _budgets(rollout: SetRolloutPlan) -> list[Object]:
    """The PodUnavailableBudgets of the pods: their numbers at the start, and how many rounds they ended."""
    return [
        {
            "namespace": item.spec.name.namespace,
            "name": item.spec.name.name,
            "limit": item.spec.limit_text,
            "totalReplicas": item.numbers.total,
            "desiredAvailable": item.numbers.desired,
            "currentAvailable": item.numbers.current,
            "unavailableAllowed": item.numbers.allowed,
            "pods": item.pods,
            "refusals": sum(refusal.budget == item.spec.name for _, refusal in rollout.refusals),
        }
        for item in rollout.budgets
    ]


def _identity(metadata: Object) -> Object:
    return {key: metadata[key] for key in ("uid", "resourceVersion") if metadata.get(key)}


def _manifest(target: Target) -> Object:
    """The SidecarSet, as far as it affects pods."""
    whole = target.sidecar_set.manifest
    metadata = {
        "name": target.name,
        **({"resourceVersion": target.resource_version} if target.resource_version else {}),
    }
    return {**whole, "metadata": metadata}


def _counts(counts: StatusCounts) -> Object:
    return {
        "matchedPods": counts.matched,
        "updatedPods": counts.updated,
        "readyPods": counts.ready,
        "updatedReadyPods": counts.updated_ready,
    }


def _share(written: int | str, pods: int, origin: str | None) -> Object:
    return {"written": written, "pods": pods, "from": origin or "default"}


def _waves(rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], step_seconds: int | None) -> Iterator[Object]:
    last: PodPatch | None = None
    for wave in rollout.waves:
        begins = {"beginsAtSeconds": begins_at(wave.number, step_seconds)} if step_seconds else {}
        yield {**_wave(wave, pods, last, rollout.target.strategy), **begins}
        last = wave.patches[-1]


def _wave(wave: Round, pods: Sequence[SimulatedPod], before: PodPatch | None, strategy: Object) -> Object:
    use = wave.window
    numbers: Object = {}
    if use is not None:
        numbers = {
            "unavailable": use.unavailable,
            "candidates": use.candidates,
            "heldBack": use.held_back,
            "waiting": use.waiting,
            "busy": use.busy,
            "notUpgradable": use.not_upgradable,
            "notSelected": use.not_selected,
        }
    return {
        "round": wave.number,
        "kind": wave.patches[0].kind,
        "window": numbers,
        "unavailableAfter": wave.unavailable_after,
        **({"endsAt": _refusal(wave.refusal)} if wave.refusal else {}),
        "pods": (
            _patched_pod(patch, neighbor, strategy, pods[patch.pod_index])
            for patch, neighbor in with_neighbors(wave.patches, before)
        ),
    }


def _refusal(refusal: Refusal) -> Object:
    return {"pod": str(refusal.pod), "podUnavailableBudget": str(refusal.budget), "message": refusal.message}


def _patched_pod(patch: PodPatch, neighbor: PodPatch | None, strategy: Object, pod: SimulatedPod) -> Object:
    why = why_of(patch, neighbor, strategy, pod.labels)
    return {**_name(pod), **patch_document(patch, pod), **_sort_key(patch), **({"whyHere": why} if why else {})}


def _sort_key(patch: PodPatch) -> Object:
    if patch.sort_key is None:
        return {}
    key = patch.sort_key
    return {"sortKey": {"place": key.place, "priority": list(key.priority), **dict(_base_key(key.base))}}


def _base_key(base: BaseKey) -> Iterator[tuple[str, Value]]:
    yield "scheduled", bool(base.scheduled)
    yield "phase", ("Pending", "Unknown", "Running")[base.phase]
    yield "ready", bool(base.ready)
    if base.ready:
        yield "readySince", None if base.ready_since == NO_TIME else sort_time(base.ready_since)
    yield "restarts", -base.restarts
    yield "nativeSidecarRestarts", -base.native_sidecar_restarts
    yield "created", None if base.created == NO_TIME else sort_time(base.created)


def _name(pod: SimulatedPod) -> Object:
    metadata = pod.manifest.get("metadata") or {}
    return {"namespace": pod.name.namespace, "name": pod.name.name, **_identity(metadata)}


def _staying(
    rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], blocked: Mapping[int, Sequence[FieldDifference]]
) -> Object:
    """The pods that are not updated at the end, by reason.

    `holdingBudget` are updated but not available, `otherImages` are updated by their recorded hash alone.
    """
    outcome = rollout.outcome
    paused = outcome.ending in ("Paused", "NotUpdate")

    def named(indices: Iterable[int]) -> list[Object]:
        return [_name(pods[index]) for index in indices]

    held = _held(outcome, paused=paused)
    return {
        "heldBack": {reason: named(indices) for reason, indices in held.items()},
        "waiting": [] if paused else named(outcome.waiting),
        "busy": named(outcome.busy),
        "blocked": [
            {**_name(pods[index]), "fields": [difference_document(entry) for entry in blocked.get(index, ())]}
            for index in outcome.not_upgradable
        ],
        "holdingBudget": named(outcome.holding_budget),
        **({"otherImages": named(rollout.put_back)} if rollout.put_back else {}),
    }


def _held(outcome: RolloutOutcome, *, paused: bool) -> dict[str, Sequence[int]]:
    if paused:
        return {
            "partition": (),
            "selector": outcome.not_selected,
            "paused": (*outcome.waiting, *outcome.held_by_partition),
        }
    return {"partition": outcome.held_by_partition, "selector": outcome.not_selected, "paused": ()}


def difference_document(entry: FieldDifference) -> Object:
    """A field that blocks a pod."""
    return {"field": path_text(entry.path), "pointer": pointer_text(entry.path), "now": entry.now, "new": entry.new}
