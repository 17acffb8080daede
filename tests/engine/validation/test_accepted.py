"""What `validate` finds rejected in a SidecarSet of a file, `inject` refuses; in one of a cluster it warns."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.catalog import rules
from sidecarctl.engine.validation.checking import check
from sidecarctl.engine.validation.rules import Rule
from sidecarctl.engine.validation.suppression import refuses
from sidecarctl.engine.validation.warnings import accepted, warnings_of
from tests.engine.validation.examples import given_of

BETWEEN_SETS = "conflict"
"""The rule about two SidecarSets: a pod that both match shows the violation."""


def rejected_in(world: World) -> set[tuple[str, str]]:
    """The SidecarSets that are rejected by themselves, with the rules."""
    found = ((item.sidecarset.name, finding) for item in check(world._replace(pods=())) for finding in item.findings)
    return {(name, item.rule) for name, item in found if refuses(item) and item.rule != BETWEEN_SETS}


def world_of(rule: Rule) -> World | None:
    """The world of a failing example; None if its SidecarSet cannot even be decoded, so that no command takes it."""
    try:
        return given_of(rule, rule.fails)
    except InputError:
        return None


REJECTED = {rule.id: rule for rule in rules().values() if rule.refuser and rule.within != "update"}
WORLDS = {name: world for name, rule in REJECTED.items() if (world := world_of(rule)) and rejected_in(world)}


def held(sidecarset: SidecarSet) -> SidecarSet:
    return sidecarset._replace(metadata={**sidecarset.metadata, "uid": "0a1b"})


def test_every_rule_of_a_sidecarset_alone_is_in_the_table() -> None:
    assert REJECTED.keys() - WORLDS.keys() == {
        BETWEEN_SETS,
        "launch-priority-refused",
        "patch-whitelist-unknown",
        "wrong-type",
    }


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_inject_refuses_what_validate_finds_rejected(world: World) -> None:
    with pytest.raises(ImpossibleError) as refused:
        accepted(world, world.gates)
    said = {(item.subject.name, item.rule) for item in refused.value.findings if item.subject}
    assert said == rejected_in(world)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_a_sidecarset_of_a_cluster_passed_its_webhook(world: World) -> None:
    there = world._replace(sidecarsets=[held(item) for item in world.sidecarsets])
    for warnings in (accepted(there, world.gates), warnings_of(there, world.gates)):
        said = {(item.subject.name, item.rule) for item in warnings if item.subject}
        assert said >= rejected_in(world)
        assert not [item for item in warnings if item.rule and item.severity is Severity.ERROR]
