"""`status` and `explain` show Events of the inputs, and the conditions of pods, next to the computed results."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import run
from tests.engine.rollout.manifests import not_ready, pod, sidecarset
from tests.schemas import assert_valid

SAMPLES = Path(__file__).parents[3] / "samples" / "on-call"
INPUTS = (SAMPLES / "sidecarset.yaml", SAMPLES / "pods.yaml", SAMPLES / "events.yaml")
BACK_OFF = "Warning BackOff: Back-off restarting failed container log-agent in pod web-1 (31 times"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def event(kind: str = "Pod", name: str = "p0", **members: Value) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.1", "namespace": "shop"},
        "involvedObject": {"kind": kind, "name": name, "namespace": "shop" if kind == "Pod" else ""},
        "type": "Warning",
        "reason": "Failed",
        "message": "no such image",
        **members,
    }


def status(*objects: Object) -> str:
    Path("dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return run("status", "dump.json").stdout


def test_events_of_a_pod_that_is_not_ready() -> None:
    assert f"7 restarts, last exit 1 after 14 s); {BACK_OFF}" in run("status", *INPUTS).stdout
    assert f"├─ event: {BACK_OFF}" in run("explain", *INPUTS, "web-1").stdout
    assert f"event: {BACK_OFF}" in run("explain", *INPUTS, "logs", "-o", "markdown").stdout


def test_events_and_conditions_of_a_sidecarset() -> None:
    said = run("status", *INPUTS).stdout
    assert "\n  event     Normal NotUpgradablePods: SidecarSet in-place update detected 1 not" in said
    assert "\n  condition SidecarSetUpgradable is false (UpdateImmutableField) on 1 pod, as computed\n" in said
    said = run("explain", *INPUTS, "logs").stdout
    assert "\nevent: Normal NotUpgradablePods: SidecarSet in-place update detected 1 not" in said


def test_json_has_events_and_conditions() -> None:
    document = json.loads(run("status", *INPUTS, "-o", "json").stdout)
    assert_valid(document, "rollout-status.json")
    [item] = document["sidecarSets"]
    assert [each["reason"] for each in item["events"]] == ["NotUpgradablePods"]
    assert [[each["reason"] for each in one.get("events", ())] for one in item["pods"]] == [[], ["BackOff"], [], []]
    assert item["pods"][3]["upgradableCondition"] is False
    for words, schema in ((("web-1",), "pod"), (("logs",), "sidecarset")):
        assert_valid(json.loads(run("explain", *INPUTS, *words, "-o", "json").stdout), f"{schema}-explanation.json")


def test_a_condition_that_is_not_as_computed() -> None:
    item = {"type": "SidecarSetUpgradable", "status": "False", "reason": "UpdateImmutableField"}
    said = pod(status={"conditions": [{"type": "Ready", "status": "True"}, {**item, "message": '{"logs":false}'}]})
    others = "on 1 pod, otherwise computed: shop/p0\n"
    assert f"SidecarSetUpgradable is false (UpdateImmutableField) {others}" in status(sidecarset().manifest, said)
    said = pod(status={"conditions": [{"type": "Ready", "status": "True"}, {**item, "message": "what"}]})
    assert "condition" not in status(sidecarset().manifest, said)


def test_events_of_the_newer_api() -> None:
    newer = {
        **event(message=None, involvedObject=None),
        "apiVersion": "events.k8s.io/v1",
        "regarding": {"kind": "Pod", "namespace": "shop", "name": "p0"},
        "note": "no such image.",
        "series": {"count": 3, "lastObservedTime": "2026-05-04T09:49:20.000000Z"},
    }
    said = status(sidecarset().manifest, not_ready(pod()), newer)
    assert "; Warning Failed: no such image (3 times, last 2026-05-04T09:49:20.000000Z)\n" in said


def test_events_of_one_reason_are_counted_together() -> None:
    older = event(message="older", count=2, lastTimestamp="2026-05-04T09:00:00Z")
    newer = event(lastTimestamp="2026-05-04T10:00:00Z")
    said = status(sidecarset().manifest, not_ready(pod()), newer, older)
    assert "; Warning Failed: no such image (3 times, last 2026-05-04T10:00:00Z)\n" in said


def test_other_events_and_those_of_ready_pods_are_not_shown() -> None:
    others = [event(type="Normal"), event(kind="Node"), event(reason=""), event(involvedObject=[7]), event(name="p1")]
    assert "Failed" not in status(sidecarset().manifest, not_ready(pod()), pod("p1"), *others)
