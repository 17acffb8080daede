"""What status tells of sets and of their pods."""

import pytest

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.round.upgrades import upgrade
from sidecarctl.engine.rollout.statuses import PodStatus, SetStatus, simulated_pods, statuses_of
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    HashEntry,
    write_hashes,
)
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.engine.inputs.worlds import world
from tests.engine.rollout.manifests import not_ready, pod, sidecarset, simulated, target
from tests.engine.rollout.patched_pods import patched

RECORDED = list(cases_in(FOLDER / "rollout"))
_COUNTS = ("matchedPods", "updatedPods", "readyPods", "updatedReadyPods")


def status(*objects: Object, only: tuple[str, ...] = ()) -> tuple[list[SetStatus], list[Finding]]:
    made = world(objects)
    chosen = only or [item.name for item in made.sidecarsets]
    return statuses_of(made, simulated_pods(item for item in objects if item["kind"] == "Pod"), chosen)


def set_status(*pods: Object, hot: bool = False, status_before: Object | None = None, **spec: Value) -> SetStatus:
    manifest = sidecarset(hot=hot, **spec).manifest
    [item], _ = status({**manifest, "status": status_before or {}}, *pods)
    return item


def only_pod(manifest: Object, *, hot: bool = False, **spec: Value) -> PodStatus:
    (item,) = set_status(manifest, hot=hot, **spec).pods
    return item


def updated_pod(name: str = "p0", *, hot: bool = False, in_flight: bool = False) -> Object:
    """A pod that an update has brought to the present version, which its statuses show or not."""
    manifest = pod(name, hot=hot)
    after = patched(manifest, upgrade(target(hot=hot), simulated(manifest)).apply("upgrade", was_ready=True))
    if in_flight:
        return after
    images = {item["name"]: item["image"] for item in after["spec"]["containers"]}
    statuses = [
        {**item, "image": images[item["name"]], "imageID": f"sha256:{images[item['name']]}"}
        for item in after["status"]["containerStatuses"]
    ]
    return {**after, "status": {**after["status"], "containerStatuses": statuses}}


@pytest.mark.parametrize("case", RECORDED, ids=[case.name for case in RECORDED])
def test_the_counts_and_the_next_pods_are_those_that_kruise_recorded(case: Case) -> None:
    [item], _ = status(*case.objects, only=(case.params.get("set") or _first_set(case),))
    recorded = case.expect["rounds"][0]
    assert item.status["latestRevision"] == case.expect["latestRevision"]
    if "error" in recorded:
        return
    assert {key: item.status.get(key, 0) for key in _COUNTS} == {
        key: recorded["status"].get(key, 0) for key in _COUNTS
    }
    following = [str(each.pod) for each in item.pods if "next" in each.why.split("; ")[0]]
    assert sorted(following) == sorted(each["pod"] for each in recorded.get("updated", ()))


def _first_set(case: Case) -> str:
    return next(str(item["metadata"]["name"]) for item in case.objects if item["kind"] == "SidecarSet")


def test_a_pod_that_is_up_to_date_needs_no_words() -> None:
    item = only_pod(updated_pod())
    assert (item.state, item.why, item.updated, item.ready, item.available) == (
        PodState.UPDATED,
        "",
        True,
        True,
        True,
    )
    assert (item.revision, item.upgradable, item.in_flight) == ("logs-2", True, False)


def test_pods_whose_image_was_put_back_are_counted_beside_the_count_of_kruise() -> None:
    put_back = updated_pod("p1")
    next(item for item in put_back["spec"]["containers"] if item["name"] == "agent")["image"] = "agent:1"
    [item], found = status(sidecarset().manifest, updated_pod("p0"), put_back, pod("p2"))
    assert item.counts.updated == 2
    assert [str(pod.state) for pod in item.pods] == ["Updated", "OtherImages", "Waiting"]
    assert item.pods[1].why == (
        "agent has agent:1, not agent:2, but Kruise counts the pod as updated, by its recorded hash"
    )
    [changed] = [finding.message for finding in found if finding.reason is Reason.SIDECAR_CHANGED]
    assert changed == (
        "1 of the 2 pods that Kruise counts as updated has other images: shop/p1 (agent: agent:1); "
        "Kruise goes by the recorded hash, and does not patch them again"
    )


def test_a_pod_whose_statuses_lag_behind() -> None:
    item = only_pod(updated_pod(in_flight=True))
    assert (item.state, item.in_flight) == (PodState.UPDATING, True)
    assert item.why == "the statuses do not yet show the image of agent"


def test_a_pod_with_fewer_statuses_than_containers() -> None:
    manifest = updated_pod()
    item = only_pod({**manifest, "status": {**manifest["status"], "containerStatuses": []}})
    assert (item.state, item.why) == (PodState.UPDATING, "2 containers, but statuses of 0")


def test_a_new_pod_without_statuses_is_not_updating() -> None:
    new = pod(annotations={HASH: write_hashes({"logs": HashEntry(None, sidecarset().hash, "logs", ("agent",))})})
    pending = {**new, "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}]}}
    item = only_pod(pending)
    assert (item.state, item.why, item.in_flight) == (PodState.NOT_READY, "its phase is Pending", False)
    held = only_pod({**pod(), "status": pending["status"]}, updateStrategy={"partition": 1})
    assert (held.state, held.why.split("; ")[1:]) == (PodState.HELD_BY_PARTITION, ["not ready"])


def test_a_pod_with_a_damaged_state_is_being_updated_forever() -> None:
    manifest = updated_pod()
    annotations = {**manifest["metadata"]["annotations"], "kruise.io/sidecarset-inplace-update-state": "?"}
    item = only_pod({**manifest, "metadata": {**manifest["metadata"], "annotations": annotations}})
    assert (item.state, item.why) == (PodState.UPDATING, "an update is in flight")


def test_hot_pods_name_the_half_that_works() -> None:
    item = only_pod(updated_pod(hot=True), hot=True)
    assert (item.state, item.working) == (PodState.RESETTING, {"agent": "agent-2"})
    assert item.why == "the idle half of agent is emptied next"
    assert only_pod(pod(hot=True), hot=True).working == {"agent": "agent-1"}


def test_of_a_paused_set_nothing_is_reset() -> None:
    item = only_pod(updated_pod(hot=True), hot=True, updateStrategy={"paused": True})
    assert (item.state, item.why) == (PodState.RESETTING, "the idle half of agent is not empty")


def test_waiting_pods_say_that_resets_come_first() -> None:
    item = set_status(updated_pod(hot=True), pod("p1", hot=True), hot=True)
    assert item.pods[1].why == "the idle halves of 1 pod are emptied first"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"phase": "Pending"}, "its phase is Pending"),
        ({"phase": ""}, "its phase is unknown"),
        ({"conditions": []}, "its condition Ready is not True"),
    ],
)
def test_an_updated_pod_that_is_not_ready(change: Object, why: str) -> None:
    manifest = updated_pod()
    item = only_pod({**manifest, "status": {**manifest["status"], **change}})
    assert (item.state, item.why) == (PodState.NOT_READY, why)


def test_the_containers_that_are_not_ready_are_named() -> None:
    assert only_pod(not_ready(updated_pod())).why == "not ready: agent, app"


def test_pods_wait_for_the_budget() -> None:
    item = set_status(not_ready(updated_pod()), pod("p1"))
    assert (item.unavailable, item.pods[1].state) == (1, PodState.WAITING)
    assert item.pods[1].why == "1 pod unavailable after the update, of 1 allowed"


def test_no_budget_at_all_is_reported() -> None:
    item = only_pod(pod(), updateStrategy={"maxUnavailable": "0%"})
    assert (item.state, item.why) == (PodState.WAITING, "maxUnavailable 0% lets no ready pod be updated")


def test_a_hot_upgrade_says_what_its_second_half_waits_for() -> None:
    waiting = not_ready(updated_pod(hot=True))
    item = only_pod(waiting, hot=True)
    assert (item.state, item.why) == (
        PodState.RESETTING,
        "the idle half of agent is not empty; not ready: agent-1, agent-2, app",
    )


def test_only_as_many_go_next_as_the_budget_lets() -> None:
    waiting = set_status(pod("p0"), pod("p1")).pods
    assert sorted(each.why for each in waiting) == ["not before a later round", "the next round updates it"]


@pytest.mark.parametrize(
    ("strategy", "state"),
    [
        ({"partition": 1}, PodState.HELD_BY_PARTITION),
        ({"selector": {"matchLabels": {"canary": "yes"}}}, PodState.HELD_BY_SELECTOR),
        ({"paused": True}, PodState.PAUSED),
        ({"type": "NotUpdate"}, PodState.NOT_UPDATE),
    ],
)
def test_what_keeps_a_pod_back(strategy: Object, state: PodState) -> None:
    item = only_pod(pod(), updateStrategy=strategy)
    assert item.state is state
    assert only_pod(not_ready(pod()), updateStrategy=strategy).why.endswith("not ready")
    inconsistent = pod(status={"containerStatuses": []})
    assert only_pod(inconsistent, updateStrategy=strategy).why.endswith("in flight")


def test_a_pod_that_only_recreation_updates() -> None:
    env = [{"name": "agent", "image": "agent:2", "env": [{"name": "A", "value": "1"}]}]
    item = only_pod(pod(), containers=env)
    assert (item.state, item.upgradable) == (PodState.NOT_UPGRADABLE, False)
    assert item.why == "a field other than image changed since it was injected; recreate it"


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        ("?", "its hash-without-image annotation records no hash: it is not a JSON object"),
        ("{}", "it records no hash-without-image of the SidecarSet; recreate it"),
    ],
)
def test_a_pod_whose_annotation_records_nothing(recorded: str, why: str) -> None:
    assert only_pod(pod(annotations={HASH_WITHOUT_IMAGE: recorded})).why == why


def test_pods_that_are_left_out_have_their_reason() -> None:
    item = set_status(pod(annotations={INJECTED_LIST: None}))
    assert (item.counts.matched, [each.reason for each in item.left_out]) == (0, [Reason.NEVER_INJECTED])


def test_versions_come_from_the_revisions() -> None:
    older = sidecarset("1", customVersion="one")
    revision = new_revision(older, 1)._replace(name="logs-1")
    [item], _ = status(sidecarset("2", customVersion="two").manifest, revision.manifest, pod(), updated_pod("p1"))
    assert [each.custom_version for each in item.pods] == ["one", ""]
    assert item.custom_version == "two"


@pytest.mark.parametrize("phase", ["Running", "Succeeded"])
def test_a_version_is_known_beyond_the_history_limit(phase: str) -> None:
    older = [
        new_revision(sidecarset(tag, customVersion=tag), number)._replace(name=f"logs-{number}").manifest
        for number, tag in enumerate(("one", "two"), 1)
    ]
    present = sidecarset("3", customVersion="three", revisionHistoryLimit=1).manifest
    pods = [pod(), {**pod("p1"), "status": {"phase": phase}}]
    [item], _ = status(present, *older, *pods)
    assert {each.custom_version for each in item.pods} == {"one"}


def test_what_the_manifest_records_is_kept_beside() -> None:
    item = set_status(pod(), status_before={"matchedPods": 7, "collisionCount": 2})
    assert item.recorded == {"matchedPods": 7, "collisionCount": 2}
    assert (item.status["matchedPods"], item.status["collisionCount"]) == (1, 2)


def test_a_set_with_a_malformed_selector_is_a_finding_and_the_others_are_reported() -> None:
    broken = {"matchExpressions": [{"key": "app", "operator": "Like", "values": ["web"]}]}
    sets, [finding] = status(sidecarset().manifest, sidecarset(name="mesh", selector=broken).manifest, pod())
    assert [item.sidecarset.name for item in sets] == ["logs"]
    assert (finding.reason, str(finding.place)[:12]) == (Reason.MALFORMED_SELECTOR, "objects.json")
