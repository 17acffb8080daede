"""The course of a rollout: its numbers in every round are those that looking at every pod would give."""

from hypothesis import given

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import Ending
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.summary.rollout_plan import run
from sidecarctl.engine.rollout.targets import Target
from tests.engine.rollout.manifests import pod, target
from tests.engine.rollout.test_properties import simulations


@given(simulations())
def test_a_course_adds_up_from_its_start_to_its_end(drawn: tuple[Target, list[Object], ClusterBehavior]) -> None:
    held, pods, options = drawn
    [item] = run(Simulation([held], pods, None, options)).sets
    before, after, outcome = item.course[0], item.course[-1], item.outcome
    assert {counts.matched for counts in item.course} == {item.before.matched}
    assert (before.round, before.updated, before.unavailable) == (
        0,
        item.before.updated_ready,
        item.before.matched - item.before.ready,
    )
    assert after.updated + after.updating == outcome.status.updated
    assert after.updating == len(outcome.holding_budget)
    assert after.unavailable == outcome.status.matched - outcome.status.ready
    assert after.not_upgradable == len(outcome.not_upgradable)
    assert after.in_flight == len(outcome.busy)
    candidates = len(outcome.waiting) + len(outcome.held_by_partition)
    assert after.waiting + after.held_back == candidates + len(outcome.not_selected)
    if outcome.ending not in (Ending.PAUSED, Ending.NOT_UPDATE):
        assert after.waiting == len(outcome.waiting)


@given(simulations())
def test_a_course_has_the_waves_where_they_are(drawn: tuple[Target, list[Object], ClusterBehavior]) -> None:
    held, pods, options = drawn
    [item] = run(Simulation([held], pods, None, options)).sets
    at_round = {counts.round: counts for counts in item.course}
    updated = item.before.updated
    for wave in item.waves:
        updated += sum(patch.kind == "upgrade" for patch in wave.patches)
        counts = at_round.get(wave.number)
        if counts:
            assert counts.updated + counts.updating == updated
            assert counts.unavailable == wave.unavailable_after


def test_a_round_in_which_nothing_changes_has_no_entry() -> None:
    [item] = run(Simulation([target()], [pod()], None, ClusterBehavior(duration=5))).sets
    assert [counts.round for counts in item.course] == [0, 1, 6]


def test_what_a_limit_of_rounds_cuts_off_ends_with_the_step_of_the_cluster() -> None:
    [item] = run(Simulation([target()], [pod("a"), pod("b")], None, ClusterBehavior(rounds=1))).sets
    assert item.outcome.ending is Ending.ROUND_LIMIT
    assert [(counts.round, counts.updated, counts.updating) for counts in item.course] == [
        (0, 0, 0),
        (1, 0, 1),
        (2, 1, 0),
    ]
