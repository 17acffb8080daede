"""The basis of the other cluster tests: the server, the kubelet, the controller that reverts."""

import time

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import until
from tests.cluster.kubelet import Fault
from tests.cluster.reverter import Reverter
from tests.cluster.shop import Shop, images, is_ready, is_settled
from tests.engine.rollout.manifests import pod, sidecarset

GATED = "CloneSetReady"


def upgrade(shop: Shop, image: str = "agent:2", name: str = "p0") -> None:
    patch = {"spec": {"containers": [{"name": "agent", "image": image}]}}
    assert shop.api.patch(shop.path(name), patch).code == 200


def status_of(pod: Object, container: str = "agent") -> Object:
    found: Object = next(status for status in pod["status"]["containerStatuses"] if status["name"] == container)
    return found


def test_pods_become_ready_and_follow_their_images(shop: Shop) -> None:
    shop.run_pods([pod("p0")])
    upgrade(shop)
    after = shop.await_pod("p0", is_settled)
    assert (status_of(after)["image"], status_of(after)["restartCount"]) == ("agent:2", 1)
    assert status_of(after, "app")["restartCount"] == 0
    assert is_ready(after)


def test_a_kubelet_takes_a_moment(shop: Shop) -> None:
    shop.run_pods([pod("p0")])
    shop.kubelet.moment = 0.5
    begin = time.monotonic()
    upgrade(shop)
    shop.await_pod("p0", is_settled)
    assert time.monotonic() - begin >= 0.5


def test_a_kubelet_holds_a_pod_back(shop: Shop) -> None:
    shop.run_pods([pod("p0"), pod("p1")])
    shop.kubelet.held.add("p0")
    upgrade(shop)
    upgrade(shop, name="p1")
    shop.await_pod("p1", is_settled)
    assert status_of(shop.pod("p0"))["image"] == "agent:1"
    shop.kubelet.held.clear()
    shop.await_pod("p0", is_settled)


@pytest.mark.parametrize("fault", [Fault.NEVER_READY, Fault.IMAGE_NEVER_PULLED, Fault.CRASH_LOOP])
@pytest.mark.parametrize("key", ["p0", "agent:2"])
def test_a_fault_of_a_pod_or_an_image(shop: Shop, fault: Fault, key: str) -> None:
    shop.run_pods([pod("p0"), pod("p1")])
    shop.kubelet.faults[key] = fault
    upgrade(shop)
    upgrade(shop, name="p1")
    shop.await_pod("p0", lambda item: is_settled(item) and not is_ready(item))
    assert is_ready(shop.await_pod("p1", is_settled)) or key == "agent:2"


def test_a_container_that_restarts(shop: Shop) -> None:
    shop.run_pods([pod("p0")])
    shop.kubelet.faults["p0"] = Fault.RESTART
    upgrade(shop)
    assert is_ready(shop.await_pod("p0", lambda item: status_of(item)["restartCount"] == 2))


def test_another_tag_in_the_status(shop: Shop) -> None:
    shop.run_pods([pod("p0")])
    shop.kubelet.faults["p0"] = Fault.OTHER_TAG
    upgrade(shop)
    after = shop.await_pod("p0", lambda item: status_of(item)["image"] == "docker.io/library/agent:some-other-tag")
    assert is_ready(after)


def test_readiness_gates(shop: Shop) -> None:
    gated = pod("p0")
    gated["spec"] = {**gated["spec"], "readinessGates": [{"conditionType": GATED}]}
    shop.run_pods([gated])
    shop.kubelet.opens_gates = False
    shop.create({**gated, "metadata": {**gated["metadata"], "name": "p1"}})
    shop.await_pod("p1", is_settled)
    assert not is_ready(shop.pod("p1"))


def test_a_controller_reverts_at_once(shop: Shop) -> None:
    shop.hold(sidecarset("1").manifest)
    shop.run_pods([pod("p0")])
    with Reverter(shop.api, shop.namespace) as reverter:
        upgrade(shop)
        until(lambda: reverter.reverted)
        assert images(shop.pod("p0"))["agent"] == "agent:1"


def test_a_controller_leaves_pods_of_a_paused_set_alone(shop: Shop) -> None:
    shop.hold(sidecarset("1", updateStrategy={"paused": True}).manifest)
    shop.run_pods([pod("p0")])
    with Reverter(shop.api, shop.namespace) as reverter:
        upgrade(shop)
        shop.await_pod("p0", is_settled)
        assert not reverter.reverted
