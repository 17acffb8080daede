from hashlib import sha256

import pytest

from sidecarctl.engine.rollout.kubelet import Kubelet, UpdatesInFlight
from sidecarctl.engine.rollout.kubelet import image_id as simulated_image_id
from sidecarctl.engine.rollout.simulated_pods import ContainerStatus, SimulatedPod, shared_mapping
from tests.engine.rollout.manifests import not_ready, pod, simulated


def _patched(image: str = "agent:2") -> SimulatedPod:
    found = simulated(pod())
    found.images = shared_mapping({**found.images, "agent": image}.items())
    return found


def test_an_update_of_one_step_ends_with_its_own_round() -> None:
    updates = UpdatesInFlight(1)
    updates.begin(7, 3)
    assert updates
    assert updates.ended(3) == [7]
    assert not updates


def test_a_pod_that_is_patched_again_starts_over() -> None:
    updates = UpdatesInFlight(3)
    updates.begin(7, 1)
    updates.begin(8, 1)
    updates.begin(7, 2)
    updates.begin(7, 2)
    assert [updates.ended(step) for step in range(1, 6)] == [[], [], [8], [7], []]


def test_a_duration_is_at_least_one_step() -> None:
    updates = UpdatesInFlight(0)
    updates.begin(7, 1)
    assert updates.ended(1) == [7]


@pytest.mark.parametrize(
    ("image", "image_id"),
    [
        ("agent:2", f"docker-pullable://agent@sha256:{sha256(b'agent:2').hexdigest()}"),
        ("host:5/agent", f"docker-pullable://host:5/agent@sha256:{sha256(b'host:5/agent').hexdigest()}"),
        ("host:5/a:2", f"docker-pullable://host:5/a@sha256:{sha256(b'host:5/a:2').hexdigest()}"),
        ("agent@sha256:12", "docker-pullable://agent@sha256:12"),
    ],
)
def test_statuses_follow_the_spec(image: str, image_id: str) -> None:
    found = _patched(image)
    assert not Kubelet(assume_ready=False).finish_update(found, fails=False)
    assert found.statuses["agent"] == ContainerStatus(image, image_id, ready=True)
    assert found.statuses["app"].image_id == "sha256:app:1"
    assert found.ready


def test_a_status_without_a_container_is_not_touched() -> None:
    found = simulated(pod())
    found.images = shared_mapping({"app": "app:1"}.items())
    before = found.statuses
    Kubelet(assume_ready=False).finish_update(found, fails=False)
    assert found.statuses == before


def test_a_pod_that_fails_loses_readiness_where_an_image_changed() -> None:
    found = _patched()
    assert Kubelet(assume_ready=True).finish_update(found, fails=True)
    assert not found.ready
    assert [found.statuses[name].ready for name in ("agent", "app")] == [False, True]
    assert not Kubelet(assume_ready=False).finish_update(found, fails=True)


def test_without_a_changed_status_nothing_fails() -> None:
    found = simulated(pod())
    assert not Kubelet(assume_ready=False).finish_update(found, fails=True)
    assert found.ready


def test_nothing_becomes_ready_that_was_not_unless_it_is_assumed() -> None:
    found = simulated(not_ready(pod()))
    assert not Kubelet(assume_ready=False).finish_update(found, fails=False)
    assert not found.ready
    assert Kubelet(assume_ready=True).finish_update(found, fails=False)
    assert found.ready
    assert all(status.ready for status in found.statuses.values())
    assert not Kubelet(assume_ready=True).finish_update(found, fails=False)


def test_a_pod_of_which_nothing_ran_yet_becomes_ready_if_that_is_assumed() -> None:
    found = simulated(pod(status={"phase": "Pending", "conditions": [], "containerStatuses": []}))
    assert Kubelet(assume_ready=True).finish_update(found, fails=False)
    assert (found.ready, found.phase, found.status_count) == (True, "Running", 2)
    assert found.statuses["agent"] == ContainerStatus("agent:1", simulated_image_id("agent:1"), ready=True)
