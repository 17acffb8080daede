"""What a plan says of a rollout, and what becomes of it on a real server."""

from tests.cluster.kubelet import Fault
from tests.cluster.shop import Shop, is_ready, is_settled
from tests.rollout.manifests import pod, sidecarset


def test_a_good_image_mends_pods_that_a_bad_one_broke(shop: Shop) -> None:
    """The plan completes, and so does the rollout."""
    shop.hold(sidecarset("2", updateStrategy={"maxUnavailable": 2}).manifest)
    shop.run_pods(pod(f"p{index}") for index in range(5))
    shop.kubelet.faults["agent:2"] = Fault.IMAGE_NEVER_PULLED
    shop.plan()
    for one in shop.rendered("--wave", "1"):
        assert shop.api.patch(shop.path(one["target"]["name"]), one["patch"], "json").code == 200
        shop.await_pod(one["target"]["name"], lambda pod: is_settled(pod) and not is_ready(pod))
    assert shop.plan(code=1)["sidecarSets"][0]["ending"] == "Stalled"
    shop.hold(sidecarset("3", updateStrategy={"maxUnavailable": 2}).manifest)
    plan = shop.plan()["sidecarSets"][0]
    assert (plan["ending"], plan["counts"]["after"]["updatedReadyPods"]) == ("Complete", 5)
    shop.apply(shop.rendered())
    assert all(is_ready(shop.pod(f"p{index}")) for index in range(5))
    assert shop.plan()["sidecarSets"][0]["ending"] == "NothingToDo"
