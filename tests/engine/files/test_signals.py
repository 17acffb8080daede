"""Runs that are killed: each file whole, nothing left beside it after the next run."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run_process

pytestmark = pytest.mark.slow  # each runs the program in a process of its own, and waits for it

FILES, RUNS = 200, 60
CAUGHT = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}


def _folder_of(tmp_path: Path, files: int) -> tuple[Path, dict[str, bytes]]:
    """Files to inject, with their bytes."""
    (tmp_path / "set.yaml").write_text(SET)
    apps = tmp_path / "apps"
    apps.mkdir()
    for number in range(files):
        (apps / f"{number}.yaml").write_text(DEPLOYMENT.replace("name: web", f"name: web-{number}"))
    return apps, {path.name: path.read_bytes() for path in apps.iterdir()}


def _words(jobs: int) -> list[str]:
    return [sys.executable, "-m", "sidecarctl", "inject", "-q", "-s", "set.yaml", "-j", str(jobs), "-i", "apps"]


def _length(tmp_path: Path) -> float:
    started = time.perf_counter()
    subprocess.run(_words(1), cwd=tmp_path, check=True, capture_output=True)
    return time.perf_counter() - started


_BEGUN = """
from sidecarctl import __main__ as program
run = program._run
def begun():
    print("begun", flush=True)
    run()
program._run = begun
program.main()
"""
"""The program, and when it begins: what a signal does to Python itself before that is not ours."""


def _ended_by(number: signal.Signals, tmp_path: Path, jobs: int, after: float) -> int:
    words = [sys.executable, "-c", _BEGUN, *_words(jobs)[3:]]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout
        process.stdout.readline()
        time.sleep(after)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    assert b"Traceback" not in stderr, stderr
    return process.returncode


def _strays(apps: Path) -> list[Path]:
    return list(apps.glob(".*"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, *CAUGHT], ids=lambda number: number.name)
def test_no_file_is_torn_and_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    apps, before = _folder_of(tmp_path, FILES)
    assert run_process("inject", "-q", "-s", "set.yaml", "-d", "after", "apps", cwd=tmp_path).code == 0
    after = {name: (tmp_path / "after" / name).read_bytes() for name in before}
    whole = _length(tmp_path)
    chance = random.Random(number)  # noqa: S311 - moments to kill at, not secrets
    ended = 0
    while ended < RUNS:
        for name, content in before.items():
            (apps / name).write_bytes(content)
        code = _ended_by(number, tmp_path, 1 + ended % 2, chance.uniform(0.02, 1.1) * whole)
        ended += code != 0
        assert code in (0, -number, CAUGHT.get(number))
        for name in before:
            assert (apps / name).read_bytes() in (before[name], after[name])
        if number in CAUGHT:
            assert not _strays(apps)
    assert subprocess.run(_words(1), cwd=tmp_path, check=False).returncode == 0
    assert not _strays(apps)
    assert {name: (apps / name).read_bytes() for name in before} == after


@pytest.mark.parametrize("number", CAUGHT, ids=lambda number: number.name)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_signal_while_files_are_written_leaves_none(tmp_path: Path, number: signal.Signals, jobs: int) -> None:
    apps, before = _folder_of(tmp_path, 1000)  # enough that it is not done before the signal comes
    process = subprocess.Popen(_words(jobs), cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True)
    while process.poll() is None and not _strays(apps):
        time.sleep(0.001)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    word = b"interrupted" if number == signal.SIGINT else b"terminated"
    told = word + b"; nothing was written\n"
    assert (process.returncode, stderr) == (CAUGHT[number], told)
    assert sorted(path.name for path in apps.iterdir()) == sorted(before)


def _alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "apps").mkdir()
    text = "---\n".join([DEPLOYMENT] * 6000)
    (tmp_path / "apps" / "web.yaml").write_text(text)
    process = subprocess.Popen(_words(2), cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True)
    children: list[int] = []
    while process.poll() is None and len(children) < 2:
        children = [
            int(part) for part in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        ]
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert len(children) == 2
    deadline = time.monotonic() + 60
    while any(map(_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_alive, children))


LOSING = """
import os, signal, sys, time, weakref
from sidecarctl.engine.files.workers import unwound_on_signals
from sidecarctl.engine.files.process import ended_quietly

def run():
    thing = set()
    watch = weakref.ref(thing, lambda _: os.kill(os.getpid(), int(sys.argv[1])))
    with unwound_on_signals():
        del thing  # the signal comes within the callback
        time.sleep(600)

ended_quietly(run)
"""


@pytest.mark.parametrize("number", CAUGHT, ids=lambda number: number.name)
def test_a_signal_whose_exception_is_lost_ends_the_run(number: signal.Signals) -> None:
    command = [sys.executable, "-c", LOSING, str(int(number))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    told = "interrupted; nothing was written\n" if number == signal.SIGINT else ""
    assert (ended.returncode, ended.stderr) == (CAUGHT[number], told)


UPON = """
import os, signal, sys, time
from sidecarctl.engine.files import workers as signals
from sidecarctl.engine.files.process import ended_quietly

def run():
    with signals.unwound_on_signals():
        try:
            os.kill(os.getpid(), int(sys.argv[1]))
        finally:
            {meanwhile}
            print("cleaned", flush=True)

ended_quietly(run)
"""


@pytest.mark.parametrize("number", CAUGHT, ids=lambda number: number.name)
def test_a_signal_upon_a_signal_does_not_stop_the_cleaning(number: signal.Signals) -> None:
    program = UPON.format(meanwhile="os.kill(os.getpid(), int(sys.argv[1]))")
    ended = subprocess.run([sys.executable, "-c", program, str(int(number))], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (CAUGHT[number], b"cleaned\n")


def test_a_later_signal_ends_what_hangs() -> None:
    program = UPON.format(meanwhile="signals._BURST = 0.0; os.kill(os.getpid(), 15); time.sleep(600)")
    ended = subprocess.run([sys.executable, "-c", program, "15"], capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout) == (CAUGHT[signal.SIGTERM], b"")


def test_an_interrupt_after_everything_is_done_shows_no_traceback() -> None:
    program = "import atexit, os; atexit.register(os.kill, os.getpid(), 2)" + _BEGUN
    ended = subprocess.run([sys.executable, "-c", program, "version"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")
    assert ended.stdout.startswith("begun\nsidecarctl ")


def test_what_else_is_lost_is_reported() -> None:
    program = LOSING.replace("os.kill(os.getpid(), int(sys.argv[1]))", "1 / 0").replace("time.sleep(600)", "pass")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert "Exception ignored in" in ended.stderr
    assert "ZeroDivisionError" in ended.stderr


def test_no_file_is_missed_after_a_signal_whose_exception_was_lost(tmp_path: Path) -> None:
    """What a signal removed cannot take its place: that is the signal's doing, and no fault of the file."""
    program = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from contextlib import suppress\n"
        "from sidecarctl.engine.files.outputs import InPlace\n"
        "from sidecarctl.engine.files.workers import unwound_on_signals\n"
        "from sidecarctl.engine.inputs.opening import Named, opened_to_write\n"
        "files = InPlace()\n"
        "with unwound_on_signals(), opened_to_write(Named(['web.yaml'])) as [sources]:\n"
        "    files.begin(sources.paths[0])\n"
        "    files.write(b'new', 3, changed=True)\n"
        "    files.end()\n"
        "    with suppress(SystemExit): os.kill(os.getpid(), signal.SIGTERM)\n"
        "    files.commit()\n"
    )
    (tmp_path / "web.yaml").write_text("old")
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (CAUGHT[signal.SIGTERM], "")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("web.yaml", "old")]


def test_a_signal_that_the_caller_ignores_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    program = (
        "import os, signal; from sidecarctl.engine.files.workers import unwound_on_signals\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "with unwound_on_signals(): os.kill(os.getpid(), signal.SIGHUP)\n"
        "print('still here')"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "still here\n")
