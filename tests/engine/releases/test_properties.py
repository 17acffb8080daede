"""Properties of every release, and of a release and the next."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.removal import uninject
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.releases.profiles import PROFILES, R1_8
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.rollout.facts import Ending, Round
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.targets import Target, target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.conversion import as_known_to
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.checking import check
from tests.effort import reaches_half, share
from tests.engine.injection.manifests import injected
from tests.engine.injection.strategies import APART, LOSSES, PODS, REPEATABLE, injection_of, sidecarsets, with_volumes
from tests.engine.releases.watching import NEIGHBORS, once_agreed, watched
from tests.engine.rollout.manifests import NOW, pod, target
from tests.engine.rollout.test_properties import simulations

RELEASES = pytest.mark.parametrize("release", PROFILES.values(), ids=lambda release: release.name)
PAIRS = pytest.mark.parametrize(("older", "newer"), NEIGHBORS, ids=lambda release: release.name)
Drawn = tuple[Target, list[Object], ClusterBehavior]


@RELEASES
@reaches_half
@given(REPEATABLE.map(with_volumes), PODS)
@share(30)
def test_a_second_injection_changes_nothing_but_where_it_was_said(
    release: Release, sets: tuple[Object, ...], drawn: Object
) -> None:
    world = InjectionContext(admit(item, release) for item in sets)
    once = injection_of(drawn, world, {Reason.NOT_IDEMPOTENT})
    assert injected(once.pod, world).pod is once.pod


@RELEASES
@reaches_half
@given(APART.map(with_volumes), PODS)
@share(30)
def test_removal_restores_the_pod_except_as_reported(
    release: Release, sets: tuple[Object, ...], drawn: Object
) -> None:
    world = InjectionContext(admit(item, release) for item in sets)
    once = injection_of(drawn, world, LOSSES)
    back = uninject(once.pod, world, RemovalRequest())
    assert json.dumps(back.pod) == json.dumps(drawn)
    assert all(finding.severity is Severity.NOTE for finding in back.findings)  # what may have been there before


@RELEASES
def test_a_set_of_init_containers_alone_is_removed_without_a_trace(release: Release) -> None:
    spec = {"selector": {"matchLabels": {"app": "web"}}, "initContainers": [{"name": "init", "image": "init:1"}]}
    metadata = {"name": "setup"}
    manifest = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "SidecarSet", "metadata": metadata, "spec": spec}
    world = InjectionContext([admit(manifest, release)])
    plain = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "labels": {"app": "web"}},
        "spec": {"containers": []},
    }
    once = injected(plain, world)
    assert once.pod["spec"]["initContainers"]
    assert json.dumps(uninject(once.pod, world, RemovalRequest()).pod) == json.dumps(plain)


@RELEASES
@given(simulations())
@share(30)
def test_every_rollout_ends(release: Release, drawn: Drawn) -> None:
    simulation = simulation_under(release, drawn)
    assert len(list(simulation.rounds())) <= (3 * len(drawn[1]) + 1) * (drawn[2].duration + 1) + 1
    (outcome,) = simulation.outcomes()
    assert outcome.ending not in (Ending.ERROR, Ending.ROUND_LIMIT)


@PAIRS
@given(simulations())
@share(40)
def test_two_releases_plan_alike_if_they_agree_in_each_switch_that_is_asked(
    older: Release, newer: Release, drawn: Drawn
) -> None:
    rounds, other = once_agreed(older, newer, lambda release: rounds_under(release, drawn))
    assert rounds == other


@PAIRS
@given(sidecarsets)
@share(40)
def test_two_releases_judge_alike_if_they_agree_in_each_switch_that_is_asked(
    older: Release, newer: Release, sets: tuple[Object, ...]
) -> None:
    judged, other = once_agreed(older, newer, lambda release: judgment(release, sets))
    assert judged == other


def judgment(release: Release, sets: tuple[Object, ...]) -> list[tuple[str, list[tuple[str, Path]]]]:
    """The rules that each SidecarSet breaks, and where."""
    manifests = [as_known_to(R1_8, manifest) for manifest in sets]
    checked = check(World([admit(manifest, release) for manifest in manifests]))
    return [(item.sidecarset.name, [(finding.rule, finding.path) for finding in item.findings]) for item in checked]


@pytest.mark.parametrize(
    ("strategy", "hot", "switches"),
    [
        ({"maxUnavailable": "30%"}, False, {"percent_up"}),
        ({"partition": "30%"}, False, {"percent_up"}),
        ({"maxUnavailable": 3}, False, set()),
        ({"priorityStrategy": {"orderPriority": [{"orderedKey": "zone"}]}}, False, {"ties_in_base_order"}),
        ({}, True, {"reset_ends_round"}),
    ],
)
def test_a_switch_is_asked_only_where_it_decides(strategy: Object, hot: bool, switches: set[str]) -> None:  # noqa: FBT001 - by pytest
    held = target(hot=hot, updateStrategy=strategy)
    manifests = [pod(f"p{index}", hot=hot, labels={"zone": "a"}) for index in range(4)]
    release, asked = watched(R1_8)
    rounds_under(release, (held, manifests, ClusterBehavior()))
    watched_for = {"percent_up", "ties_in_base_order", "reset_ends_round", "native_restarts_count"}
    assert asked & watched_for == switches


def simulation_under(release: Release, drawn: Drawn) -> Simulation:
    held, manifests, cluster = drawn
    sidecarset = admit(as_known_to(R1_8, held.sidecar_set.manifest), release)
    return Simulation([target_of(sidecarset, "logs-2", now=NOW)], manifests, None, cluster)


def rounds_under(release: Release, drawn: Drawn) -> Sequence[Round]:
    return list(simulation_under(release, drawn).rounds())
