"""A run with --live that is ended from outside leaves nothing behind: no dump of pods, no kubectl."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.engine.kubectl.stand_in import PODS, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset


@pytest.fixture
def temporary(kubectl: StandIn, tmp_path: Path) -> Path:
    kubectl.holds(SETS, sidecarset("2").manifest)
    kubectl.holds(PODS, pod("p0"))
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def running(kubectl: StandIn, temporary: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`status --live`, which waits for the pods."""
    kubectl.says(PODS, seconds=600)
    words = [sys.executable, "-m", "sidecarctl", "status", "--live"]
    process = subprocess.Popen(words, env={**os.environ, "TMPDIR": str(temporary)}, stderr=subprocess.DEVNULL)
    try:
        until(lambda: any(call[-1].startswith(PODS) for call in kubectl.calls))
        yield process
    finally:
        process.kill()
        process.wait()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_there(process: int | None) -> bool:
    assert process is not None
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_while_pods_are_read(
    kubectl: StandIn, temporary: Path, running: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    assert [path.name.startswith("sidecarctl-live-") for path in temporary.iterdir()] == [True]
    running.send_signal(number)
    assert running.wait(60) == 128 + number
    assert list(temporary.iterdir()) == []
    assert not is_there(kubectl.process)


@pytest.mark.slow
def test_a_second_signal_does_not_stop_the_cleaning(
    kubectl: StandIn, temporary: Path, running: subprocess.Popen[bytes]
) -> None:
    for _ in range(20):
        running.send_signal(signal.SIGTERM)
        time.sleep(0.005)
    assert running.wait(60) in (128 + signal.SIGTERM, -signal.SIGTERM)  # the last may come when all is done
    assert list(temporary.iterdir()) == []
    assert not is_there(kubectl.process)


@pytest.mark.slow
def test_a_hangup_that_is_ignored_stays_ignored(temporary: Path) -> None:
    script = 'trap "" HUP; "$@" & child=$!; kill -HUP $child; wait $child'
    words = ["/bin/sh", "-c", script, "sh", sys.executable, "-m", "sidecarctl", "status", "--live"]
    words += ["--kruise", "1.9"]
    ended = subprocess.run(
        words, env={**os.environ, "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("logs:")


@pytest.mark.slow
def test_a_push_that_is_ended_during_its_checks_says_so(kubectl: StandIn, temporary: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run("plan", "--live", "--kruise", "1.9", "-o", f"json={plan}").code == 0
    asked = len(kubectl.calls)
    kubectl.says(SETS, seconds=600)
    words = [sys.executable, "-m", "sidecarctl", "push", str(plan)]
    environ = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as push:
        until(lambda: len(kubectl.calls) > asked + 1 or push.poll() is not None)
        time.sleep(0.5)
        push.terminate()
        said = push.communicate(timeout=60)
    assert (push.returncode, "terminated" in said[1]) == (128 + signal.SIGTERM, True), said
