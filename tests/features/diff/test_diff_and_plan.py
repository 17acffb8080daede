"""`diff` and `plan` never contradict each other: each number that both print is the same, and so are refusals."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as some

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import run
from tests.effort import reaches_half
from tests.engine.rollout.manifests import not_ready, pod, sidecarset
from tests.engine.rollout.summary.test_sentences import contradictions

SETTINGS = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CANARY = {"matchLabels": {"canary": "yes"}}
STRATEGIES = some.fixed_dictionaries(
    {},
    optional={
        "partition": some.sampled_from([0, 3, "20%", "90%", "100%"]),
        "maxUnavailable": some.sampled_from([1, 3, "10%", "50%"]),
        "paused": some.booleans(),
        "type": some.sampled_from(["RollingUpdate", "NotUpdate"]),
        "selector": some.just(CANARY),
        "priorityStrategy": some.just({"weightPriority": [{"weight": 20, "matchSelector": CANARY}]}),
    },
)
VERSIONS = some.fixed_dictionaries(
    {
        "tag": some.sampled_from(["1", "2"]),
        "env": some.booleans(),
        "narrow": some.booleans(),
        "strategy": STRATEGIES,
    }
)
NUMBERS = some.integers(min_value=0, max_value=12)


def manifest(version: dict[str, Any]) -> Object:
    container: Object = {"name": "agent", "image": f"agent:{version['tag']}"}
    if version["env"]:
        container["env"] = [{"name": "LEVEL", "value": "debug"}]
    labels = {"app": "web", **({"canary": "yes"} if version["narrow"] else {})}
    spec: dict[str, Value] = {
        "containers": [container],
        "selector": {"matchLabels": labels},
        "updateStrategy": version["strategy"],
    }
    return sidecarset(version["tag"], **spec).manifest


def numbers_of_plan(item: Object) -> Object:
    """The numbers of a plan under the names of `diff`."""
    before, after, held = item["counts"]["before"], item["counts"]["after"], item["heldBack"]
    return {
        "matchedPods": after["matchedPods"],
        "updatedBefore": before["updatedPods"],
        "updatedNow": after["updatedPods"] - before["updatedPods"],
        "heldBack": {key: len(held[key]) for key in ("partition", "selector", "paused")},
        "waiting": len(item["waiting"]),
        "busy": len(item["busy"]),
        "recreate": len(item["blocked"]),
        "leftOut": item["counts"]["leftOut"],
        "ending": item["ending"],
        "message": item["message"],
    }


def assert_agree(diffed: Object, planned: str, code: int) -> None:
    (item,) = diffed["sidecarSets"]
    assert_says_what_it_counts(item, Path("diff.txt").read_text())
    assert contradictions(Path("plan.txt").read_text() if planned else "") == []
    if item["verdict"] == "Rejected":
        assert (code, planned) == (3, "")
        return
    if item["change"] == "unchanged":
        return
    (rollout,) = json.loads(planned)["sidecarSets"]
    numbers = {key: item["rollout"][key] for key in item["rollout"] if key != "pods"}
    assert numbers == numbers_of_plan(rollout)
    assert item["after"] == {key: rollout[key] for key in item["after"]}
    if "rolloutShift" in item:
        assert item["rolloutShift"]["notUpdated"] == numbers["matchedPods"] - numbers["updatedBefore"]
    kept = {**numbers["heldBack"], **{key: numbers[key] for key in ("waiting", "busy", "recreate")}}
    assert sum(kept.values()) + numbers["updatedBefore"] + numbers["updatedNow"] == numbers["matchedPods"]


def assert_says_what_it_counts(item: Object, text: str) -> None:
    """The verdicts and the sentences agree with the numbers of the document beside them."""
    assert contradictions(text) == [], text
    shift = item.get("rolloutShift", {"letGo": 0, "held": 0})
    further = shift["letGo"] - shift["held"]
    if "RolloutAdvances" in item["verdicts"] or "RolloutHalts" in item["verdicts"]:
        assert ("RolloutAdvances" in item["verdicts"]) == (further > 0), item
    if item["verdict"] in ("RolloutAdvances", "RolloutHalts"):
        assert f"{abs(further):,} " in item["explanation"], item
        assert not re.search(r"\bno (?:more |pod)", item["explanation"]), item
    if item["verdict"] == "NoEffect" and "rollout" in item:
        assert not re.search(r"\d+ (?:of \d+ )?pods? (?:can be|is|are) updated", item["explanation"]), item


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def with_broken_app(item: Object) -> Object:
    """The pod not ready, whatever becomes of its sidecar: it keeps its place in maxUnavailable."""
    broken = not_ready(item)
    for status in broken["status"]["containerStatuses"]:
        status["ready"] = status["name"] != "app"
    return broken


def write(**files: Value) -> None:
    for name, value in files.items():
        Path(f"{name}.json").write_text(json.dumps(value))


@reaches_half
@SETTINGS
@given(VERSIONS, VERSIONS, NUMBERS, NUMBERS, NUMBERS)
def test_over_a_dump(old: dict[str, Any], new: dict[str, Any], plain: int, canaries: int, down: int) -> None:
    pods = [pod(f"p{number}") for number in range(plain)]
    pods += [pod(f"c{number}", labels={"canary": "yes"}) for number in range(canaries)]
    pods = [with_broken_app(item) if index < down else item for index, item in enumerate(pods)]
    assume(pods)
    write(old=manifest(old), new=manifest(new), pods={"apiVersion": "v1", "kind": "List", "items": pods})
    diffed = run("diff", "old.json", "new.json", "pods.json", "-o", "json", "-o", "text=diff.txt")
    planned = run("plan", "new.json", "pods.json", "-o", "json", "-o", "text=plan.txt")
    assert_agree(json.loads(diffed.stdout), planned.stdout, planned.code)


@SETTINGS
@given(VERSIONS, VERSIONS, NUMBERS, NUMBERS)
def test_over_workloads(old: dict[str, Any], new: dict[str, Any], plain: int, canaries: int) -> None:
    def workload(name: str, replicas: int, labels: Object) -> Object:
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
        spec = {"replicas": replicas, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}

    items = [
        workload("plain", plain, {"app": "web"}),
        workload("canary", canaries, {"app": "web", "canary": "yes"}),
    ]
    write(old=manifest(old), new=manifest(new), web={"apiVersion": "v1", "kind": "List", "items": items})
    diffed = run("diff", "old.json", "new.json", "web.json", "-o", "json", "-o", "text=diff.txt")
    planned = run("plan", "--from", "old.json", "new.json", "web.json", "-o", "json", "-o", "text=plan.txt")
    assert_agree(json.loads(diffed.stdout), planned.stdout, planned.code)


def test_a_bump_under_a_partition_says_how_many_pods_are_updated_now() -> None:
    new = sidecarset("2", updateStrategy={"partition": "90%"}).manifest
    pods = [pod(f"p{number}") for number in range(142)]
    write(old=sidecarset("1").manifest, new=new, pods={"apiVersion": "v1", "kind": "List", "items": pods})
    said = "14 of 142 pods can be updated, 1 at a time, in 14 waves; partition 90% holds back 128"
    for form in ("text", "markdown", "html"):
        assert said in run("diff", "old.json", "new.json", "pods.json", "-o", form).stdout
    assert "14 of 142 pods updated" in run("plan", "new.json", "pods.json").stdout
