"""None"""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.rollout.facts import RolloutOutcome, Round
from sidecarctl.engine.rollout.kubelet import Kubelet
from sidecarctl.engine.rollout.predicates import progress_of
from sidecarctl.engine.rollout.round.pod_changes import PodChange
from sidecarctl.engine.rollout.round.upgrades import Upgrades, upgrade
from sidecarctl.engine.rollout.simulated_pods import (
    ContainerStatus,
    Evaluated,
    SimulatedPod,
    UpgradableCondition,
    shared_mapping,
)
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.engine.sidecarset.pod_annotations import HASH
from tests.engine.rollout.manifests import pod, simulated, target
from tests.engine.rollout.test_properties import manifests, simulations


def test_what_is_read_from_a_pod() -> None:
    found = simulated(pod("p", labels={"tier": "a"}), 7)
    assert str(found.name) == "shop/p"
    assert found.index == 7
    assert found.labels["tier"] == "a"
    assert found.images == {"agent": "agent:1", "app": "app:1"}
    assert found.statuses["agent"] == ContainerStatus("agent:1", "sha256:agent:1", ready=True)
    assert (found.container_count, found.status_count, found.phase, found.ready) == (2, 2, "Running", True)
    assert found.active


@pytest.mark.parametrize(
    "manifest",
    [
        {},
        {"metadata": None, "spec": None, "status": None},
        {"metadata": {"labels": None, "annotations": None}, "spec": {"containers": None}},
        {
            "metadata": {"labels": {"a": None}, "annotations": {"b": None}},
            "spec": {"containers": [None, {"name": None, "image": None}], "initContainers": [None]},
            "status": {"phase": None, "conditions": [None, {}], "containerStatuses": [None, {"name": "a"}]},
        },
        {"status": {"conditions": None, "containerStatuses": None}},
    ],
)
def test_absent_and_null_fields_are_empty(manifest: Object) -> None:
    found = simulated(manifest)
    assert found.name == ("default", "")
    assert found.phase == ""
    assert not found.ready
    assert found.condition is None
    assert found.active
    assert all(value == "" for value in [*found.labels.values(), *found.annotations.values()])
    assert found.hashes.recorded("logs") == ""
    assert found.update_states == {}
    assert found.working_containers == {}


@pytest.mark.parametrize(
    ("manifest", "active"),
    [
        ({"status": {"phase": "Succeeded"}}, False),
        ({"status": {"phase": "Failed"}}, False),
        ({"status": {"phase": "Gone"}}, True),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, False),
    ],
)
def test_active(manifest: Object, active: bool) -> None:  # noqa: FBT001 - a parameter of the case
    assert simulated(manifest).active is active


def test_the_first_condition_of_a_type_counts() -> None:
    conditions = [
        {"type": "Ready", "status": "False"},
        {"type": "Ready", "status": "True"},
        {"type": "SidecarSetUpgradable", "status": "True", "message": "{}"},
        {"type": "SidecarSetUpgradable", "status": "False"},
    ]
    found = simulated({"status": {"conditions": conditions}})
    assert not found.ready
    assert found.condition == UpgradableCondition("True", "", "{}")


def test_init_containers_come_first_when_an_image_is_looked_up() -> None:
    spec = {
        "initContainers": [{"name": "agent", "image": "init:1"}],
        "containers": [{"name": "agent", "image": "app:1"}, {"name": "app"}],
    }
    found = simulated({"spec": spec})
    assert found.image_of("agent") == "init:1"
    assert found.image_of("app") == ""
    assert found.image_of("other") == ""


def test_records_follow_the_annotations() -> None:
    found = simulated(pod())
    found.annotate({HASH: '{"logs":{"hash":"other"}}', "team": "a"})
    assert found.annotations["team"] == "a"
    assert found.hashes.recorded("logs") == "other"
    assert found.records.hashes.recorded("logs") == "other"
    assert found.records is simulated({"metadata": {"annotations": dict(found.annotations)}}).records


def test_the_manifest_is_not_changed() -> None:
    manifest = pod()
    found = SimulatedPod(0, manifest)
    found.images = shared_mapping({**found.images, "agent": "agent:2"}.items())
    assert manifest == pod()


LIKENESS = {
    "records",
    "images",
    "init_images",
    "statuses",
    "container_count",
    "status_count",
    "phase",
    "ready",
}


@given(simulations())
def test_a_rollout_is_what_it_is_when_every_pod_is_evaluated(
    drawn: tuple[Target, list[Object], ClusterBehavior],
) -> None:
    held, pods, options = drawn
    together = _course(held, pods, options)
    with patch.object(Evaluated, "of", _alone):
        assert _course(held, pods, options) == together


def _alone(self: Evaluated[object], pod: SimulatedPod) -> object:
    return self.evaluate(pod)


def _course(held: Target, pods: list[Object], options: ClusterBehavior) -> tuple[list[Round], list[RolloutOutcome]]:
    simulation = Simulation([held], pods, None, options)
    return list(simulation.rounds()), simulation.outcomes()


@given(st.booleans(), st.data())
def test_an_upgrade_is_that_of_the_pod_alone(hot: bool, data: st.DataObject) -> None:  # noqa: FBT001 - drawn
    metadata: Value = [{"annotations": {"team": "a"}, "patchPolicy": "Overwrite"}]
    held = target(hot=hot, patchPodMetadata=metadata if data.draw(st.booleans()) else [])
    pods = data.draw(manifests(hot=hot))
    upgrades, alike = Upgrades(held), dict[int, object]()
    for index, manifest in enumerate(pods):
        alone, together = SimulatedPod(index, manifest), SimulatedPod(index, manifest, alike)
        expected = upgrade(held, alone).apply("upgrade", was_ready=True)
        assert upgrades.of(together).apply("upgrade", was_ready=True) == expected
        assert list(together.annotations.items()) == list(alone.annotations.items())
        assert (together.images, together.init_images) == (alone.images, alone.init_images)


@pytest.mark.parametrize("hot", [False, True])
def test_predicates_look_at_nothing_but_what_makes_pods_alike(hot: bool) -> None:  # noqa: FBT001 - a parameter
    seen: set[str] = set()

    class Watched(SimulatedPod):
        __slots__ = ()

        def __getattribute__(self, name: str) -> object:
            seen.add(name)
            return super().__getattribute__(name)

    for manifest in _various_pods(hot=hot):
        watched = Watched(0, manifest)
        seen.clear()
        progress_of(target("2", hot=hot), watched, selected=True)
        progress_of(target("1", hot=hot), watched, selected=True)
        assert seen - {"working_containers", "update_states"} <= LIKENESS  # these two are of the records
        assert seen


def _various_pods(*, hot: bool) -> Iterator[Object]:
    yield pod(hot=hot)
    yield pod(hot=hot, images={"agent": "agent@sha256:12", "agent-1": "agent:1", "agent-2": "agent:2"})
    yield pod(hot=hot, status={"phase": "Pending"})


def test_a_pod_that_changed_is_evaluated_again() -> None:
    evaluated = Evaluated(lambda found: (dict(found.images), found.ready))
    found = simulated(pod())
    assert evaluated.of(found) == ({"agent": "agent:1", "app": "app:1"}, True)
    found.images = shared_mapping([("agent", "agent:2")])
    assert evaluated.of(found) == ({"agent": "agent:2"}, True)
    found.ready = False
    assert evaluated.of(found) == ({"agent": "agent:2"}, False)


def test_pods_that_are_alike_are_evaluated_once() -> None:
    came: list[str] = []
    evaluated = Evaluated(lambda found: came.append(found.name.name))
    alike: dict[int, object] = {}
    containers, statuses = pod()["spec"]["containers"], pod()["status"]["containerStatuses"]
    for name in ("one", "other"):
        manifest = pod(name)
        manifest["spec"]["containers"], manifest["status"]["containerStatuses"] = containers, statuses
        evaluated.of(SimulatedPod(0, manifest, alike))
    assert came == ["one"]


def test_pods_whose_containers_are_in_another_order_are_evaluated_apart() -> None:
    evaluated = Evaluated(lambda found: list(found.images))
    found = simulated(pod())
    for names in (["app", "agent"], ["agent", "app"]):
        found.images = shared_mapping((name, "image") for name in names)
        assert evaluated.of(found) == names


def test_of_pods_that_are_all_different_not_all_are_kept() -> None:
    evaluated = Evaluated(lambda found: found.images["agent"])
    found = simulated(pod())
    with patch("sidecarctl.engine.rollout.simulated_pods.MOST_RESULTS", 3):
        for number in range(10):
            found.images = shared_mapping([("agent", f"agent:{number}")])
            assert evaluated.of(found) == f"agent:{number}"
            assert len(evaluated.known) <= 3


def live_pod(name: str, **status: object) -> Object:
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
    item, other = read(live_pod("one"), live_pod("other"))
    assert item.manifest["spec"]["containers"] is other.manifest["spec"]["containers"]
    assert item.labels is other.labels
    assert item.images is other.images
    assert item.statuses is other.statuses


def test_what_they_hold_is_as_it_would_be_alone() -> None:
    together = read(live_pod("one"), live_pod("other"), live_pod("third", ready=False))
    manifests_of_pods = (live_pod("one"), live_pod("other"), live_pod("third", ready=False))
    for shared, manifest in zip(together, manifests_of_pods, strict=True):
        (alone,) = read(manifest)
        assert shared.manifest == alone.manifest
        assert shared.images == alone.images == {"agent": "agent:1", "web": ""}
        assert shared.statuses == alone.statuses
    assert not together[2].statuses["agent"].ready


def test_a_field_that_is_absent_is_not_one_that_is_null() -> None:
    item, other = read(live_pod("one"), live_pod("other", imageID=None))
    assert "imageID" not in item.manifest["status"]["containerStatuses"][0]
    assert other.manifest["status"]["containerStatuses"][0]["imageID"] is None


def test_a_change_of_one_leaves_the_other() -> None:
    item, other = read(live_pod("one"), live_pod("other"))
    change = PodChange(item)
    change.set_image("agent", "agent:2")
    change.apply("upgrade", was_ready=True)
    assert (item.images["agent"], other.images["agent"]) == ("agent:2", "agent:1")
    Kubelet(assume_ready=False).finish_update(item, fails=False)
    assert (item.statuses["agent"].image, other.statuses["agent"].image) == ("agent:2", "agent:1")
