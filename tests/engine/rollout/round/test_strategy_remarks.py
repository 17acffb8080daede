import pytest

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.round.window import pod_remarks, strategy_remarks, window_of
from sidecarctl.engine.rollout.simulated_rollout import Simulation
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
)
from tests.engine.rollout.manifests import pod, simulated, target


def _reasons(strategy: Object, matched: int = 10, selected: int = 10) -> list[tuple[Reason, Value]]:
    held = target(updateStrategy=strategy)
    found = strategy_remarks(held, window_of(held.strategy, matched), matched, selected)
    return [(remark.reason, remark.path[-1]) for remark in found]


def test_an_ordinary_strategy_has_no_remarks() -> None:
    assert _reasons({}) == []
    assert _reasons({"partition": "99%", "maxUnavailable": "1%"}) == []


@pytest.mark.parametrize(
    ("strategy", "reasons"),
    [
        ({"partition": 1, "selector": {"matchLabels": {"a": "b"}}}, [(Reason.STRATEGY_REFUSED, "partition")]),
        ({"partition": "0%", "selector": {}}, [(Reason.STRATEGY_REFUSED, "partition")]),
        ({"partition": 0, "selector": {"matchLabels": {"a": "b"}}}, []),
        ({"partition": 1, "selector": {}, "type": "NotUpdate"}, []),
        ({"partition": -1, "type": "AnyOther"}, []),
        ({"partition": -1}, [(Reason.STRATEGY_REFUSED, "partition")]),
        (
            {"maxUnavailable": "-5%"},
            [(Reason.STRATEGY_REFUSED, "maxUnavailable"), (Reason.NOTHING_ALLOWED, "maxUnavailable")],
        ),
        ({"partition": "half"}, [(Reason.NOT_A_PERCENTAGE, "partition")]),
        ({"partition": "5"}, [(Reason.NOT_A_PERCENTAGE, "partition")]),
        ({"maxUnavailable": "5"}, [(Reason.NOT_A_PERCENTAGE, "maxUnavailable")]),
        (
            {"maxUnavailable": "x"},
            [(Reason.NOT_A_PERCENTAGE, "maxUnavailable"), (Reason.NOTHING_ALLOWED, "maxUnavailable")],
        ),
        ({"maxUnavailable": "0%"}, [(Reason.NOTHING_ALLOWED, "maxUnavailable")]),
        ({"maxUnavailable": 0}, [(Reason.NOTHING_ALLOWED, "maxUnavailable")]),
        ({"partition": "100%"}, [(Reason.NOTHING_ALLOWED, "partition")]),
        ({"partition": 10}, [(Reason.NOTHING_ALLOWED, "partition")]),
        (
            {
                "priorityStrategy": {
                    "weightPriority": [{"weight": 1, "matchSelector": {"matchLabels": {"a": "b"}}}],
                    "orderPriority": [{"orderedKey": "a"}],
                }
            },
            [(Reason.HAS_NO_EFFECT, "orderPriority")],
        ),
    ],
)
def test_parts_of_a_strategy_without_effect(strategy: Object, reasons: list[tuple[Reason, Value]]) -> None:
    assert _reasons(strategy) == reasons


def test_selectors_that_pick_nothing() -> None:
    assert _reasons({"selector": {"matchLabels": {"a": "b"}}}, 3, 0) == [(Reason.NO_PODS, "selector")]


def test_a_text_of_digits_is_a_percentage_for_max_unavailable_alone() -> None:
    held = target(updateStrategy={"partition": "5", "maxUnavailable": "5"})
    messages = [remark.message for remark in strategy_remarks(held, window_of(held.strategy, 10), 10, 10)]
    assert messages == [
        "'5' is neither a number nor a percentage; it counts as 0",
        "'5' is neither a number nor a percentage; it counts as 5%",
    ]


def test_an_ordinary_pod_has_no_remarks() -> None:
    assert list(pod_remarks(target(), simulated(pod()))) == []
    assert list(pod_remarks(target(), simulated(pod(annotations={HASH: None})))) == []


@pytest.mark.parametrize(
    ("manifest", "reason", "path"),
    [
        ({**pod(), "status": {}}, Reason.POD_WITHOUT_STATUS, ("status",)),
        (pod(status={"phase": "Odd"}), Reason.UNKNOWN_PHASE, ("status", "phase")),
        (pod(annotations={HASH: "oops"}), Reason.ANNOTATION_UNREADABLE, ("metadata", "annotations", HASH)),
        (
            pod(annotations={HASH_WITHOUT_IMAGE: '{"a":"b","c":{}}'}),
            Reason.ANNOTATION_UNREADABLE,
            ("metadata", "annotations", HASH_WITHOUT_IMAGE),
        ),
        (
            pod(annotations={INPLACE_UPDATE_STATE: "{broken"}),
            Reason.ANNOTATION_UNREADABLE,
            ("metadata", "annotations", INPLACE_UPDATE_STATE),
        ),
    ],
)
def test_odd_pods(manifest: Object, reason: Reason, path: tuple[str, ...]) -> None:
    remarks = list(pod_remarks(target(), simulated(manifest)))
    assert [(remark.reason, remark.path) for remark in remarks] == [(reason, path)]
    assert str(remarks[0].subject) == "Pod shop/p0"


def test_a_pod_whose_running_half_a_reset_would_empty() -> None:
    odd = pod(hot=True, annotations={WORKING_CONTAINERS: '{"agent":"agent-2"}'})
    (remark,) = pod_remarks(target(hot=True), simulated(odd))
    assert (remark.reason, remark.path[-1]) == (Reason.WORKING_CONTAINER_EMPTY, WORKING_CONTAINERS)
    assert remark.message == "agent-2 counts as working, but has the empty image: a reset empties agent-1 too"
    assert not list(pod_remarks(target(hot=True), simulated(pod(hot=True))))


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        ([], "no pods found in the inputs"),
        ([pod("p", labels={"app": "api"})], "the SidecarSet selects none of 1"),
        ([pod("p", annotations={INJECTED_LIST: None})], "all selected pods (1) are left out"),
    ],
)
def test_why_there_is_no_pod(pods: list[Object], message: str) -> None:
    [remark] = Simulation([target()], pods).rollouts["logs"].remarks
    assert (remark.reason, remark.path) == (Reason.NO_PODS, ("spec", "selector"))
    assert message in remark.message
