"""Standard streams that are closed, full, or given up by their reader."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecarctl.engine.files.process import ended_quietly, open_missing, silence_stdout
from tests.cli.manifests import DEPLOYMENT, SET

pytestmark = pytest.mark.usefixtures("ends_as_a_process")

FULL = Path("/dev/full")
needs_a_full_device = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
TOLD = "error: stdout: cannot be written: No space left on device [UnwritableFile]\n"
CALLS = ["inject -q -s set.yaml web.yaml", "inject -q -s set.yaml web.yaml --diff", "hash set.yaml"]
CALLS += ["plan set.yaml web.yaml --from set.yaml", "diff set.yaml set.yaml", "plugin install --folder bin"]
CALLS += ["version", "--version", "--help", "inject --help"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def in_shell(line: str, **more: str) -> tuple[int, str]:
    """How a line of shell ends, and what stderr gets; `$python` is this Python."""
    environment = os.environ | {"python": sys.executable, **more}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stderr


@pytest.mark.slow
@needs_a_full_device
@pytest.mark.parametrize("call", CALLS)
def test_a_full_device(call: str) -> None:
    assert in_shell(f"$python -m sidecarctl {call} > {FULL}") == (3, TOLD)


@pytest.mark.slow
@needs_a_full_device
@pytest.mark.parametrize("word", ["--help", "--version", "config.yaml set.yaml"])
def test_a_full_device_of_the_function(folder: Path, word: str) -> None:
    (folder / "config.yaml").write_text(SET)
    assert in_shell(f"$python -m sidecarctl.krm.main {word} > {FULL}") == (3, TOLD)


@pytest.mark.slow
@needs_a_full_device
def test_a_full_device_that_is_named() -> None:
    call = f"diff set.yaml set.yaml -o json={FULL}"
    assert in_shell(f"$python -m sidecarctl {call}") == (3, TOLD.replace("stdout", str(FULL)))


@pytest.mark.slow
@needs_a_full_device
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("call", ["inject -s set.yaml web.yaml", "inject -s nowhere.yaml web.yaml"])
def test_a_report_that_nobody_takes_fails(call: str, unbuffered: str) -> None:
    code, _ = in_shell(f"$python -m sidecarctl {call} 2> {FULL}", PYTHONUNBUFFERED=unbuffered)
    assert code == 3


@pytest.mark.slow
@pytest.mark.parametrize("call", [CALLS[0], "version", "--help"])
def test_a_closed_stdout(call: str) -> None:
    assert in_shell(f"$python -m sidecarctl {call} >&-") == (
        3,
        "error: stdout: cannot be written: Bad file descriptor [UnwritableFile]\n",
    )


@pytest.mark.slow
def test_a_closed_stdout_matters_to_nothing_that_does_not_write_there(folder: Path) -> None:
    assert in_shell("$python -m sidecarctl inject -q -i -s set.yaml web.yaml >&- 2>&- <&-") == (0, "")
    assert "log-agent" in (folder / "web.yaml").read_text()


@pytest.mark.slow
def test_a_closed_stdin_is_empty() -> None:
    code, told = in_shell("$python -m sidecarctl.krm.main <&-")
    assert (code, told.partition(" (")[0]) == (2, "error: expected a ResourceList on standard input, got nothing")


def raising(fault: BaseException) -> Callable[[], None]:
    def run() -> None:
        raise fault

    return run


@pytest.fixture
def spare_stdout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with (folder / "stdout").open("w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        yield


@pytest.mark.usefixtures("spare_stdout")
@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "interrupted; nothing was written\n"),
        (BrokenPipeError(), 141, ""),
        (OSError(28, "No space left on device"), 3, TOLD),
    ],
)
def test_no_end_shows_a_traceback(
    fault: BaseException, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ending:
        ended_quietly(raising(fault))
    assert (ending.value.code, capsys.readouterr().err) == (code, told)


@pytest.mark.usefixtures("spare_stdout")
def test_nobody_to_complain_to(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, f"No space left for {text}")

    monkeypatch.setattr(sys, "stderr", Full())
    with pytest.raises(SystemExit) as ending:
        ended_quietly(raising(OSError(28, "No space left on device")))
    assert ending.value.code == 3


def test_a_stream_that_is_not_a_file_needs_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    silence_stdout()


def test_streams_that_are_missing_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    open_missing()
    with sys.stdin, sys.stderr:
        assert sys.stdin.read() == ""
        sys.stderr.write("lost")
    sys.stdout.write("never")
    with pytest.raises(OSError, match="Bad file descriptor"):
        sys.stdout.close()


def test_streams_that_are_there_stay() -> None:
    before = sys.stdin, sys.stdout, sys.stderr
    open_missing()
    assert (sys.stdin, sys.stdout, sys.stderr) == before


@pytest.mark.slow
def test_an_interrupt_while_a_text_is_run_ends_as_an_interrupt(tmp_path: Path) -> None:
    """Data classes are made so; `python -m` then ends itself by the signal, for which a shell has the same code."""
    (tmp_path / "interrupted.py").write_text(
        "from sidecarctl.engine.files.process import ended_quietly\n"
        "ended_quietly(lambda: exec('raise KeyboardInterrupt'))\n"
    )
    words = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode in (130, -signal.SIGINT)
    assert ended.stderr == "interrupted; nothing was written\n"
