"""Every recorded rollout as a plan: its document, and its patches applied to the pods that came in."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jsonpatch
import pytest
from jsonschema import Draft202012Validator

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.plan_file.document import PlanContext, plan_document
from sidecarctl.engine.plan_file.pod_patches import applied_to, json_patch_of, merge_patch_of, strategic_patch_of
from sidecarctl.engine.plan_file.reading import PlannedRollout, read_plan
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, run
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.render.documents import laid_out
from tests.conformance.cases import FOLDER, NOW, Case, cases_in
from tests.effort import unmeasured
from tests.engine.rollout.patched_pods import patched

pytestmark = unmeasured

ROOT = Path(__file__).parents[3]
CASES = [case for case in cases_in(FOLDER / "rollout") if case.operation == "rollout"]
BATCHES = [CASES[start : start + 40] for start in range(0, len(CASES), 40)]
SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas" / "rollout-plan.json").read_text()))
AROUND = PlanContext(
    inputs=[],
    options={
        "podUpdateDuration": 1,
        "fail": [],
        "assumeReady": False,
        "rounds": None,
        "timestamp": NOW,
        "updateStrategy": {},
    },
    origins={},
    blocked={},
    findings=[],
)


def simulation_of(case: Case, pods: Sequence[Object]) -> Simulation:
    sets = [admit(item) for item in case.objects if item["kind"] == "SidecarSet"]
    name = case.params.get("set") or sets[0].name
    sidecarset = next(item for item in sets if item.name == name)
    failing = set(case.params.get("fail") or ())
    options = ClusterBehavior(
        case.params.get("duration") or 1, lambda pod: pod.name in failing, rounds=case.params.get("rounds")
    )
    found = [item["metadata"] for item in case.objects if item["kind"] == "Namespace"]
    namespaces = {metadata["name"]: metadata.get("labels") or {} for metadata in found}
    return Simulation([target_of(sidecarset, revision_name(sidecarset), now=NOW)], pods, namespaces, options)


def pods_of(case: Case) -> list[Object]:
    return [item for item in case.objects if item["kind"] == "Pod"]


def plan_of(case: Case) -> Plan:
    return run(simulation_of(case, [trimmed_pod(pod, "default") for pod in pods_of(case)]))


@cache
def planned(index: int) -> list[tuple[Case, Plan, Object, PlannedRollout]]:
    made = []
    for case in BATCHES[index]:
        plan = plan_of(case)
        document = json.loads("".join(laid_out(plan_document(plan, AROUND), 6)))
        made.append((case, plan, document, read_plan(document)))
    return made


batches = pytest.mark.parametrize("index", range(len(BATCHES)))


@batches
def test_the_document_follows_its_schema(index: int) -> None:
    for case, _, document, _ in planned(index):
        assert not [error.message for error in SCHEMA.iter_errors(document)], case.name


@batches
def test_nothing_that_a_rollout_looks_at_is_dropped(index: int) -> None:
    for case, plan, _, _ in planned(index):
        whole = run(simulation_of(case, pods_of(case)))
        assert whole.sets == plan.sets, case.name


@batches
def test_the_json_patches_give_exactly_the_planned_pods(index: int) -> None:
    for case, plan, _, rollout in planned(index):
        now = {name_of(pod): pod for pod in pods_of(case)}
        expected = dict(now)
        recorded = [entry for item in case.expect["rounds"] for entry in item.get("updated") or ()]
        patches = [patch for wave in plan.sets[0].waves for patch in wave.patches]
        assert len(rollout.patches) == len(patches) >= len(recorded)
        for number, (read, patch) in enumerate(zip(rollout.patches, patches, strict=True)):
            key = read.namespace, read.name
            before = now[key]
            now[key] = jsonpatch.apply_patch(before, json_patch_of(read))
            expected[key] = patched(expected[key], patch)
            assert now[key] == expected[key] == applied_to(read, before), case.name
            assert merged_pod(before, merge_patch_of(read, before)) == now[key], case.name
            if number < len(recorded):
                same_as_recorded(now[key], recorded[number])


def merged_pod(value: Value, patch: Value) -> Value:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    members = dict(value) if isinstance(value, dict) else {}
    members |= {key: merged_pod(members.get(key), member) for key, member in patch.items()}
    return {key: member for key, member in members.items() if patch.get(key, key) is not None}


def same_as_recorded(pod: Object, recorded: Object) -> None:
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    images = {item["name"]: item["image"] for item in containers}
    assert {name: images[name] for name in recorded["images"]} == recorded["images"]
    annotations = pod["metadata"]["annotations"]
    wanted = recorded.get("annotations") or {}
    assert {key: annotations[key] for key in wanted} == wanted


@batches
def test_the_strategic_patches_name_the_same_images(index: int) -> None:
    for _, _, _, rollout in planned(index):
        for patch in rollout.patches:
            rendered = strategic_patch_of(patch)
            items = [
                item for name in ("containers", "initContainers") for item in rendered.get("spec", {}).get(name, ())
            ]
            assert {item["name"]: item["image"] for item in items} == {
                image.container: image.after for image in patch.images
            }
            assert rendered["metadata"]["annotations"] == {
                annotation.key: annotation.after for annotation in patch.annotations
            }


@batches
def test_a_pod_that_has_changed_since_is_refused(index: int) -> None:
    for case, _, _, rollout in planned(index):
        pods = {name_of(pod): pod for pod in pods_of(case)}
        for patch in rollout.patches[:1]:
            if patch.images:
                pod = pods[patch.namespace, patch.name]
                changed = jsonpatch.apply_patch(
                    pod,
                    [
                        {
                            "op": "replace",
                            "path": f"/spec/{patch.images[0].among}/{patch.images[0].place}/image",
                            "value": "x",
                        }
                    ],
                )
                with pytest.raises(ImpossibleError, match="the plan expects"):
                    applied_to(patch, changed)
                with pytest.raises(jsonpatch.JsonPatchTestFailed):
                    jsonpatch.apply_patch(changed, json_patch_of(patch))


def name_of(pod: Object) -> tuple[str, str]:
    return pod["metadata"].get("namespace") or "default", pod["metadata"]["name"]
