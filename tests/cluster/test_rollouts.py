"""What a plan says about a rollout, and what happens on a real server."""

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.kubelet import Fault
from tests.cluster.shop import Shop, is_ready, is_settled
from tests.engine.rollout.manifests import pod, sidecarset


def test_a_good_image_fixes_pods_that_a_bad_one_broke(shop: Shop) -> None:
    """The plan completes, and so does the rollout."""
    shop.hold(sidecarset("2", updateStrategy={"maxUnavailable": 2}).manifest)
    shop.run_pods(pod(f"p{index}") for index in range(5))
    shop.kubelet.faults["agent:2"] = Fault.IMAGE_NEVER_PULLED
    shop.plan()
    for item in shop.rendered("--waves", "1"):
        assert shop.api.patch(shop.path(item["target"]["name"]), item["patch"], "json").code == 200
        shop.await_pod(item["target"]["name"], lambda pod: is_settled(pod) and not is_ready(pod))
    assert shop.plan("--in-flight", "stuck", code=1)["sidecarSets"][0]["ending"] == "Stalled"
    shop.hold(sidecarset("3", updateStrategy={"maxUnavailable": 2}).manifest)
    plan = shop.plan()["sidecarSets"][0]
    assert (plan["ending"], plan["counts"]["after"]["updatedReadyPods"]) == ("Complete", 5)
    shop.apply(shop.rendered())
    assert all(is_ready(shop.pod(f"p{index}")) for index in range(5))
    assert shop.plan()["sidecarSets"][0]["ending"] == "NothingToDo"


@pytest.mark.parametrize("fault", [Fault.RESTART, Fault.OTHER_TAG])
def test_a_wave_whose_pods_do_not_stay_as_they_were(shop: Shop, fault: Fault) -> None:
    """The rest of the plan is still good, and so is a plan made in the middle."""
    shop.hold(sidecarset("2", updateStrategy={"maxUnavailable": 2}).manifest)
    shop.run_pods(pod(f"p{index}") for index in range(4))
    shop.kubelet.faults["agent:2"] = fault
    plan = shop.plan()["sidecarSets"][0]
    first, second = ([item["name"] for item in wave["pods"]] for wave in plan["waves"])
    rest = shop.rendered("--waves", "2")
    for item in shop.rendered("--waves", "1"):
        assert shop.api.patch(shop.path(item["target"]["name"]), item["patch"], "json").code == 200
    for name in first:
        shop.await_pod(name, lambda pod: is_ready(pod) and has_met(pod, fault))
    again = shop.plan()["sidecarSets"][0]
    assert (again["ending"], again["counts"]["before"]["updatedReadyPods"]) == ("Complete", 2)
    assert [[item["name"] for item in wave["pods"]] for wave in again["waves"]] == [second]
    for item in rest:
        assert shop.api.patch(shop.path(item["target"]["name"]), item["patch"], "json").code == 200
    for name in second:
        shop.await_pod(name, lambda pod: is_ready(pod) and has_met(pod, fault))
    assert shop.plan()["sidecarSets"][0]["ending"] == "NothingToDo"


def test_a_pod_that_breaks_in_the_middle_of_a_rollout_stops_it(shop: Shop) -> None:
    """It was ready with the new image, and then no more: its wave is over, and it holds the budget."""
    shop.hold(sidecarset("2").manifest)
    shop.run_pods(pod(f"p{index}") for index in range(3))
    plan = shop.plan()["sidecarSets"][0]
    [broken] = [item["name"] for item in plan["waves"][0]["pods"]]
    shop.kubelet.faults[broken] = Fault.CRASH_LOOP
    [patch] = shop.rendered("--waves", "1")
    assert shop.api.patch(shop.path(broken), patch["patch"], "json").code == 200
    shop.await_pod(broken, lambda pod: not is_ready(pod) and agent(pod)["state"] == CRASHES)
    again = shop.plan("--in-flight", "stuck", code=1)["sidecarSets"][0]
    assert (again["ending"], again["waves"], again["window"]["unavailableBefore"]) == ("Stalled", [], 1)


def test_a_readiness_gate_that_stays_closed_stops_it(shop: Shop) -> None:
    """A pod whose containers are all ready, but which is not, is mended by no image."""
    gated = pod("p0")
    gated["spec"] |= {"readinessGates": [{"conditionType": "example.com/opened"}]}
    shop.hold(sidecarset("2").manifest)
    shop.run_pods([pod("p1"), pod("p2")])
    shop.kubelet.opens_gates = False
    shop.create(gated)
    shop.await_pod("p0", lambda pod: is_settled(pod) and not is_ready(pod))
    plan = shop.plan("--in-flight", "stuck", code=1)["sidecarSets"][0]
    [wave] = plan["waves"]
    assert (plan["ending"], wave["pods"][0]["name"], len(wave["pods"])) == ("Stalled", "p0", 2)
    shop.apply(shop.rendered())
    assert not is_ready(shop.pod("p0"))
    again = shop.plan("--in-flight", "stuck", code=1)["sidecarSets"][0]
    assert (again["ending"], again["waves"], again["window"]["unavailableBefore"]) == ("Stalled", [], 1)


CRASHES = {"waiting": {"reason": "CrashLoopBackOff"}}


def agent(pod: Object) -> Object:
    """The status of the sidecar."""
    found: Object = next(status for status in pod["status"]["containerStatuses"] if status["name"] == "agent")
    return found


def has_met(pod: Object, fault: Fault) -> bool:
    """Whether what goes wrong has happened to the updated sidecar."""
    status = agent(pod)
    if fault is Fault.RESTART:
        return bool(status["restartCount"] == 2)  # once for the update, once more
    return bool(status["image"].endswith(":some-other-tag"))
