"""Properties of every rollout, for any pods and strategy."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import Ending, Round
from sidecarctl.engine.rollout.predicates import progress_of
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
)
from tests.engine.rollout.manifests import EMPTY, not_ready, pod, state_of, target

NUMBERS = st.integers(0, 4) | st.sampled_from(["0%", "10%", "25%", "50%", "99%", "100%", "150%", "2", "odd"])
SCATTER = st.lists(
    st.builds(lambda value: {"key": "zone", "value": value}, st.sampled_from(["a", "b", "", "*"])), max_size=3
)
PRIORITIES = st.sampled_from(
    [
        {},
        {"weightPriority": [{"weight": 5, "matchSelector": {"matchLabels": {"zone": "a"}}}]},
        {"orderPriority": [{"orderedKey": "zone"}, {"orderedKey": "number"}]},
    ]
)
STRATEGIES = st.fixed_dictionaries(
    {
        "partition": NUMBERS,
        "maxUnavailable": NUMBERS,
        "scatterStrategy": SCATTER,
        "priorityStrategy": PRIORITIES,
    },
    optional={"selector": st.just({"matchLabels": {"zone": "a"}}), "paused": st.booleans()},
)


@st.composite
def manifests(draw: st.DrawFn, *, hot: bool) -> list[Object]:
    """Pods of all kinds: old and new, ready and not, blocked, busy, half done."""
    return [_manifest(draw, index, hot=hot) for index in range(draw(st.integers(0, 9)))]


def _manifest(draw: st.DrawFn, index: int, *, hot: bool) -> Object:
    labels = {"zone": draw(st.sampled_from(["a", "b", "web-3", ""])), "number": str(index)}
    annotations: dict[str, str | None] = {}
    if draw(st.integers(0, 4)) == 0:
        annotations[HASH_WITHOUT_IMAGE] = None
    if draw(st.integers(0, 4)) == 0:
        annotations[HASH] = f'{{"logs":{{"hash":"{target(hot=hot).hash}"}}}}'
    if draw(st.integers(0, 4)) == 0:
        name = "agent-2" if hot else "agent"
        annotations[INPLACE_UPDATE_STATE] = state_of({name: f"sha256:{draw(st.sampled_from(['agent:1', EMPTY]))}"})
    images = None
    if hot and draw(st.booleans()):
        annotations[WORKING_CONTAINERS] = f'{{"agent":"agent-{draw(st.integers(1, 2))}"}}'
        halves = draw(st.permutations(["agent:1", draw(st.sampled_from([EMPTY, "agent:2"]))]))
        images = {"agent-1": halves[0], "agent-2": halves[1], "app": "app:1"}
    moment = f"2025-01-01T00:00:{draw(st.integers(0, 2))}{index}Z"
    manifest = pod(
        f"p{index}", hot=hot, labels=labels, annotations=annotations, images=images, creationTimestamp=moment
    )
    return manifest if draw(st.integers(0, 3)) else not_ready(manifest)


@st.composite
def simulations(draw: st.DrawFn) -> tuple[Target, list[Object], ClusterBehavior]:
    """A set, its pods, and a cluster."""
    hot = draw(st.booleans())
    failing = draw(st.sets(st.integers(0, 9), max_size=2))
    options = ClusterBehavior(
        duration=draw(st.integers(1, 3)),
        fails=lambda name: int(name.name[1:]) in failing,
        assume_ready=draw(st.booleans()),
    )
    return target(hot=hot, updateStrategy=draw(STRATEGIES)), draw(manifests(hot=hot)), options


@given(simulations())
def test_every_rollout_keeps_within_its_window_and_ends(drawn: tuple[Target, list[Object], ClusterBehavior]) -> None:
    held, pods, options = drawn
    simulation = Simulation([held], pods, None, options)
    rounds: list[Round] = []
    for recorded in simulation.rounds():
        ready = sum(patch.was_ready for patch in recorded.patches)
        if recorded.window:
            use = recorded.window
            assert ready <= max(use.window.max_unavailable_pods - use.unavailable, 0)
            left = use.candidates - len(recorded.patches)
            assert left >= min(use.window.partition_pods, use.candidates)
            assert left == use.held_back + use.waiting
        rounds.append(recorded)
        assert len(rounds) <= (3 * len(pods) + 1) * (options.duration + 1) + 1
    patched = Counter((patch.pod_index, patch.kind) for recorded in rounds for patch in recorded.patches)
    assert all(number <= (1 if kind == "upgrade" else 2) for (_, kind), number in patched.items())
    assert not rounds[-1].patches
    (outcome,) = simulation.outcomes()
    assert outcome.ending not in (Ending.ERROR, Ending.ROUND_LIMIT)
    behind = (
        outcome.waiting,
        outcome.held_by_partition,
        outcome.not_selected,
        outcome.busy,
        outcome.not_upgradable,
    )
    assert sum(map(len, behind)) == outcome.status.matched - outcome.status.updated


@given(simulations())
def test_incremental_updates_equal_a_new_evaluation(
    drawn: tuple[Target, list[Object], ClusterBehavior],
) -> None:
    held, pods, options = drawn
    simulation = Simulation([held], pods, None, options)
    kept = simulation.rollouts["logs"].pods
    down: set[int] = set()
    for recorded in simulation.rounds():
        found = {member.pod.index: progress_of(held, member.pod, selected=member.selected) for member in kept.members}
        assert {member.pod.index: member.progress for member in kept.members} == found
        assert kept.tally == Counter(found.values())
        down = (down | set(recorded.went_down)) - set(recorded.came_back)
        unavailable = {index for index, progress in found.items() if not progress.available}
        assert recorded.unavailable_after == len(down)
        assert down == unavailable


@given(simulations(), st.randoms(use_true_random=False))
def test_without_ties_the_order_of_the_input_does_not_matter(
    drawn: tuple[Target, list[Object], ClusterBehavior], random: Random
) -> None:
    held, pods, options = drawn
    strategy = held.strategy
    fixed = [term for term in strategy.get("scatterStrategy", []) if term.get("value") != "*"]
    held = target(hot=bool(held.hot), updateStrategy={**strategy, "scatterStrategy": fixed})
    shuffled = random.sample(pods, len(pods))
    assert _waves(held, pods, options) == _waves(held, shuffled, options)


def _waves(held: Target, pods: Sequence[Object], options: ClusterBehavior) -> list[list[str]]:
    """The names of the pods of each round; resets are in pod order, so their order is left out of account."""
    waves = []
    for recorded in Simulation([held], pods, None, options).rounds():
        names = [patch.pod.name for patch in recorded.patches]
        is_reset = bool(recorded.patches) and recorded.patches[0].kind == "reset"
        waves.append(sorted(names) if is_reset else names)
    return waves
