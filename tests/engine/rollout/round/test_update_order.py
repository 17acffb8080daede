"""The order of waiting pods: base order, priority, and how it is kept while pods leave."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import BaseKey
from sidecarctl.engine.rollout.predicates import Eligibility, PodProgress
from sidecarctl.engine.rollout.round.scatter import Scatter
from sidecarctl.engine.rollout.round.update_order import NO_TIME, OrderedPod, WaitingPods, base_key, update_priority
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from tests.engine.rollout.manifests import not_ready, pod, simulated

EARLY, LATE = "2025-01-01T00:00:00Z", "2025-01-01T00:00:00.5Z"


def _key(spec: Object | None = None, status: Object | None = None, **metadata: str) -> BaseKey:
    return base_key(simulated({"metadata": metadata, "spec": spec or {}, "status": status or {}}))


def _ready(status: str = "True", time: str | None = None) -> Object:
    return {"conditions": [{"type": "Ready", "status": status, "lastTransitionTime": time}]}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_key(), _key({"nodeName": "n"})),
        (_key(status={"phase": "Pending"}), _key(status={"phase": "Unknown"})),
        (_key(status={"phase": "Odd"}), _key(status={"phase": "Unknown"})),
        (_key(status={"phase": "Unknown"}), _key(status={"phase": "Running"})),
        (_key(status=_ready("False")), _key(status=_ready())),
        (_key(status=_ready(time=LATE)), _key(status=_ready(time=EARLY))),
        (_key(status=_ready()), _key(status=_ready(time=LATE))),
        (
            _key(status={"containerStatuses": [{"restartCount": 1}, {"restartCount": 3}]}),
            _key(status={"containerStatuses": [{"restartCount": 2}, {}, {"restartCount": 2}]}),
        ),
        (_key(), _key(creationTimestamp=LATE)),
        (_key(creationTimestamp=LATE), _key(creationTimestamp=EARLY)),
        (
            _key(status={"phase": "Pending"}, creationTimestamp=EARLY),
            _key(status=_ready() | {"phase": "Running"}),
        ),
    ],
)
def test_which_goes_first(first: BaseKey, second: BaseKey) -> None:
    assert first < second


def test_the_time_of_a_condition_that_is_not_true_is_not_looked_at() -> None:
    assert _key(status=_ready("False", EARLY)) == _key(status=_ready("False", LATE))


@pytest.mark.parametrize("time", [None, "", "0001-01-01T00:00:00Z"])
def test_no_time(time: str | None) -> None:
    assert _key(status=_ready(time=time)).ready_since == NO_TIME


def test_restarts_of_native_sidecars_count_after_those_of_containers() -> None:
    spec = {"initContainers": [None, {"name": "native", "restartPolicy": "Always"}, {"name": "plain"}]}
    restarts = [None, {"name": "native", "restartCount": 2}, {"name": "plain", "restartCount": 9}]
    key = _key(spec, {"initContainerStatuses": restarts, "containerStatuses": [None, {"restartCount": 1}]})
    assert (key.restarts, key.native_sidecar_restarts) == (-1, -2)
    assert _key({"initContainers": [{"name": "plain"}]}, {"initContainerStatuses": restarts}) == _key()


@pytest.mark.parametrize("strategy", [None, {}, {"weightPriority": [], "orderPriority": []}])
def test_without_a_strategy_all_are_alike(strategy: Object | None) -> None:
    assert update_priority(strategy)({"a": "b"}) == ()


def test_weights_of_all_matching_terms_are_added() -> None:
    terms = [
        {"weight": 10, "matchSelector": {"matchLabels": {"tier": "a"}}},
        {"weight": 5, "matchSelector": {"matchExpressions": [{"key": "canary", "operator": "Exists"}]}},
        {"weight": 1, "matchSelector": {}},
        {"weight": 100},
        {"matchSelector": {"matchLabels": {"tier": "a"}}},
    ]
    weight = update_priority({"weightPriority": terms, "orderPriority": [{"orderedKey": "tier"}]})
    assert weight({"tier": "a", "canary": ""}) == (-16,)
    assert weight({"tier": "b"}) == (-1,)


def test_the_first_key_that_a_pod_carries_counts() -> None:
    order = update_priority({"orderPriority": [{"orderedKey": "one"}, {"orderedKey": "two"}]})
    assert order({"one": "x-3", "two": "y-9"}) == (0, -3)
    assert order({"two": "y-9"}) == (1, -9)
    assert order({}) == (-1, 0)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("", 0),
        ("web", 0),
        ("web-12", 12),
        ("12-web", 0),
        ("web-007", 7),
        ("9223372036854775807", 9223372036854775807),
        ("9223372036854775808", 0),
        ("0" * 500 + "5", 5),
        ("9" * 5000, 0),
        ("web-٣", 0),
        ("5\n", 0),
    ],
)
def test_trailing_digits(value: str, number: int) -> None:
    assert update_priority({"orderPriority": [{"orderedKey": "k"}]})({"k": value}) == (0, -number)


def test_a_selector_with_an_unknown_operator_cannot_be_evaluated() -> None:
    terms = [{"weight": 1, "matchSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}]
    with pytest.raises(ImpossibleError) as raised:
        update_priority({"weightPriority": terms})
    finding = raised.value.findings[0]
    assert finding.reason is Reason.MALFORMED_SELECTOR
    assert finding.path[3:] == ("weightPriority", 0, "matchSelector", "matchExpressions", 0, "operator")


CANDIDATE = PodProgress(Eligibility.CANDIDATE, consistent=True, ready=True, reset_due=False)


def _member(found: SimulatedPod) -> OrderedPod:
    return OrderedPod(found, found.index, CANDIDATE, selected=True)


def _waiting() -> WaitingPods:
    return WaitingPods(Scatter(None, []), update_priority(None))


def _names(waiting: WaitingPods) -> list[str]:
    return [member.pod.name.name for member in waiting.in_order()]


def test_pods_leave_and_come_in_order() -> None:
    waiting = _waiting()
    members = [_member(simulated(pod(f"p{index}"), index)) for index in range(4)]
    for member in reversed(members[:3]):
        waiting.add(member)
    assert _names(waiting) == ["p0", "p1", "p2"]
    waiting.remove(members[1])
    assert _names(waiting) == ["p0", "p2"]
    waiting.add(members[3])
    waiting.add(members[1])
    assert _names(waiting) == ["p0", "p1", "p2", "p3"]
    assert len(waiting) == 4


def test_priority_decides_before_the_base_order_and_ties_keep_input_order() -> None:
    waiting = WaitingPods(Scatter(None, []), update_priority({"orderPriority": [{"orderedKey": "n"}]}))
    first, second = {"n": "1"}, {"n": "2"}
    manifests = [pod("a", labels=first), not_ready(pod("b", labels=first))]
    manifests += [pod("c", labels=second), pod("d", labels=second)]
    for index, manifest in enumerate(manifests):
        waiting.add(_member(simulated(manifest, index)))
    assert _names(waiting) == ["c", "d", "b", "a"]


def test_a_pod_whose_readiness_changed_gets_another_place() -> None:
    waiting = _waiting()
    members = [_member(simulated(pod(f"p{index}"), index)) for index in range(3)]
    for member in members[:2]:
        waiting.add(member)
    assert _names(waiting) == ["p0", "p1"]
    members[1].pod.ready = False
    waiting.reorder(members[1])
    waiting.reorder(members[2])
    assert _names(waiting) == ["p1", "p0"]


def test_a_scattered_order_is_the_same_however_many_pods_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manifests = [pod(f"p{index}", labels={"zone": "aab"[index % 3]}) for index in range(30)]
    pods = [simulated(manifest, index) for index, manifest in enumerate(manifests)]
    scatter = Scatter([{"key": "zone", "value": "*"}], pods)
    orders = []
    for first in (1, 1000):
        monkeypatch.setattr("sidecarctl.engine.rollout.round.update_order._FIRST", first)
        waiting = WaitingPods(scatter, update_priority(None))
        for found in pods:
            waiting.add(_member(found))
        orders.append(_names(waiting))
    assert orders[0] == orders[1] != [str(found.name.name) for found in pods]
    assert sorted(orders[0]) == sorted(found.name.name for found in pods)
