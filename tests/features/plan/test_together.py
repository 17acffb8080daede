"""Rollouts of a plan together: pods that several SidecarSets update, and PodDisruptionBudgets while pods are down."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.features.drift.drifting import injected
from tests.features.plan.planning import planned
from tests.schemas import assert_valid


def together_set(name: str, image: str, app: str = "web", **strategy: object) -> Object:
    """A SidecarSet of one container, of the name and image, for the pods with a label."""
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {app: "yes"}},
            "containers": [{"name": name, "image": f"{name}:{image}"}],
            "updateStrategy": strategy,
        },
    }


def bare(name: str, *apps: str) -> Object:
    """A pod with these labels, before its injection."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": dict.fromkeys(apps, "yes")},
        "spec": {"containers": [{"name": "main", "image": "main:1"}], "nodeName": "n"},
    }


def budget(limit: Object, **spec: object) -> Object:
    """A PodDisruptionBudget of the pods of `web`."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"web": "yes"}}, **limit, **spec},
    }


def _files(folder: Path, sets: list[Object], pods: list[Object], *more: Object) -> None:
    (folder / "set.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": sets}))
    (folder / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*pods, *more]}))


def _text(folder: Path) -> str:
    return " ".join(run("plan", folder / "set.yaml", folder / "pods.json").stdout.split())


_LOGS, _MIX = together_set("logs", "1"), together_set("mix", "1")


def test_two_sidecarsets_over_the_same_pods_take_down_one_each(tmp_path: Path) -> None:
    pods = [injected(bare(f"p{number}", "web"), _LOGS, _MIX) for number in range(10)]
    _files(tmp_path, [together_set("logs", "2"), together_set("mix", "2")], pods)
    together = planned(tmp_path)["together"]
    assert together["sharedPods"] == [{"sidecarSets": ["logs", "mix"], "pods": 10, "largestUnavailable": 2}]
    assert together["largestUnavailable"] == 2
    assert "logs and mix share 10 pods: at most 2 are unavailable at once" in _text(tmp_path)
    assert (
        "logs and mix share 10 pods"
        in run("plan", tmp_path / "set.yaml", tmp_path / "pods.json", "-o", "html").stdout
    )


def test_only_some_pods_are_shared(tmp_path: Path) -> None:
    other = together_set("mix", "1", "db")
    pods = [injected(bare(f"p{number}", "web", "db"), _LOGS, other) for number in range(2)]
    pods += [injected(bare(f"q{number}", "db"), other) for number in range(3)]
    _files(tmp_path, [together_set("logs", "2"), together_set("mix", "2", "db", maxUnavailable=3)], pods)
    together = planned(tmp_path)["together"]
    assert [item["pods"] for item in together["sharedPods"]] == [2]
    assert together["largestUnavailable"] <= 4


@pytest.mark.parametrize("second", [_MIX, together_set("mix", "2", "db"), together_set("mix", "2", paused=True)])
def test_nothing_is_shared_if_only_one_updates_the_pods(tmp_path: Path, second: Object) -> None:
    pods = [injected(bare(f"p{number}", "web"), _LOGS, _MIX) for number in range(3)]
    pods += [injected(bare("q", "db"), together_set("mix", "1", "db"))]
    _files(tmp_path, [together_set("logs", "2"), second], pods)
    assert not planned(tmp_path).get("together", {}).get("sharedPods")
    assert " share " not in _text(tmp_path)


@pytest.mark.parametrize(
    ("limit", "without", "said"),
    [
        ({"maxUnavailable": 1}, 10, "no eviction of ready pods possible in 10 of 11 rounds; node drains wait"),
        ({"minAvailable": "90%"}, 10, "no eviction of ready pods possible in 10 of 11 rounds; node drains wait"),
        ({"minAvailable": 10}, 11, "no eviction of ready pods possible in 11 of 11 rounds; node drains wait"),
        ({"maxUnavailable": 2}, 0, "an eviction is possible in every round"),
    ],
)
def test_a_budget_that_pods_use_up_holds_back_evictions(
    tmp_path: Path, limit: Object, without: int, said: str
) -> None:
    pods = [injected(bare(f"p{number}", "web"), _LOGS) for number in range(10)]
    _files(tmp_path, [together_set("logs", "2")], pods, budget(limit))
    [found] = planned(tmp_path)["together"]["podDisruptionBudgets"]
    assert (found["rounds"], found["roundsWithoutEviction"]) == (11, without)
    assert f"PodDisruptionBudget shop/web: {said}" in _text(tmp_path)
    assert "holds back" not in said


def test_unready_pods_may_go_where_the_budget_says_so(tmp_path: Path) -> None:
    pods = [injected(bare(f"p{number}", "web"), _LOGS) for number in range(3)]
    lenient = budget({"maxUnavailable": 1}, unhealthyPodEvictionPolicy="AlwaysAllow")
    _files(tmp_path, [together_set("logs", "2")], pods, lenient)
    assert "node drains wait; unready pods may go (unhealthyPodEvictionPolicy AlwaysAllow)" in _text(tmp_path)


def test_pods_that_were_down_before_use_up_the_budget_too(tmp_path: Path) -> None:
    pods = [injected(bare(f"p{number}", "web"), _LOGS) for number in range(4)]
    down = bare("down", "web")
    down["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
    _files(tmp_path, [together_set("logs", "2")], pods, down, budget({"maxUnavailable": 1}))
    [found] = planned(tmp_path)["together"]["podDisruptionBudgets"]
    assert found["roundsWithoutEviction"] == found["rounds"]


def test_a_budget_of_other_pods_is_not_named(tmp_path: Path) -> None:
    other = together_set("logs", "1", "db")
    _files(
        tmp_path,
        [together_set("logs", "2", "db")],
        [injected(bare("p", "db"), other)],
        budget({"maxUnavailable": 1}),
    )
    assert "together" not in planned(tmp_path)
    assert "PodDisruptionBudget" not in _text(tmp_path)


def test_status_says_of_both_what_is_so_now(tmp_path: Path) -> None:
    pods = [injected(bare(f"p{number}", "web"), _LOGS, _MIX) for number in range(3)]
    pods[0]["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    _files(tmp_path, [together_set("logs", "2"), together_set("mix", "2")], pods, budget({"maxUnavailable": 1}))
    ended = run("status", tmp_path / "set.yaml", tmp_path / "pods.json")
    said = " ".join(ended.stdout.split())
    assert "logs and mix share 3 pods: 1 is unavailable" in said
    assert "no eviction of ready pods possible now; node drains wait" in said
    document = json.loads(run("status", tmp_path / "set.yaml", tmp_path / "pods.json", "-o", "json").stdout)
    assert_valid(document, "rollout-status.json")
    assert document["sharedPods"] == [{"sidecarSets": ["logs", "mix"], "pods": 3, "unavailable": 1}]
