"""Properties of every push, in whatever order things happen."""

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.features.push.deciding.progress import Stage
from sidecarctl.features.push.events import PodDone, PodPatched
from tests.effort import share
from tests.features.push.fake_cluster import Fate
from tests.features.push.pushes import shop
from tests.features.push.virtual_time import VirtualPush, settings_for

randoms = st.integers(0, 2**32).map(Random)


@share(200)
@given(randoms, st.integers(1, 9), st.integers(1, 4), st.integers(0, 3), st.booleans())
def test_every_pod_is_patched_once_within_the_budget(
    chance: Random,
    count: int,
    allowed: int,
    kills: int,
    hot: bool,  # noqa: FBT001 - drawn
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = shop(Path(folder), count, max_unavailable=allowed, hot=hot)
        pushed = VirtualPush(here, chance, settings_for(chance), kills=kills)
        machine = pushed.run()
    assert machine.halt is None
    assert {item.stage for item in machine.progress} == {Stage.DONE}
    assert set(here.cluster.patched.values()) == {2 if hot else 1}
    assert len(here.cluster.patched) == count
    assert pushed.largest <= allowed


@pytest.mark.parametrize("seed", range(4))
def test_a_hot_push_that_is_killed_stays_within_the_budget(seed: int, tmp_path: Path) -> None:
    """A pod whose reset is open is not one that the plan has as not ready: while it restarts, it counts."""
    chance = Random(seed)  # noqa: S311 - the same push each time
    pushed = VirtualPush(shop(tmp_path, 6, max_unavailable=2, hot=True), chance, settings_for(chance), kills=3)
    pushed.run()
    assert pushed.largest <= 2


@share(100)
@given(randoms, st.integers(2, 9), st.integers(1, 4), st.integers(0, 4))
def test_other_failures_only_slow_it_down(chance: Random, count: int, allowed: int, mishaps: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = shop(Path(folder), count, max_unavailable=allowed)
        pushed = VirtualPush(here, chance, settings_for(chance), mishaps=mishaps)
        machine = pushed.run()
    assert machine.halt is None
    assert set(here.cluster.patched.values()) == {1}
    assert pushed.largest <= allowed


@share(100)
@given(randoms, st.integers(2, 9), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2), st.data())
def test_failures_stop_it_and_nothing_is_patched_afterward(
    chance: Random, count: int, allowed: int, kills: int, tolerated: int, data: st.DataObject
) -> None:
    fate = data.draw(st.sampled_from([Fate.CRASHES, Fate.NEVER_PULLED]))
    bad = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    with tempfile.TemporaryDirectory() as folder:
        here = shop(Path(folder), count, max_unavailable=allowed)
        here.cluster.fates |= {f"p{index}": fate for index in bad}
        settings = settings_for(chance, max_failures=tolerated, timeout=500.0)
        pushed = VirtualPush(here, chance, settings, kills=kills)
        machine = pushed.run()
    failed = [item for item in machine.progress if item.stage is Stage.FAILED]
    if len(failed) <= tolerated and machine.halt:  # failed pods hold the budget
        assert machine.halt.reason is Reason.PUSH_TIMEOUT
    assert machine.halt or len(failed) <= tolerated
    assert {item.step.pod[1] for item in failed} <= {f"p{index}" for index in bad}
    assert max(here.cluster.patched.values(), default=0) <= 1
    done = {event.pod for event in pushed.events if isinstance(event, PodDone)}
    assert not done & {f"shop/p{index}" for index in bad}
    assert len([event for event in pushed.events if isinstance(event, PodPatched)]) <= count * (1 + kills)
