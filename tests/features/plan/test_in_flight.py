"""`sidecarctl plan` of a dump that was made in the middle of a rollout."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INPLACE_UPDATE_STATE, HashEntry, write_hashes
from tests.cli.running import run
from tests.engine.rollout.manifests import not_ready, pod, sidecarset, state_of
from tests.features.plan.planning import dump, planned, waves

STATE = state_of({"agent": "sha256:agent:1"})
UPDATED = write_hashes({"logs": HashEntry(None, sidecarset("2").hash, "logs", ("agent",), "logs-2")})
OLDER = state_of({"agent": "sha256:agent:0"})


def patched(name: str, *, restarted: bool = False, hash_text: str = UPDATED) -> Object:
    """A pod that was patched; its sidecar has restarted and is not ready yet, or has still to restart."""
    made = pod(
        name, annotations={HASH: hash_text, INPLACE_UPDATE_STATE: STATE}, images={"agent": "agent:2", "app": "a"}
    )
    agent = made["status"]["containerStatuses"][0]
    if restarted:
        agent |= {"ready": False}
        made["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    else:
        agent |= {"image": "agent:1", "imageID": "sha256:agent:1"}
    return made


def put_back(name: str) -> Object:
    """A pod that records the new version, in which somebody has put the old image back."""
    return pod(name, annotations={HASH: UPDATED})


def ending(folder: Path, *options: str, code: int = 0) -> tuple[str, str]:
    item = planned(folder, *options, code=code)["sidecarSets"][0]
    return item["ending"], item["message"]


@pytest.fixture
def half_done(folder: Path) -> Path:
    pods = [patched("p0"), patched("p1", restarted=True), patched("p2"), pod("p3"), pod("p4")]
    dump(folder / "pods.json", pods)
    return folder


def test_updates_in_flight_finish_and_the_ending_says_so(half_done: Path) -> None:
    document = planned(half_done)
    assert waves(document) == [["p3", "p4"]]
    item = document["sidecarSets"][0]
    assert (item["ending"], item["counts"]["assumedToFinish"]) == ("Complete", 3)
    assert item["message"].endswith(" Assumed: 3 updates in flight from before finish.")
    assert item["window"]["unavailableBefore"] == 3
    assert document["options"]["inFlight"] == "finish"
    text = run("plan", half_done / "set.yaml", half_done / "pods.json").stdout
    assert "Assumed: 3 updates in flight from before finish." in text


def test_they_are_stuck_when_asked(half_done: Path) -> None:
    found, message = ending(half_done, "--in-flight", "stuck", code=1)
    assert found == "Stalled"
    assert "Assumed" not in message


def test_one_that_fails_does_not_finish(half_done: Path) -> None:
    assert ending(half_done, "--fail", "p[012]", code=1)[0] == "Stalled"
    assert ending(half_done, "--fail", "p0")[0] == "Complete"


def test_they_take_as_long_as_others(half_done: Path) -> None:
    (wave,) = planned(half_done, "--pod-update-duration", "4")["sidecarSets"][0]["waves"]
    assert wave["round"] == 5


def test_a_pod_whose_app_is_not_ready_is_not_in_flight(folder: Path) -> None:
    broken = patched("p0", restarted=True)
    broken["status"]["containerStatuses"][1]["ready"] = False
    dump(folder / "pods.json", [broken, broken | {"metadata": {**broken["metadata"], "name": "p1"}}, pod("p3")])
    assert ending(folder, code=1)[0] == "Stalled"


@pytest.mark.parametrize("reason", ["CrashLoopBackOff", "ImagePullBackOff"])
def test_a_sidecar_that_cannot_start_is_not_in_flight(folder: Path, reason: str) -> None:
    """A push fails such a pod at once, so a plan must not assume that it becomes ready."""
    broken = patched("p0", restarted=True)
    broken["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": reason}}
    dump(folder / "pods.json", [broken, pod("p1")])
    assert ending(folder, "--max-unavailable", "1", code=1)[0] == "Stalled"
    broken["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "ContainerCreating"}}
    dump(folder / "pods.json", [broken, pod("p1")])
    assert ending(folder, "--max-unavailable", "1")[0] == "Complete"


def test_an_update_of_another_sidecarset_in_flight_finishes_too(folder: Path) -> None:
    """Whether that SidecarSet is planned, or only among the inputs, or not even that: the answer is the same."""
    other = state_of({"app": "sha256:app:0"}, name="mesh")
    made = pod("p0", annotations={INPLACE_UPDATE_STATE: other})
    made["status"]["containerStatuses"][1]["ready"] = False
    made["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    dump(folder / "pods.json", [made, pod("p1")])
    found, message = ending(folder, "--max-unavailable", "1")
    assert (found, "not available" in message, "Assumed: 1 update" in message) == ("Complete", False, True)
    assert "1 of them is not available" in ending(folder, "--in-flight", "stuck")[1]


def test_an_earlier_update_in_flight_finishes_before_the_next(folder: Path) -> None:
    older = write_hashes({"logs": HashEntry(None, "h0", "logs", ("agent",), "logs-0")})
    dump(folder / "pods.json", [patched("p0", hash_text=older), pod("p1")])
    document = planned(folder)
    assert waves(document) == [["p1"], ["p0"]]
    assert document["sidecarSets"][0]["ending"] == "Complete"


def test_what_no_restart_would_change_stays(folder: Path) -> None:
    unreadable = pod("p0", annotations={INPLACE_UPDATE_STATE: "{broken"})
    dump(folder / "pods.json", [unreadable, not_ready(pod("p1"))])
    document = planned(folder, code=1)
    assert document["sidecarSets"][0]["counts"]["assumedToFinish"] == 0


def test_nothing_in_flight_assumes_nothing(folder: Path) -> None:
    assert "Assumed" not in json.dumps(planned(folder))


def half_upgraded(folder: Path, version: str, **spec: Value) -> Object:
    """A pod whose hot upgrade is half done; the SidecarSet is written to the folder."""
    sets = sidecarset("2", hot=True, **spec)
    entry = HashEntry(None, sets.hash, "logs", ("agent",), "logs-2")
    (folder / "set.yaml").write_text(json.dumps({**sets.manifest, "apiVersion": f"apps.kruise.io/{version}"}))
    made = pod(
        "p0",
        hot=True,
        annotations={
            HASH: write_hashes({"logs": entry}),
            INPLACE_UPDATE_STATE: state_of({"agent-2": "sha256:empty:1"}),
            "kruise.io/sidecarset-working-hotupgrade-container": '{"agent": "agent-2"}',
        },
        images={"agent-1": "agent:1", "agent-2": "agent:2", "app": "app:1"},
    )
    made["status"]["containerStatuses"][1] |= {"image": "empty:1", "imageID": "sha256:empty:1"}
    return made


def test_a_hot_upgrade_that_is_half_done_continues(folder: Path) -> None:
    dump(folder / "pods.json", [half_upgraded(folder, "v1beta1")])
    document = planned(folder)
    assert [wave["kind"] for wave in document["sidecarSets"][0]["waves"]] == ["reset"]
    assert document["sidecarSets"][0]["ending"] == "Complete"


@pytest.mark.parametrize(("kruise", "is_next"), [("1.8", True), ("1.9", False)])
def test_up_to_1_8_a_round_that_empties_idle_halves_updates_pods_too(
    folder: Path, kruise: str, *, is_next: bool
) -> None:
    made = half_upgraded(folder, "v1alpha1", updateStrategy={"maxUnavailable": 2})
    made["status"]["containerStatuses"][1] |= {"image": "agent:2", "imageID": "sha256:agent:2"}
    dump(folder / "pods.json", [made, pod("p1", hot=True)])
    words = (folder / "set.yaml", folder / "pods.json", "--kruise", kruise)
    text = run("plan", *words).stdout
    assert ("     1  mixed " in text, "     1  reset " in text) == (is_next, not is_next)
    assert ("the next round updates it" in run("status", *words).stdout) is is_next
    assert ("the idle halves of 1 pod are emptied first" in run("status", *words).stdout) is not is_next


def with_broken_app(manifest: Object) -> Object:
    """The pod with an app that is not ready: no update of the sidecar mends it."""
    statuses = manifest["status"]["containerStatuses"]
    broken = [{**item, "ready": item["ready"] and item["name"] != "app"} for item in statuses]
    conditions = [{"type": "Ready", "status": "False"}]
    return {**manifest, "status": {**manifest["status"], "conditions": conditions, "containerStatuses": broken}}


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (
            1,
            "1 updated and unavailable uses up maxUnavailable of 1; it has another container that is not ready: app.",
        ),
        (
            2,
            "2 updated and unavailable use up maxUnavailable of 2; they have another container that is",
        ),
    ],
)
def test_other_containers_that_are_not_ready_are_why_it_stalls(folder: Path, number: int, said: str) -> None:
    """That updates in flight finish is no reason to go on, so the sentence must not read as if it were."""
    begun = [patched(f"p{index}") for index in range(number)]
    others = [pod(f"p{index}") for index in range(number, 4)]
    dump(folder / "pods.json", [*map(with_broken_app, begun), *others])
    found, message = ending(folder, "--max-unavailable", str(number), code=1)
    assert found == "Stalled"
    assert said in message
    assert f"Assumed: {number} update" in message
    dump(folder / "pods.json", [*begun, *others])
    assert ending(folder, "--max-unavailable", str(number))[0] == "Complete"


def test_another_container_that_is_not_ready_keeps_a_hot_upgrade_incomplete(folder: Path) -> None:
    (folder / "set.yaml").write_text(json.dumps(sidecarset("2", hot=True).manifest))
    dump(folder / "pods.json", [with_broken_app(pod("p0", hot=True))])
    found, message = ending(folder, code=1)
    assert found == "Stalled"
    assert "a hot upgrade is incomplete, 1 pod has another container that is not ready: app." in message


def test_pods_whose_images_were_put_back_are_counted_beside_the_count_of_kruise(folder: Path) -> None:
    dump(folder / "pods.json", [put_back("p0"), patched("p1"), pod("p2")])
    [item] = planned(folder)["sidecarSets"]
    assert (item["counts"]["before"]["updatedPods"], item["counts"]["otherImages"]) == (2, 1)
    assert [found["name"] for found in item["otherImages"]] == ["p0"]
    assert item["message"].startswith("Completes: all 3 pods updated (1 with other images) after 1 wave.")
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert "3 matched: 2 updated (1 with other images), 2 ready" in ended.stdout
    assert "with other images, though Kruise counts them as updated, by their recorded hash" in ended.stdout
    assert "1 of the 2 pods that Kruise counts as updated has other images: shop/p0 (agent: agent:1)" in ended.stderr


def test_a_plan_with_nothing_to_do_says_if_images_were_put_back(folder: Path) -> None:
    dump(folder / "pods.json", [put_back("p0"), put_back("p1")])
    assert ending(folder) == ("NothingToDo", "Nothing to do: 2 pods already updated (2 with other images).")
