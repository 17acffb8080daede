"""The answers of `explain`, read back from its JSON, agree with Kruise's recorded behavior."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets
from tests.cli.running import run
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.effort import sampled, unmeasured
from tests.schemas import assert_valid

INJECT = [case for case in cases_in(FOLDER / "inject") if not {"error", "panic"} & case.expect.keys()]
ROLLOUT = [
    case
    for case in cases_in(FOLDER / "rollout")
    if "rounds" in case.expect and any(item["kind"] == "Pod" for item in case.objects)
]


def explained(case: Case, folder: Path, *options: str) -> list[Object]:
    (folder / "in.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": case.objects}))
    gates = [f"--feature-gates={gate}=true" for gate in case.params.get("gates") or ()]
    ended = run("explain", folder / "in.json", "--kruise", "master", "-o", "json", *gates, *options)
    assert ended.stdout, ended.stderr
    document = json.loads(ended.stdout)
    assert_valid(document, "pod-explanation.json")
    pods: list[Object] = document["pods"]
    return pods


def _listed(pod: Object) -> set[str]:
    return set(injected_sets(((pod.get("metadata") or {}).get("annotations") or {}).get(INJECTED_LIST)))


def _repeats_a_name(pod: Object) -> bool:
    names = [item["name"] for field in ("initContainers", "containers") for item in pod["spec"].get(field) or ()]
    return len(names) > len(set(names))


@unmeasured
@pytest.mark.parametrize("case", sampled(INJECT, 40))
def test_the_sidecarsets_that_apply_are_those_that_kruise_injected(case: Case, tmp_path: Path) -> None:
    before = [item for item in case.objects if item["kind"] == "Pod"]
    for pod, given, recorded in zip(explained(case, tmp_path), before, case.expect["pods"], strict=True):
        if pod["outcome"] == "Rejected" and _repeats_a_name(recorded.get("pod") or given):
            continue  # Kruise makes the pod, but the API server rejects it
        assert (pod["outcome"] == "Rejected") == ("error" in recorded), recorded["name"]
        if "error" in recorded:
            assert pod["errors"]
            continue
        after = recorded.get("pod") or given
        injected = {item["name"] for item in pod["sidecarSets"] if item["injected"]}
        if any(item["sidecars"] for item in pod["sidecarSets"]):
            assert _listed(after) - {""} == (_listed(given) | injected) - {""}
            for field in ("initContainers", "containers"):
                names = [container["name"] for container in pod["containers"] if container["field"] == field]
                kept = {item["name"] for item in given["spec"].get(field) or () if is_injected(item)}
                made = [item["name"] for item in after["spec"].get(field) or ()]
                # What an earlier injection left behind is none of a new pod's.
                assert names == [name for name in made if name in names]
                assert set(made) - set(names) <= kept
        for item in pod["sidecarSets"]:
            answers = [test["passed"] for test in item["tests"]]
            is_decided = item["reason"] != "NamespaceUnknown"
            assert answers.count(False) == (is_decided and not item["injected"])
            assert item["injected"] == all(answers)
            assert bool(item["remedy"]) == (not item["injected"])


@unmeasured
@pytest.mark.parametrize("case", sampled(ROLLOUT, 40))
def test_the_pods_that_are_next_are_those_that_kruise_patched(case: Case, tmp_path: Path) -> None:
    recorded = case.expect["rounds"][0]
    name = case.params.get("set") or next(
        item["metadata"]["name"] for item in case.objects if item["kind"] == "SidecarSet"
    )
    if "error" in recorded:
        return
    following = set()
    for pod in explained(case, tmp_path, "--only", name):
        rollout = pod["sidecarSets"][0]["rollout"]
        if rollout and "next" in rollout["why"].split("; ")[0]:
            following.add(f"{pod['namespace']}/{pod['name']}")
        if rollout and rollout["state"] in ("HeldByPartition", "Waiting"):
            assert 1 <= rollout["place"] <= rollout["of"]
    assert following == {item["pod"] for item in recorded.get("updated", ())}
