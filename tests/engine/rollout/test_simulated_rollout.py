import json
from collections.abc import Iterable

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.facts import Ending, RolloutOutcome, Round
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.targets import Target, target_of
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    HashEntry,
    write_hashes,
)
from tests.engine.rollout.manifests import EMPTY, not_ready, pod, sidecarset, target
from tests.engine.rollout.patched_pods import patched


def _run(
    pods: Iterable[Object], *targets: Target, options: ClusterBehavior | None = None
) -> tuple[list[Round], list[RolloutOutcome]]:
    simulation = Simulation(targets or [target()], pods, None, options)
    rounds = list(simulation.rounds())
    return rounds, simulation.outcomes()


def _strategy(**strategy: Value) -> Target:
    return target(updateStrategy=strategy)


def _pods(number: int) -> list[Object]:
    return [pod(f"p{index}") for index in range(number)]


def _waves(rounds: list[Round]) -> list[list[str]]:
    return [[patch.pod.name for patch in recorded.patches] for recorded in rounds if recorded.is_wave]


def test_one_pod_after_another() -> None:
    rounds, (outcome,) = _run(_pods(3))
    assert _waves(rounds) == [["p0"], ["p1"], ["p2"]]
    assert [recorded.number for recorded in rounds] == [1, 2, 3, 4]
    assert [recorded.unavailable_after for recorded in rounds] == [1, 1, 1, 0]
    assert outcome.ending is Ending.COMPLETE
    assert not outcome.ending.is_objection
    assert (outcome.status.updated, outcome.largest_unavailable) == (3, 1)


def test_who_went_down_and_who_came_back() -> None:
    rounds, _ = _run([not_ready(pod("p0")), pod("p1"), pod("p2")], _strategy(maxUnavailable=1))
    assert [(recorded.went_down, recorded.came_back) for recorded in rounds] == [((0, 1), ()), ((), (1,))]
    rounds, _ = _run([pod("p0"), pod("p1")])
    assert [(recorded.went_down, recorded.came_back) for recorded in rounds] == [
        ((0,), ()),
        ((1,), (0,)),
        ((), (1,)),
    ]


def test_the_numbers_behind_a_round() -> None:
    state = {INPLACE_UPDATE_STATE: "{broken"}
    pods = [
        *_pods(4),
        pod("busy", annotations=state),
        pod("blocked", annotations={HASH_WITHOUT_IMAGE: None}),
        pod("not-selected", labels={"canary": "no"}),
    ]
    selector = {"matchExpressions": [{"key": "canary", "operator": "DoesNotExist"}]}
    rounds, (outcome,) = _run(pods, _strategy(partition=1, maxUnavailable=2, selector=selector))
    window = rounds[0].window
    assert window is not None
    assert (window.unavailable, window.candidates, window.held_back, window.waiting) == (0, 4, 1, 1)
    assert (window.not_selected, window.busy, window.not_upgradable) == (1, 1, 1)
    assert (window.window.partition_pods, window.window.max_unavailable_pods) == (1, 2)
    assert outcome.busy == (4,)
    assert outcome.not_upgradable == (5,)
    assert outcome.not_selected == (6,)
    assert outcome.held_by_partition == (3,)
    assert outcome.ending is Ending.STALLED


def test_what_put_a_pod_at_its_place() -> None:
    strategy = {"priorityStrategy": {"orderPriority": [{"orderedKey": "n"}]}, "maxUnavailable": 2}
    rounds, _ = _run([pod("a", labels={"n": "1"}), pod("b", labels={"n": "2"})], _strategy(**strategy))
    keys = [patch.sort_key for patch in rounds[0].patches]
    assert [(key.priority, key.place) for key in keys if key] == [((0, -2), 1), ((0, -1), 2)]
    assert all(key and key.base.scheduled == 1 for key in keys)


def test_a_longer_update() -> None:
    rounds, _ = _run(_pods(2), options=ClusterBehavior(duration=3))
    assert [recorded.is_wave for recorded in rounds] == [True, False, False, True, False, False, False]
    assert [recorded.unavailable_after for recorded in rounds] == [1, 1, 1, 1, 1, 1, 0]


def test_a_pod_that_fails_stalls_the_rollout() -> None:
    rounds, (outcome,) = _run(_pods(3), options=ClusterBehavior(fails=lambda name: name.name == "p0"))
    assert _waves(rounds) == [["p0"]]
    assert outcome.ending is Ending.STALLED
    assert outcome.ending.is_objection
    assert (outcome.holding_budget, outcome.waiting) == ((0,), (1, 2))


def test_not_ready_pods_become_ready_if_that_is_assumed() -> None:
    pods = [not_ready(pod("p0")), *_pods(3)[1:]]
    rounds, (outcome,) = _run(pods)
    assert _waves(rounds) == [["p0", "p1"]]
    assert outcome.ending is Ending.STALLED
    rounds, (outcome,) = _run(pods, options=ClusterBehavior(assume_ready=True))
    assert _waves(rounds) == [["p0", "p1"], ["p2"]]
    assert outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize(
    ("pods", "strategy", "ending"),
    [
        (_pods(2), {}, Ending.COMPLETE),
        ([], {}, Ending.NOTHING_TO_DO),
        (_pods(2), {"partition": 2}, Ending.HELD_BY_PARTITION),
        (_pods(2), {"partition": 1}, Ending.HELD_BY_PARTITION),
        (_pods(2), {"selector": {"matchLabels": {"x": "y"}}}, Ending.HELD_BY_SELECTOR),
        (_pods(2), {"paused": True}, Ending.PAUSED),
        (_pods(2), {"type": "NotUpdate"}, Ending.NOT_UPDATE),
        (_pods(2), {"maxUnavailable": 0}, Ending.STALLED),
        ([pod(annotations={HASH_WITHOUT_IMAGE: None})], {}, Ending.BLOCKED),
        ([pod(annotations={INPLACE_UPDATE_STATE: "{broken"})], {}, Ending.STALLED),
    ],
)
def test_endings(pods: list[Object], strategy: Object, ending: Ending) -> None:
    _, (outcome,) = _run(pods, _strategy(**strategy))
    assert outcome.ending is ending


def test_pods_that_are_as_they_should_be_leave_nothing_to_do() -> None:
    for strategy in ({}, {"paused": True}, {"type": "NotUpdate"}):
        rounds, (outcome,) = _run(_pods(2), target("1", updateStrategy=strategy))
        assert outcome.ending is Ending.NOTHING_TO_DO
        assert len(rounds) == 1


def test_the_limit_of_rounds() -> None:
    rounds, (outcome,) = _run(_pods(3), options=ClusterBehavior(rounds=2))
    assert len(rounds) == 2
    assert outcome.ending is Ending.ROUND_LIMIT
    rounds, (outcome,) = _run(_pods(3), options=ClusterBehavior(rounds=4))
    assert outcome.ending is Ending.COMPLETE
    assert _run(_pods(3), options=ClusterBehavior(rounds=0))[0] == []


def test_a_limit_that_ends_nothing_is_not_the_ending() -> None:
    _, (outcome,) = _run(_pods(3), _strategy(partition=3), options=ClusterBehavior(rounds=1))
    assert outcome.ending is Ending.HELD_BY_PARTITION


class TestNotUpgradable:
    def test_pods_get_the_condition_once_and_the_set_an_event_in_every_round(self) -> None:
        blocked = pod("blocked", annotations={HASH_WITHOUT_IMAGE: None})
        rounds, (outcome,) = _run([*_pods(2), blocked])
        assert [[str(change.pod) for change in recorded.conditions] for recorded in rounds] == [
            ["shop/blocked", "shop/p0"],
            ["shop/p1"],
            [],
        ]
        assert all(len(recorded.events) == 1 and "detected 1 not" in recorded.events[0] for recorded in rounds)
        assert outcome.ending is Ending.BLOCKED

    def test_a_condition_alone_is_a_change(self) -> None:
        rounds, _ = _run([pod("blocked", annotations={HASH_WITHOUT_IMAGE: None})])
        assert [bool(recorded.conditions) for recorded in rounds] == [True, False]


class TestHot:
    def test_upgrade_then_reset(self) -> None:
        manifests = [pod(f"p{index}", hot=True) for index in range(2)]
        rounds, (outcome,) = _run(manifests, target(hot=True))
        kinds = [[(patch.pod.name, patch.kind) for patch in recorded.patches] for recorded in rounds]
        assert kinds == [[("p0", "upgrade")], [("p0", "reset")], [("p1", "upgrade")], [("p1", "reset")], []]
        assert [recorded.unavailable_after for recorded in rounds] == [1, 1, 1, 1, 0]
        assert rounds[1].events == ("Normal ResetContainerSucceed reset sidecar container image empty successfully",)
        assert rounds[1].window is None
        assert outcome.ending is Ending.COMPLETE

    def test_a_new_container_that_never_runs_is_not_followed_by_a_reset(self) -> None:
        manifests = [pod("p0", hot=True)]
        rounds, (outcome,) = _run(manifests, target(hot=True), options=ClusterBehavior(fails=lambda _: True))
        assert len(_waves(rounds)) == 1
        assert outcome.ending is Ending.STALLED
        assert outcome.holding_budget == (0,)

    def test_a_limit_between_upgrade_and_reset(self) -> None:
        _, (outcome,) = _run([pod(hot=True)], target(hot=True), options=ClusterBehavior(rounds=1))
        assert outcome.ending is Ending.ROUND_LIMIT


class TestErrors:
    def test_metadata_that_cannot_be_merged_ends_the_rollout(self) -> None:
        held = target(patchPodMetadata=[{"patchPolicy": "MergePatchJson", "annotations": {"cfg": "{}"}}])
        manifests = [pod("p0", annotations={"cfg": "{}"}), pod("p1", annotations={"cfg": "level=debug"})]
        rounds, (outcome,) = _run(manifests, held)
        assert _waves(rounds) == [["p0"]]
        assert [recorded.error.reason for recorded in rounds if recorded.error] == [Reason.METADATA_PATCH_FAILED]
        assert outcome.error == rounds[-1].error
        assert str(outcome.error).startswith("Pod shop/p1: metadata.annotations.cfg: ")
        assert outcome.ending is Ending.ERROR

    def test_a_condition_that_cannot_be_read(self) -> None:
        conditions = [
            {"type": "SidecarSetUpgradable", "message": "nope"},
            {"type": "Ready", "status": "True"},
        ]
        rounds, (outcome,) = _run([pod(status={"conditions": conditions})])
        assert rounds[0].error is not None
        assert rounds[0].error.reason is Reason.CONDITION_UNREADABLE
        assert len(rounds[0].patches) == 1
        assert outcome.ending is Ending.ERROR

    def test_the_other_sets_continue(self) -> None:
        broken = target(
            name="audit", patchPodMetadata=[{"patchPolicy": "MergePatchJson", "annotations": {"cfg": "{}"}}]
        )
        both = _of_two_sets("p0")
        both["metadata"]["annotations"]["cfg"] = "nope"
        _, outcomes = _run([both], target(), broken)
        assert [(outcome.set_name, outcome.ending) for outcome in outcomes] == [
            ("audit", Ending.ERROR),
            ("logs", Ending.COMPLETE),
        ]

    def test_a_metadata_patch_that_undoes_the_update_does_not_run_forever(self) -> None:
        held = target(patchPodMetadata=[{"patchPolicy": "Overwrite", "annotations": {HASH: "{}"}}])
        rounds, (outcome,) = _run(_pods(1), held)
        assert len(_waves(rounds)) == 8
        assert outcome.error is not None
        assert outcome.error.reason is Reason.PATCHED_AGAIN

    def test_hot_halves_that_are_patched_where_nobody_looks_are_not_reset_forever(self) -> None:
        manifest = pod(hot=True, images={"app": "app:1"})
        halves = {"agent-1": "agent:1", "agent-2": EMPTY}
        manifest["spec"]["initContainers"] = [{"name": name, "image": image} for name, image in halves.items()]
        _, (outcome,) = _run([manifest], target(hot=True))
        assert outcome.error is not None
        assert outcome.error.reason is Reason.PATCHED_AGAIN

    def test_a_malformed_selector_is_an_error_of_its_own(self) -> None:
        selector = {"matchExpressions": [{"key": "a", "operator": "Like"}]}
        with pytest.raises(ImpossibleError, match="Like"):
            _run(_pods(1), _strategy(selector=selector))


def _of_two_sets(name: str) -> Object:
    """A pod in which the sets logs and audit have the same sidecar, both at version 1."""
    sets = {held: sidecarset("1", name=held) for held in ("audit", "logs")}
    return pod(
        name,
        annotations={
            HASH: write_hashes({key: HashEntry(None, held.hash, key) for key, held in sets.items()}),
            HASH_WITHOUT_IMAGE: write_hashes(
                {key: HashEntry(None, held.hash_without_image, key) for key, held in sets.items()}
            ),
            INJECTED_LIST: "audit,logs",
        },
    )


class TestSeveralSets:
    def test_in_each_round_every_set_makes_one_pass_in_name_order(self) -> None:
        rounds, outcomes = _run([_of_two_sets(f"p{index}") for index in range(2)], target(), target(name="audit"))
        assert [(recorded.number, recorded.set_name) for recorded in rounds[:4]] == [
            (1, "audit"),
            (1, "logs"),
            (2, "audit"),
            (2, "logs"),
        ]
        assert [outcome.ending for outcome in outcomes] == [Ending.COMPLETE, Ending.COMPLETE]
        assert [outcome.status.updated for outcome in outcomes] == [2, 2]

    def test_a_pod_may_be_of_one_set_alone(self) -> None:
        _, outcomes = _run([_of_two_sets("p0"), pod("p1")], target(), target(name="audit"))
        assert [outcome.status.updated for outcome in outcomes] == [1, 2]

    def test_each_keeps_the_entries_of_the_other(self) -> None:
        simulation = Simulation([target(), target(name="audit")], [_of_two_sets("p0")])
        assert list(simulation.rounds())
        annotations = simulation.pods[0].annotations
        assert {name: entry["hash"] for name, entry in json.loads(annotations[HASH]).items()} == {
            "audit": target(name="audit").hash,
            "logs": target().hash,
        }
        assert set(json.loads(annotations[INPLACE_UPDATE_STATE])) == {"audit", "logs"}

    def test_a_pod_that_fails_under_one_set_goes_first_under_the_other(self) -> None:
        manifests = [_of_two_sets("p0"), _of_two_sets("p1"), pod("alone")]
        options = ClusterBehavior(fails=lambda name: name.name == "p1")
        audit = target(name="audit", updateStrategy={"maxUnavailable": 2})
        _, (_, held) = _run(manifests, audit, _strategy(partition=3), options=options)
        assert held.held_by_partition == (1, 0, 2)


def test_pods_that_a_set_does_not_know_are_left_alone() -> None:
    simulation = Simulation([target()], [pod("p0"), pod("p1", annotations={INJECTED_LIST: None})])
    assert [patch.pod_index for recorded in simulation.rounds() for patch in recorded.patches] == [0]
    rollout = simulation.rollouts["logs"]
    assert [item.pod_index for item in rollout.left_out] == [1]
    assert rollout.remarks == []


def test_remarks_come_with_the_rollout() -> None:
    simulation = Simulation([_strategy(maxUnavailable=0)], [pod(status={"phase": "Odd"})])
    reasons = [remark.reason for remark in simulation.rollouts["logs"].remarks]
    assert reasons == [Reason.NOTHING_ALLOWED, Reason.UNKNOWN_PHASE]


def test_the_patches_lead_from_the_manifest_to_the_simulated_pod() -> None:
    manifests = [pod("p0", hot=True), {**pod("p1", hot=True), "status": {}}]
    native = [{"name": "setup", "image": "setup:1"}]
    manifests[1]["spec"]["initContainers"] = native
    simulation = Simulation([target(hot=True)], manifests)
    results = dict(enumerate(manifests))
    for recorded in simulation.rounds():
        for patch in recorded.patches:
            results[patch.pod_index] = patched(results[patch.pod_index], patch)
    for index, result in results.items():
        found = simulation.pods[index]
        assert result["metadata"]["annotations"] == found.annotations
        assert {item["name"]: item["image"] for item in result["spec"]["containers"]} == found.images
        assert result["status"] == manifests[index]["status"]
    assert manifests[0] == pod("p0", hot=True)


def test_a_set_whose_hash_was_recorded_by_another_version_of_it() -> None:
    held = target_of(sidecarset("1"), "logs-1")
    rounds, (outcome,) = _run([pod(annotations={HASH: '{"logs":"other"}'})], held)
    assert rounds[0].patches[0].images == ()
    assert outcome.ending is Ending.COMPLETE


@pytest.mark.parametrize(
    "manifest",
    [
        {},
        {"metadata": {"name": "x", "labels": {"app": "web"}, "annotations": {INJECTED_LIST: "logs"}}},
        {"metadata": {"labels": {"app": "web"}, "annotations": None}, "spec": None, "status": None},
        {**pod(), "status": None},
        {**pod(), "status": {"phase": "Odd", "containerStatuses": [None, {}], "conditions": [None]}},
        pod(annotations={HASH: "[", HASH_WITHOUT_IMAGE: "[", INPLACE_UPDATE_STATE: "[" * 100_000}),
        pod(annotations={HASH: "[" * 100_000, HASH_WITHOUT_IMAGE: '"\\ud800"'}),
    ],
)
def test_odd_pods_end_in_an_outcome(manifest: Object) -> None:
    for held in (target(), target(hot=True)):
        _, (outcome,) = _run([manifest, pod("p1")], held)
        assert outcome.ending in Ending
