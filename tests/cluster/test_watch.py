"""`--watch` during a rollout on a real API server."""

import io
import os
import re
import signal
from collections.abc import Iterable

import pexpect
import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import HASH, read_hashes
from tests.cluster.api import PATIENCE
from tests.cluster.control_plane import ControlPlane
from tests.cluster.push.pushing import Recorded, begin, pushed, waves
from tests.cluster.shop import Shop, is_ready, is_settled
from tests.cluster.test_control_plane import upgrade
from tests.engine.kubectl.watching import Watching, words


def test_a_status_follows_a_rollout(shop: Shop) -> None:
    """Each pod has a line for each state in which it is seen, the last one says that it is updated."""
    names = [name for wave in waves(begin(shop)) for name in wave]
    with Watching("status") as watching:
        assert watching.line().startswith("logs: 0 of 4 pods updated, 4 ready")
        pushed(shop)
        lines = [*iter(watching.line, "logs: 4 of 4 pods updated, 4 ready, 4 updated and ready")]
        assert watching.end(signal.SIGINT)[0] == 130
    for name in names:
        states = [line.partition(" -> ")[2] for line in lines if f"{shop.namespace}/{name}: " in line]
        assert states[-1] == "Updated"


def counts(pods: Iterable[Object], target: str) -> str:
    """What a line of status says of pods."""
    every = list(pods)
    updated = [read_hashes(item["metadata"]["annotations"][HASH]).recorded("logs") == target for item in every]
    ready = [is_ready(item) and is_settled(item) for item in every]
    both = sum(map(all, zip(updated, ready, strict=True)))
    return f"logs: {sum(updated)} of {len(every)} pods updated, {sum(ready)} ready, {both} updated and ready"


def test_the_counts_that_it_shows_during_a_fast_push_were_true_at_one_moment(shop: Shop) -> None:
    plan = begin(shop, 30, unavailable="100%")
    [planned] = plan["sidecarSets"]
    with Recorded(shop) as seen, Watching("status") as watching:
        watching.line()
        pushed(shop, "--no-first-pod")
        shown = [*iter(watching.line, "logs: 30 of 30 pods updated, 30 ready, 30 updated and ready")]
    true = {counts(pods.values(), planned["hash"]) for pods in seen.moments()}
    assert {line for line in shown if "pods updated" in line} <= true


def test_a_plan_follows_a_rollout(shop: Shop) -> None:
    begin(shop)
    with Watching("plan", "--no-paused") as watching:
        assert "Completes: all 4 pods updated after 2 waves." in watching.line()
        pushed(shop)
        done = "logs: 4 of 4 pods updated, 0 unavailable; Nothing to do"
        while not watching.line().startswith(done):
            pass
        assert watching.end(signal.SIGINT)[0] == 130


@pytest.mark.parametrize("command", ["status", "plan"])
def test_it_continues_when_the_server_was_away(shop: Shop, control_plane: ControlPlane, command: str) -> None:
    begin(shop, 1)
    with Watching(command) as watching:
        watching.line()
        control_plane.stop_apiserver()
        control_plane.start_apiserver()
        upgrade(shop, "agent:9", "p00")
        shop.await_pod("p00", is_settled)
        shop.api.delete(shop.path("p00"))
        while "0 of 0 pods updated" not in watching.line():
            pass
        watching.wait_for_news("all watches work again")  # one watch may come back later than that of the pods
        code, told = watching.end(signal.SIGINT)
    assert code == 130
    assert "broke: " in told


def test_a_terminal_of_80_columns_follows_a_rollout(shop: Shop) -> None:
    begin(shop)
    program, *rest = words("status")
    environ = {**os.environ, "KUBECONFIG": str(shop.kubeconfig), "TERM": "xterm", "NO_COLOR": "1", "CI": ""}
    terminal = pexpect.spawn(program, rest, env=environ, dimensions=(24, 80), timeout=PATIENCE, encoding="utf-8")
    written = terminal.logfile_read = io.StringIO()
    terminal.expect("logs: 0 of 4 pods updated")
    pushed(shop)
    terminal.expect("logs: 4 of 4 pods updated, 4 ready, 4 updated and ready")
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    shown = written.getvalue().replace("^C", "")  # as the terminal echoes it
    assert terminal.exitstatus == 130
    assert "\x1b[2J" not in shown  # drawn over, never cleared
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor is back
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown))
    assert [line for line in lines if len(line) > 80] == []
