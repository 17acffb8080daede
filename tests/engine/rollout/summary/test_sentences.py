"""What sentences about rollouts say agrees with the numbers beside them."""

import re

from hypothesis import given

from sidecarctl.engine.comparing.pod_effects import numbers_of
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import Ending
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.summary.rollout_plan import run
from sidecarctl.engine.rollout.summary.sentences import ending_sentence
from sidecarctl.engine.rollout.targets import Target
from tests.engine.rollout.test_properties import simulations


def contradictions(said: str) -> list[str]:
    """Plurals of one, singulars of many, parts that are the whole."""
    wrong = re.findall(r"\b1 (?:pods|waves|rounds|updates|of them (?:are|have))\b", said)
    wrong += re.findall(r"\b(?!1 )[\d,]+ (?:pod|wave|round|update)\b|\b(?!1 )[\d,]+ of them (?:is|has)\b", said)
    return wrong + [whole for whole, part, every in re.findall(r"((\d+) of (\d+) pods?)", said) if part == every]


def test_contradictions_are_found() -> None:
    assert contradictions("1 pods; 2 of them is; 3 of 3 pods updated") == ["1 pods", "2 of them is", "3 of 3 pods"]
    assert contradictions("1 pod, 11 pods, 2 of 3 pods; 1 of them is, 21 of them are") == []


@given(simulations())
def test_every_ending_agrees_with_its_numbers(drawn: tuple[Target, list[Object], ClusterBehavior]) -> None:
    held, pods, options = drawn
    [item] = run(Simulation([held], pods, None, options)).sets
    outcome, numbers = item.outcome, numbers_of(item)
    ending = ending_sentence(item)
    said = f"{ending} {numbers.sentence}"
    assert contradictions(said) == [], said
    updated, matched = outcome.status.updated, outcome.status.matched
    if "all " in ending:
        assert f"all {updated:,} pods" in ending
        assert updated == matched > 1
    if outcome.ending in (Ending.STALLED, Ending.BLOCKED):
        counted = len(outcome.waiting or outcome.busy or outcome.not_upgradable or outcome.others[0])
        assert (str(counted) if counted else "a hot upgrade is incomplete") in ending
    assert ("can be updated" in numbers.sentence) == (numbers.already < matched)
    assert (", in " in numbers.sentence) == (len(item.waves) > 1 and numbers.updated > 0)
    assert numbers.already + numbers.updated == updated
