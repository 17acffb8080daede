"""The remedies for a pod that has its place in a rollout, applied in the same way."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.rollout.manifests import EMPTY, not_ready, pod
from tests.features.explain.remedied_pods import (
    Edit,
    Inputs,
    answer,
    both,
    inputs,
    recreated_as,
    repair,
    shows,
    strategy,
    update,
    written,
)

HOT: Object = {
    "name": "agent",
    "image": "agent:2",
    "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": EMPTY},
}
GATE = ("--feature-gates", "PodUnavailableBudgetUpdateGate=true")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_pod_that_waits_behind_a_broken_one_says_so() -> None:
    """p1 is updated and broken, which uses up maxUnavailable; p0 waits."""
    given = inputs(pod("p0"), pod("p1"))
    given["pods"][1] = not_ready(recreated_as(given, "p1"))
    state, _, remedy = answer(given)
    assert state == "Waiting"
    assert remedy.startswith("make shop/p1 ready, or raise spec.updateStrategy.maxUnavailable (1)")
    planned = run("plan", *written(given), "--in-flight", "stuck")
    assert "Stalls" in planned.stdout
    for edit in (strategy(maxUnavailable=2), lambda each: each["pods"].__setitem__(1, recreated_as(each, "p1"))):
        tried = deepcopy(given)
        edit(tried)
        assert "nothing in these files blocks it" in answer(tried)[2]


def leave(given: Inputs) -> None:
    """Nothing is to be prepared."""
    del given


def resets(given: Inputs) -> None:
    """The first pod with both halves of its hot container at the new image, and not ready."""
    update(given)
    for item in (*given["pods"][0]["spec"]["containers"], *given["pods"][0]["status"]["containerStatuses"]):
        item["image"] = item["image"].replace(EMPTY, "agent:1")
    given["pods"][0] = not_ready(given["pods"][0])


def guarded(**members: Any) -> Inputs:
    """Five pods whose PodUnavailableBudget has no room."""
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "d"},
        "spec": {"replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    budget = {
        "apiVersion": "policy.kruise.io/v1alpha1",
        "kind": "PodUnavailableBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **members},
    }
    pods = [pod(f"p{number}", ownerReferences=[owner]) for number in range(5)]
    return inputs(*pods, more=(budget,), options=GATE) | {"workloads": [web]}


def raise_budget(given: Inputs) -> None:
    given["more"][0]["spec"]["maxUnavailable"] = 5


def exempt(given: Inputs) -> None:
    given["pods"][0]["metadata"]["annotations"]["pub.kruise.io/no-protect"] = "true"


def ready_again(given: Inputs) -> None:
    given["pods"][1:] = [{**item, "status": given["pods"][0]["status"]} for item in given["pods"][1:]]


def one_down(given: Inputs) -> None:
    given["pods"][1:3] = map(not_ready, given["pods"][1:3])


MADE: list[tuple[str, Inputs, Edit, str, Edit, str]] = [
    (
        "Updating",
        inputs(pod("p0")),
        lambda given: given.update(pods=[shows("agent:1", recreated_as(given, "p0"))]),
        "the pod's status must show the new image",
        update,
        "Updated",
    ),
    (
        "NotReady",
        inputs(pod("p0")),
        lambda given: given.update(pods=[not_ready(recreated_as(given, "p0"))]),
        "the pod must become ready",
        update,
        "Updated",
    ),
    (
        "Resetting",
        inputs(pod("p0"), containers=[HOT]),
        resets,
        "make agent-1, app ready: Kruise empties the idle container once all others are ready",
        update,
        "Updated",
    ),
    (
        "Waiting",
        inputs(pod("p1"), pod("p0")),
        leave,
        "nothing: it is updated in turn; a larger maxUnavailable speeds this up",
        strategy(maxUnavailable=2),
        "next",
    ),
    (
        "WaitingForBudget",
        guarded(maxUnavailable=0),
        leave,
        "raise maxUnavailable or lower minAvailable of the PodUnavailableBudget",
        raise_budget,
        "next",
    ),
    (
        "WaitingForBudget",
        guarded(maxUnavailable=0),
        leave,
        'annotate the pod that it refuses with pub.kruise.io/no-protect: "true"',
        exempt,
        "next",
    ),
    (
        "WaitingForBudget",
        guarded(maxUnavailable=2),
        both(one_down, strategy(maxUnavailable=5)),
        "make more pods of the PodUnavailableBudget ready",
        ready_again,
        "next",
    ),
]


@pytest.mark.parametrize("case", MADE, ids=[f"{index}-{case[0]}" for index, case in enumerate(MADE)])
def test_so_does_one_for_a_pod_that_has_its_place_in_the_rollout(
    case: tuple[str, Inputs, Edit, str, Edit, str],
) -> None:
    state, given, prepare, said, edit, afterward = case
    given = deepcopy(given)
    prepare(given)
    before, _, remedy = answer(given)
    assert before == state
    assert said in remedy
    edit(given)
    after, _, remedy = answer(given)
    assert "nothing in these files blocks it" in remedy if afterward == "next" else after == afterward


@pytest.mark.parametrize("prepare", [leave, one_down])
def test_a_pod_behind_a_budget_without_room_is_told_of_the_budget(prepare: Edit) -> None:
    """Not of maxUnavailable: whatever it is, the budget stops the rollout."""
    given = guarded(maxUnavailable=0)
    prepare(given)
    strategy(maxUnavailable=1)(given)
    for name in ("p0", "p3", "p4"):
        _, _, remedy = answer(given, name)
        assert remedy.startswith(
            "raise maxUnavailable or lower minAvailable of the PodUnavailableBudget, or annotate"
        )
    text = run("explain", *written(given), "logs", *GATE).stdout
    assert "nothing in these files blocks it" not in text.partition("\n\n")[0]


@pytest.mark.parametrize("most", [1, 2, 0])
def test_a_pod_waits_forever_wherever_plan_says_so(most: int) -> None:
    """p3 is old and not ready: it is updated first, stays so, and uses up a maxUnavailable of 1."""
    broken = not_ready(pod("p3"))
    statuses = [{**each, "ready": each["name"] == "agent"} for each in broken["status"]["containerStatuses"]]
    broken["status"]["containerStatuses"] = statuses
    given = inputs(*(pod(f"p{number}") for number in range(3)), broken, updateStrategy={"maxUnavailable": most})
    [planned] = json.loads(run("plan", *written(given), "-o", "json").stdout)["sidecarSets"]
    waiting = {each["name"] for each in planned["waiting"]}
    assert bool(waiting) is (most < 2)
    remedy = ""
    for name in ("p0", "p1", "p2"):
        state, _, remedy = answer(given, name)
        assert state == "Waiting"
        assert remedy.startswith("nothing") is (name not in waiting)
    if most == 1:
        assert (
            remedy
            == "make shop/p3 ready, or raise spec.updateStrategy.maxUnavailable (1) above the 1 pod that is not"
        )
        for edit in (strategy(maxUnavailable=2), repair):
            tried = deepcopy(given)
            edit(tried)
            assert answer(tried)[2].startswith("nothing")
    if most == 0:
        strategy(maxUnavailable=1)(given)
        assert remedy == "raise spec.updateStrategy.maxUnavailable: it lets no ready pod be updated"
