"""Evaluating pods that are alike once finds the same as evaluating every pod."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.facts.values import Object, Value
from sidecarctl.rollout.pods.likeness import Evaluated
from sidecarctl.rollout.pods.pod_progress import progress_of
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.cold_and_hot_upgrade import Upgrades, upgrade
from sidecarctl.rollout.round.rollout_facts import RolloutOutcome, Round
from sidecarctl.rollout.simulation.simulated_rollout import ClusterBehaviour, Simulation
from tests.rollout.manifests import pod, simulated, target
from tests.rollout.test_properties import manifests, simulations

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
    drawn: tuple[Target, list[Object], ClusterBehaviour],
) -> None:
    held, pods, options = drawn
    together = _course(held, pods, options)
    with patch.object(Evaluated, "of", _alone):
        assert _course(held, pods, options) == together


def _alone(self: Evaluated[object], pod: SimulatedPod) -> object:
    return self.evaluate(pod)


def _course(held: Target, pods: list[Object], options: ClusterBehaviour) -> tuple[list[Round], list[RolloutOutcome]]:
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
    found.images = {"agent": "agent:2"}
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


def test_of_pods_that_are_all_different_not_all_are_kept() -> None:
    evaluated = Evaluated(lambda found: found.images["agent"])
    found = simulated(pod())
    with patch("sidecarctl.rollout.pods.likeness.MOST_RESULTS", 3):
        for number in range(10):
            found.images = {"agent": f"agent:{number}"}
            assert evaluated.of(found) == f"agent:{number}"
            assert len(evaluated.known) <= 3
