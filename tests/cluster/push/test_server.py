"""The API server or the proxy goes away, comes back, hangs: the push continues, or says how to continue."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.api import PATIENCE, until
from tests.cluster.control_plane import ControlPlane
from tests.cluster.push.pushing import Pushing, begin, held, journal, updated, waves
from tests.cluster.shop import Shop, is_settled

RECONNECTS = ("--request-timeout", "5", "--timeout", "240")


def intents(shop: Shop) -> list[int]:
    return sorted(item["step"] for item in journal(shop) if item["record"] == "intent")


def test_the_server_is_stopped_in_a_wave_and_started_again(shop: Shop, control_plane: ControlPlane) -> None:
    names = [name for wave in waves(begin(shop, 6)) for name in wave]
    with held(shop, names[1], *RECONNECTS) as push:
        push.until("PodPatched", 2)
        control_plane.stop_apiserver()
        push.until("Waiting")
        control_plane.start_apiserver()
        shop.kubelet.held.clear()
        last = push.end()
    assert (last["result"], last["patched"]) == ("Completed", 6)
    assert updated(shop, names) == names
    assert sorted(push.pods("PodPatched")) == sorted(names)


def test_the_server_is_frozen_for_a_while(shop: Shop, control_plane: ControlPlane) -> None:
    """Longer than a request may take, several times."""
    names = [name for wave in waves(begin(shop, 6)) for name in wave]
    with held(shop, names[1], *RECONNECTS) as push:
        push.until("PodPatched", 2)
        control_plane.freeze()
        try:
            shop.kubelet.held.clear()
            time.sleep(30)
        finally:
            control_plane.thaw()
        last = push.end()
    assert (last["result"], last["patched"]) == ("Completed", 6)
    assert updated(shop, names) == names


def test_a_server_that_is_frozen_before_it_begins(shop: Shop, control_plane: ControlPlane) -> None:
    names = [name for wave in waves(begin(shop)) for name in wave]
    control_plane.freeze()
    try:
        with Pushing(shop, "--request-timeout", "1") as push:
            push.end(code=2)
    finally:
        control_plane.thaw()
    assert "the API server did not answer within 1 s" in push.stderr
    assert updated(shop, names) == []


def test_the_proxy_is_killed(shop: Shop) -> None:
    """A new one would need the credentials again: the push stops, and continues with --resume."""
    names = [name for wave in waves(begin(shop, 6)) for name in wave]
    with held(shop, names[1]) as push:
        push.until("PodPatched", 2)
        os.kill(push.proxy, signal.SIGKILL)
        push.end(code=1)
    assert push.until("Stopping")["why"] == "kubectl proxy has ended"
    done = updated(shop, names)
    assert len(done) == 2
    shop.kubelet.held.clear()
    for name in done:
        shop.await_pod(name, is_settled)
    versions = {name: shop.pod(name)["metadata"]["resourceVersion"] for name in done}
    with Pushing(shop, "--resume") as push:
        push.end()
    assert updated(shop, names) == names
    assert versions == {name: shop.pod(name)["metadata"]["resourceVersion"] for name in done}


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """In a longer one the socket of the proxy has no room, and is put elsewhere."""
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        yield Path(folder)


def test_nothing_is_left_behind(shop: Shop, short_folder: Path) -> None:
    """No process, no folder: not even after SIGKILL."""
    begin(shop)
    temporary = short_folder
    shop.kubelet.held.add("agent:2")
    with Pushing(shop, env={"TMPDIR": str(temporary)}) as push:
        push.until("PodPatched")
        proxy = push.proxy
        assert [path for path in temporary.iterdir() if path.name.startswith("sidecarctl-proxy-")]
        push.signal(signal.SIGKILL)
        push.process.wait(PATIENCE)
    until(lambda: not _is_running(proxy) and not list(temporary.glob("sidecarctl-proxy-*")))


def _is_running(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
