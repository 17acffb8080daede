"""Operation `rollout`: the controller, round by round, over a simulated cluster."""

from collections.abc import Iterator

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import ConditionChange, PodPatch, Round
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from tests.conformance.cases import NOW, Case
from tests.conformance.difference import first_difference


def run(case: Case) -> str | None:
    """All rounds and the name of the set's revision."""
    sets = [admit(item, case.release) for item in case.objects if item["kind"] == "SidecarSet"]
    name = case.params.get("set") or sets[0].name
    sidecarset = next(item for item in sets if item.name == name)
    revision = revision_name(sidecarset)
    failing = set(case.params.get("fail") or ())
    options = ClusterBehavior(
        duration=case.params.get("duration") or 1,
        fails=lambda pod: pod.name in failing,
        rounds=case.params.get("rounds"),
    )
    pods = [item for item in case.objects if item["kind"] == "Pod"]
    simulation = Simulation([target_of(sidecarset, revision, now=NOW)], pods, _namespaces(case), options)
    with_annotations = bool(case.params.get("withPods"))
    rounds = [written(recorded, with_annotations=with_annotations) for recorded in simulation.rounds()]
    expected = {**case.expect, "rounds": [_without_wording(recorded) for recorded in case.expect["rounds"]]}
    return first_difference(expected, {"rounds": rounds, "latestRevision": revision})


def _namespaces(case: Case) -> dict[str, dict[str, str]]:
    found = [item["metadata"] for item in case.objects if item["kind"] == "Namespace"]
    return {metadata["name"]: metadata.get("labels") or {} for metadata in found}


def written(recorded: Round, *, with_annotations: bool) -> Object:
    """A round as it is recorded, its error without wording."""
    if recorded.error:
        return {"round": recorded.number, "error": True}
    return {"round": recorded.number, **dict(_parts(recorded, with_annotations=with_annotations))}


def _parts(recorded: Round, *, with_annotations: bool) -> Iterator[tuple[str, object]]:
    status = recorded.status
    yield (
        "status",
        {
            "matchedPods": status.matched,
            "readyPods": status.ready,
            "updatedPods": status.updated,
            "updatedReadyPods": status.updated_ready,
        },
    )
    if recorded.patches:
        yield "updated", [_patch(patch, with_annotations=with_annotations) for patch in recorded.patches]
    if recorded.conditions:
        yield "conditions", {str(change.pod): _condition(change) for change in recorded.conditions}
    if recorded.events:
        yield "events", list(recorded.events)


def _patch(patch: PodPatch, *, with_annotations: bool) -> Object:
    images = {change.container: change.after for change in patch.images}
    written: Object = {"pod": str(patch.pod), "images": images}
    if with_annotations and patch.annotations:
        written["annotations"] = {edit.key: edit.after for edit in patch.annotations}
    return written


def _condition(change: ConditionChange) -> str:
    return " ".join(change.after)


def _without_wording(recorded: Object) -> Object:
    return {**recorded, "error": True} if "error" in recorded else recorded
