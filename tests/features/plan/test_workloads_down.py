"""`plan` and `diff` say which workloads lose most of their pods at once, and the maxUnavailable that prevents it."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def of_workload(name: str, number: int) -> list[Object]:
    owner = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "name": name,
        "uid": name,
        "controller": True,
    }
    return [pod(f"{name}-{index}", labels={"group": name}, ownerReferences=[owner]) for index in range(number)]


def written(most: int | str, *groups: str) -> None:
    selector = {"matchExpressions": [{"key": "group", "operator": "In", "values": list(groups)}]}
    strategy = {"maxUnavailable": most, "selector": selector}
    Path("old.json").write_text(json.dumps(sidecarset("1").manifest))
    Path("set.json").write_text(json.dumps(sidecarset("2", updateStrategy=strategy).manifest))
    pods = [*of_workload("a", 4), *of_workload("b", 10), *of_workload("c", 26)]
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))


def warnings_of(command: str, *paths: str) -> list[str]:
    ended = run(command, *paths, "-o", "json")
    findings = json.loads(ended.stdout)["findings"]
    return [each["message"] for each in findings if each["reason"] == "WorkloadDown"]


def test_a_canary_by_workload_takes_all_of_its_pods_down() -> None:
    written("20%", "a")
    for command, paths in (("plan", ("set.json", "pods.json")), ("diff", ("old.json", "set.json", "pods.json"))):
        (message,) = warnings_of(command, *paths)
        assert message == "all 4 pods of CloneSet shop/a are unavailable at once"
    assert "maxUnavailable 2 keeps half of each" in run("plan", "set.json", "pods.json").stderr


def test_more_than_half_is_said_too_and_the_advice_helps() -> None:
    written(6, "a", "b")
    (message,) = warnings_of("plan", "set.json", "pods.json")
    assert "of 4 pods of CloneSet shop/a" in message or "all 4 pods of CloneSet shop/a" in message
    written(2, "a", "b")
    assert not warnings_of("plan", "set.json", "pods.json")


def hint() -> str:
    ended = run("plan", "set.json", "pods.json")
    return ended.stderr


def test_scattering_is_advised_only_where_it_spreads_the_pods() -> None:
    written(6, "a", "b", "c")
    assert "scatterStrategy: [{key: group, value: '*'}] spreads them" in hint()
    made = json.loads(Path("set.json").read_text())
    made["spec"]["updateStrategy"]["scatterStrategy"] = [{"key": "group", "value": "*"}]
    Path("set.json").write_text(json.dumps(made))
    assert "[WorkloadDown]" not in hint()
    written("20%", "a")  # all pods that the selector leaves go down together, in whatever order
    assert "[WorkloadDown]" in hint()
    assert "scatterStrategy" not in hint()


def with_unready(number: int) -> None:
    """The first pods are not ready: Kruise updates all of them, at no cost."""
    pods = json.loads(Path("pods.json").read_text())
    for item in pods["items"][:number]:
        item["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    Path("pods.json").write_text(json.dumps(pods))


def test_a_way_is_advised_only_where_it_helps() -> None:
    written(4, "a")
    with_unready(3)
    assert "are unavailable at once [WorkloadDown]" in hint()


def test_a_partition_is_the_last_way_and_not_one_that_kruise_rejects() -> None:
    written(4, "a")
    with_unready(1)
    assert "are unavailable at once [WorkloadDown]" in hint()  # beside a selector, Kruise rejects a partition
    made = json.loads(Path("set.json").read_text())
    made["spec"]["updateStrategy"] = {"maxUnavailable": 4}
    made["spec"]["selector"] = {"matchLabels": {"group": "a"}}
    Path("set.json").write_text(json.dumps(made))
    assert "(partition 2 updates no more than 2 for now) [WorkloadDown]" in hint()
    made["spec"]["updateStrategy"]["partition"] = 2
    Path("set.json").write_text(json.dumps(made))
    assert "[WorkloadDown]" not in hint()


def test_other_orders_are_compared_by_a_label() -> None:
    written(6, "a", "b", "c")
    document = json.loads(run("plan", "set.json", "pods.json", "--by", "group", "-o", "json").stdout)
    assert_valid(document, "rollout-plan.json")
    now = {each["value"]: each["largest"] for each in document["sidecarSets"][0]["largestUnavailableBy"]}
    scattered, ordered = document["sidecarSets"][0]["otherOrders"]
    assert now["a"] == 4
    assert scattered["largest"] / scattered["pods"] < 1 / 2
    assert (ordered["change"], ordered["largest"]) == ("orderPriority: [{orderedKey: group}]", 4)
    made = json.loads(Path("set.json").read_text())
    made["spec"]["updateStrategy"]["scatterStrategy"] = [{"key": "group", "value": "*"}]
    Path("set.json").write_text(json.dumps(made))
    again = json.loads(run("plan", "set.json", "pods.json", "--by", "group", "-o", "json").stdout)
    largest = {each["value"]: each["largest"] for each in again["sidecarSets"][0]["largestUnavailableBy"]}
    assert largest[scattered["value"]] == scattered["largest"]
    text = run("plan", "set.json", "pods.json", "--by", "group").stdout
    assert "with scatterStrategy: [{key: group, value: '*'}] at most" in text
