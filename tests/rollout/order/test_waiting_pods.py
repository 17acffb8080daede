import pytest

from sidecarctl.rollout.order.priority import priority_of
from sidecarctl.rollout.order.scatter import Scatter
from sidecarctl.rollout.order.waiting_pods import Member, Waiting
from sidecarctl.rollout.pods.pod_progress import Eligibility, PodProgress
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from tests.rollout.manifests import not_ready, pod, simulated

CANDIDATE = PodProgress(Eligibility.CANDIDATE, consistent=True, ready=True, reset_due=False)


def _member(found: SimulatedPod) -> Member:
    return Member(found, found.index, CANDIDATE, selected=True)


def _waiting() -> Waiting:
    return Waiting(Scatter(None, []), priority_of(None))


def _names(waiting: Waiting) -> list[str]:
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
    waiting = Waiting(Scatter(None, []), priority_of({"orderPriority": [{"orderedKey": "n"}]}))
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
        monkeypatch.setattr("sidecarctl.rollout.order.waiting_pods._FIRST", first)
        waiting = Waiting(scatter, priority_of(None))
        for found in pods:
            waiting.add(_member(found))
        orders.append(_names(waiting))
    assert orders[0] == orders[1] != [str(found.name.name) for found in pods]
    assert sorted(orders[0]) == sorted(found.name.name for found in pods)
