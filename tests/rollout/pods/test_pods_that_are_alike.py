"""Pods that are alike share what is kept of them, and a change of one is not seen in another."""

from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.trimmed_pods import trimmed_pod
from sidecarctl.rollout.round.pod_changes import PodChange
from sidecarctl.rollout.simulation.kubelet import Kubelet


def pod(name: str, **status: object) -> Object:
    return {
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "agent", "image": "agent:1", "env": []}, None, {"name": "web"}]},
        "status": {
            "containerStatuses": [{"name": "agent", "image": "agent:1", "ready": True, "restartCount": 0, **status}]
        },
    }


def read(*manifests: Object) -> list[SimulatedPod]:
    alike: dict[int, object] = {}
    trimmed = [trimmed_pod(manifest, "default") for manifest in manifests]
    return [SimulatedPod(index, manifest, alike) for index, manifest in enumerate(trimmed)]


def test_they_share_their_lists_and_labels() -> None:
    item, other = read(pod("one"), pod("other"))
    assert item.manifest["spec"]["containers"] is other.manifest["spec"]["containers"]
    assert item.labels is other.labels
    assert item.images is other.images
    assert item.statuses is other.statuses


def test_what_they_hold_is_as_it_would_be_alone() -> None:
    together = read(pod("one"), pod("other"), pod("third", ready=False))
    for shared, manifest in zip(together, (pod("one"), pod("other"), pod("third", ready=False)), strict=True):
        (alone,) = read(manifest)
        assert shared.manifest == alone.manifest
        assert shared.images == alone.images == {"agent": "agent:1", "web": ""}
        assert shared.statuses == alone.statuses
    assert not together[2].statuses["agent"].ready


def test_a_field_that_is_absent_is_not_one_that_is_null() -> None:
    item, other = read(pod("one"), pod("other", imageID=None))
    assert "imageID" not in item.manifest["status"]["containerStatuses"][0]
    assert other.manifest["status"]["containerStatuses"][0]["imageID"] is None


def test_a_change_of_one_leaves_the_other() -> None:
    item, other = read(pod("one"), pod("other"))
    change = PodChange(item)
    change.set_image("agent", "agent:2")
    change.apply("upgrade", was_ready=True)
    assert (item.images["agent"], other.images["agent"]) == ("agent:2", "agent:1")
    Kubelet(assume_ready=False).finish_update(item, fails=False)
    assert (item.statuses["agent"].image, other.statuses["agent"].image) == ("agent:2", "agent:1")
