import pytest

from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.simulated_pods import ContainerStatus, SimulatedPod, UpgradableCondition
from sidecarctl.sidecarset.annotations.pod_annotations import HASH
from tests.rollout.manifests import pod, simulated


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
    found.images = {**found.images, "agent": "agent:2"}
    assert manifest == pod()
