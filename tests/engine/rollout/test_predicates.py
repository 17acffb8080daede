import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.predicates import (
    half_done,
    idle_half,
    is_busy,
    is_consistent,
    is_ready,
    is_reset_due,
    is_updated,
    is_upgradable,
    working_half,
)
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
)
from tests.engine.rollout.manifests import EMPTY, not_ready, pod, simulated, state_of, target

DIGEST = "sha256:" + "1" * 64
OTHER_DIGEST = "sha256:" + "2" * 64


def _with_status(manifest: Object, **of_agent: object) -> Object:
    """The pod with other values in the status of its sidecar."""
    statuses = [
        {**item, **of_agent} if item["name"] == "agent" else item for item in manifest["status"]["containerStatuses"]
    ]
    return {**manifest, "status": {**manifest["status"], "containerStatuses": statuses}}


def test_updated_compares_the_recorded_hash() -> None:
    assert is_updated(target("1"), simulated(pod()))
    assert not is_updated(target("2"), simulated(pod()))
    assert not is_updated(target("1"), simulated(pod(annotations={HASH: "oops"})))


def test_upgradable_compares_the_hash_without_image() -> None:
    assert is_upgradable(target("2"), simulated(pod()))
    assert not is_upgradable(target("2"), simulated(pod(annotations={HASH_WITHOUT_IMAGE: None})))
    changed = [{"name": "agent", "image": "agent:2", "args": ["-v"]}]
    assert not is_upgradable(target(containers=changed), simulated(pod()))


@pytest.mark.parametrize("phase", ["Pending", "Unknown", "", "Odd"])
def test_ready_needs_the_phase(phase: str) -> None:
    assert is_ready(target(), simulated(pod()))
    assert not is_ready(target(), simulated(pod(status={"phase": phase})))


def test_ready_needs_the_condition() -> None:
    assert not is_ready(target(), simulated(not_ready(pod())))


@pytest.mark.parametrize(
    ("working", "half"),
    [
        ('{"agent":"agent-1"}', "agent-1"),
        ('{"agent":"agent-2"}', "agent-2"),
        ('{"agent":5}', "agent-2"),
        ("oops", "agent-2"),
    ],
)
def test_the_working_half(working: str, half: str) -> None:
    container = target(hot=True).hot[0]
    found = simulated(pod(hot=True, annotations={WORKING_CONTAINERS: working}))
    assert working_half(container, found) == half
    assert {half, idle_half(container, found)} == {"agent-1", "agent-2"}


def test_without_an_empty_image_the_idle_half_is_not_looked_at() -> None:
    container = {"name": "agent", "image": "agent:2", "upgradeStrategy": {"upgradeType": "HotUpgrade"}}
    assert is_ready(target(hot=True, containers=[container]), simulated(pod(hot=True)))


def test_a_hot_pod_is_ready_when_its_idle_half_is_empty() -> None:
    assert is_ready(target(hot=True), simulated(pod(hot=True)))
    swapped = pod(hot=True, annotations={WORKING_CONTAINERS: '{"agent":"agent-2"}'})
    assert not is_ready(target(hot=True), simulated(swapped))
    assert [container.name for container in half_done(target(hot=True), simulated(swapped))] == ["agent"]


class TestConsistent:
    def test_without_a_state(self) -> None:
        assert is_consistent(target(), simulated(pod()))

    def test_the_numbers_of_containers_and_statuses_must_agree(self) -> None:
        assert not is_consistent(target(), simulated(pod(status={"containerStatuses": []})))
        assert not is_consistent(target(), simulated({**pod(), "status": {}}), ("no-such-container",))

    def test_none_of_the_names(self) -> None:
        found = simulated(pod(annotations={INPLACE_UPDATE_STATE: "{broken"}))
        assert is_consistent(target(), found, ("no-such-container",))
        assert not is_consistent(target(), found)

    @pytest.mark.parametrize(
        ("image_id", "image", "consistent"),
        [
            ("sha256:agent:1", "agent:1", True),
            ("sha256:agent:1", "docker.io/agent:1", False),
            ("sha256:agent:0", "docker.io/agent:1", True),
            ("", "docker.io/agent:1", True),
        ],
    )
    def test_imageid_and_image_must_both_differ_from_what_is_wanted(
        self,
        image_id: str,
        image: str,
        consistent: bool,  # noqa: FBT001 - a parameter of the case
    ) -> None:
        manifest = pod(annotations={INPLACE_UPDATE_STATE: state_of({"agent": image_id})})
        found = simulated(_with_status(manifest, image=image))
        assert is_consistent(target(), found) is consistent

    def test_an_imageid_that_was_unknown_and_still_is(self) -> None:
        manifest = pod(annotations={INPLACE_UPDATE_STATE: state_of({"agent": ""})})
        assert not is_consistent(target(), simulated(_with_status(manifest, image="agent:0", imageID="")))

    def test_the_state_of_other_sets_and_of_other_names_does_not_matter(self) -> None:
        state = state_of({"agent": "sha256:agent:1", "gone": "x"}, name="other")
        manifest = _with_status(pod(annotations={INPLACE_UPDATE_STATE: state}), image="agent:0")
        assert is_consistent(target(), simulated(manifest))
        state = state_of({"agent": "sha256:agent:1"})
        manifest = _with_status(pod(annotations={INPLACE_UPDATE_STATE: state}), image="agent:0")
        assert is_consistent(target(), simulated(manifest), ("app",))

    @pytest.mark.parametrize(
        ("image", "image_id", "consistent"),
        [
            (f"agent@{DIGEST}", f"docker-pullable://agent@{DIGEST}", True),
            (f"agent:1@{DIGEST}", f"docker.io/library/agent:2@{DIGEST}", True),
            (f"agent@{DIGEST}", f"docker-pullable://agent@{OTHER_DIGEST}", False),
            (f"agent@{DIGEST}", f"docker-pullable://mirror/agent@{DIGEST}", False),
            (f"agent:1@{DIGEST}", "agent:1", True),
            (f"agent:1@{DIGEST}", "agent:2", False),
            (f"agent@{DIGEST}", "agent", True),
            (f"agent@{DIGEST}", DIGEST, False),
            (f"agent@{DIGEST}", "", False),
            (f"agent@{DIGEST}", f"a://agent@{DIGEST}://b", True),
        ],
    )
    def test_digests(self, image: str, image_id: str, consistent: bool) -> None:  # noqa: FBT001 - of the case
        manifest = _with_status(pod(images={"agent": image, "app": "app:1"}), imageID=image_id, image="x")
        assert is_consistent(target(), simulated(manifest)) is consistent

    def test_a_digest_without_a_status(self) -> None:
        manifest = pod(images={"agent": f"agent@{DIGEST}"})
        manifest = {**manifest, "status": {"containerStatuses": [{"name": "other"}]}}
        assert not is_consistent(target(), simulated(manifest))

    def test_the_first_image_without_digest_ends_the_walk(self) -> None:
        containers = [{"name": "agent", "image": "agent:2"}, {"name": "app", "image": "app:2"}]
        both = target(containers=containers)
        images = {"agent": "agent:1", "app": f"app@{DIGEST}"}
        assert is_consistent(both, simulated(pod(images=images)))
        assert not is_consistent(both, simulated(pod(images=dict(reversed(images.items())))))

    def test_what_only_looks_like_a_digest_is_none(self) -> None:
        assert is_consistent(target(), simulated(pod(images={"agent": "agent@sha256:12", "app": "app:1"})))


def test_busy_when_a_ready_sidecar_is_not_consistent() -> None:
    manifest = pod(annotations={INPLACE_UPDATE_STATE: "{broken"})
    assert is_busy(target(), simulated(manifest))
    assert not is_busy(target(), simulated(_with_status(manifest, ready=False)))
    assert not is_busy(target(), simulated(pod()))
    assert not is_busy(target(), simulated({**manifest, "status": {}}))


class TestResetDue:
    def half_done(self, **status: object) -> Object:
        images = {"agent-1": "agent:1", "agent-2": "agent:2", "app": "app:1"}
        working = '{"agent":"agent-2"}'
        return pod(hot=True, images=images, annotations={WORKING_CONTAINERS: working}, status=status)

    def test_when_the_pod_runs(self) -> None:
        assert is_reset_due(target(hot=True), simulated(self.half_done()))

    def test_not_when_the_idle_half_is_empty(self) -> None:
        assert not is_reset_due(target(hot=True), simulated(pod(hot=True)))

    def test_when_all_but_the_idle_half_are_ready(self) -> None:
        conditions = [{"type": "Ready", "status": "False"}]
        manifest = self.half_done(conditions=conditions)
        assert is_reset_due(target(hot=True), simulated(manifest))
        for item in manifest["status"]["containerStatuses"]:
            item["ready"] = item["name"] != "app"
        assert not is_reset_due(target(hot=True), simulated(manifest))
        for item in manifest["status"]["containerStatuses"]:
            item["ready"] = item["name"] != "agent-1"
        assert is_reset_due(target(hot=True), simulated(manifest))

    def test_not_before_the_working_half_is_consistent(self) -> None:
        manifest = self.half_done()
        state = state_of({"agent-2": "sha256:agent:2"})
        manifest["metadata"]["annotations"][INPLACE_UPDATE_STATE] = state
        assert is_reset_due(target(hot=True), simulated(manifest))
        manifest["status"]["containerStatuses"][1]["image"] = EMPTY
        assert not is_reset_due(target(hot=True), simulated(manifest))
