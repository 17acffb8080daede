"""A push that is ended from outside at any moment: the journal knows what it did, and --resume does the rest."""

import random
import resource
import signal
import time

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.push.pushing import Pushing, Recorded, begin, held, journal, pushed, updated, waves
from tests.cluster.shop import Shop, images, is_settled
from tests.features.plan.render.test_render_guards import set_of, shared_pod

HASH = "kruise.io/sidecarset-hash"
KILLS = 50


def test_killed_at_fifty_moments(shop: Shop) -> None:
    """No pod is patched twice, and none is forgotten, whatever is in flight when it ends."""
    pods = KILLS + 4  # each second push patches one wave of two, for which it waits until it is killed
    names = [name for wave in waves(begin(shop, pods)) for name in wave]
    chance = random.Random(1)  # noqa: S311 - no secret
    options = ["--no-first-pod"]
    with Recorded(shop) as recorded:
        for number in range(KILLS):
            if number % 2 == 0:
                shop.kubelet.held.clear()
                for name in updated(shop, names):
                    shop.await_pod(name, is_settled)
            with held(shop, "agent:2", *options) as push:
                push.until("PushStarted" if number % 2 else "PodPatched")
                time.sleep(chance.uniform(0, 0.12))
                push.signal(signal.SIGKILL)
            if "--resume" not in options:
                options.append("--resume")
        assert KILLS / 2 <= len(updated(shop, names)) <= KILLS
        shop.kubelet.held.clear()
        pushed(shop, *options)
    assert updated(shop, names) == names
    assert recorded.changes(HASH) == dict.fromkeys(names, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals(shop: Shop, number: signal.Signals) -> None:
    """Requests in flight are awaited and recorded, and nothing more is sent."""
    names = [name for wave in waves(begin(shop, 6)) for name in wave]
    with held(shop, "agent:2", "--no-first-pod") as push:
        push.until("PodPatched", 2)
        push.signal(number)
        last = push.end(code=128 + number)
    shop.kubelet.held.clear()
    assert (last["result"], last["patched"], last["notReached"]) == ("Interrupted", 2, 4)
    assert "push" in last["howToGoOn"]
    assert len(updated(shop, names)) == 2
    assert [item["record"] for item in journal(shop)].count("patched") == 2
    assert journal(shop)[-1]["result"] == "Interrupted"
    last = pushed(shop, "--resume").events[-1]
    assert (last["result"], last["patched"], last["asPlanned"]) == ("Completed", 4, 2)
    assert updated(shop, names) == names


def test_a_disk_that_is_full(shop: Shop) -> None:
    """An intent that cannot be recorded is not carried out."""
    names = [name for wave in waves(begin(shop, 6)) for name in wave]
    with held(shop, names[1]) as push:
        push.until("PodPatched", 2)
        size = (shop.folder / "plan.json.journal").stat().st_size
        resource.prlimit(push.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        shop.kubelet.held.clear()
        push.end(code=1)
    assert push.until("Stopping")["reason"] == "JournalUnwritable"
    done = updated(shop, names)
    assert len(done) < 6
    recorded = {item["pod"].partition("/")[2] for item in journal(shop) if item.get("record") == "intent"}
    assert set(done) <= recorded
    last = pushed(shop, "--resume").events[-1]
    assert (last["result"], last["patched"] + last["asPlanned"]) == ("Completed", 6)
    assert updated(shop, names) == names


def test_two_pushes_at_once(shop: Shop) -> None:
    names = [name for wave in waves(begin(shop)) for name in wave]
    with held(shop) as first:
        first.until("PodPatched")
        second = pushed(shop, "--journal", f"{shop.folder}/other.journal", code=3)
        shop.kubelet.held.clear()
        first.end()
    assert "another push of SidecarSet logs runs on this machine" in second.stderr
    assert updated(shop, names) == names


def test_two_pushes_from_two_machines(shop: Shop) -> None:
    """Locks do not reach that far: a pod that is as planned, and that the journal does not know, gives it away."""
    begin(shop, 6)
    (shop.folder / "elsewhere").mkdir()
    elsewhere = {"TMPDIR": str(shop.folder / "elsewhere")}
    with held(shop, "agent:2", "--no-first-pod", "--max-parallel", "1") as first:
        first.until("PodPatched")
        with Pushing(shop, "--journal", f"{shop.folder}/other.journal", env=elsewhere) as second:
            second.end(code=3)
        shop.kubelet.held.clear()
        first.end()
    assert "somebody else is pushing" in second.stderr


def test_two_pushes_of_different_sidecarsets_take_turns(shop: Shop) -> None:
    """No more pods are down than may be; the second one also sees what was sent before it began."""
    strategy: Object = {"maxUnavailable": 1, "paused": True}
    shop.hold(set_of("logs", updateStrategy=strategy), set_of("mesh", updateStrategy=strategy))
    shop.run_pods(shared_pod(f"p{index}") for index in range(4))
    for name in ("logs", "mesh"):
        shop.plan("--no-paused", "--only", name)
        (shop.folder / "plan.json").rename(shop.folder / f"{name}.json")
    shop.kubelet.moment = 0.3
    shop.kubelet.held.add("agent:2")
    with Pushing(shop, plan="logs") as first:
        first.until("PodPatched")
        with Recorded(shop) as recorded, Pushing(shop, plan="mesh") as second:
            second.until("Waiting")
            shop.kubelet.held.clear()
            first.end()
            second.end()
    assert recorded.most_down() == 1
    new = {"agent": "agent:2", "proxy": "proxy:2"}
    assert all(new.items() <= images(shop.pod(f"p{index}")).items() for index in range(4))
