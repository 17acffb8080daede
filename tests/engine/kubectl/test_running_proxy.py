"""A proxy starts, or says why not, and is gone with its folder however the run ends."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.kubectl import running_proxy
from sidecarctl.engine.kubectl.running_proxy import Connection, open_proxy

SERVES = """\
import json, os, socket, sys, time
option, = [word for word in sys.argv if word.startswith("--unix-socket=")]
open({pid!r}, "w").write(str(os.getpid()))
open({words!r}, "w").write(json.dumps(sys.argv[1:]))
listener = socket.socket(socket.AF_UNIX)
listener.bind(option.partition("=")[2])
listener.listen()
time.sleep(600)
"""
_ENDS = SERVES.replace("time.sleep(600)", "listener.accept()")  # once somebody has seen that it serves


_PS = shutil.which("ps") or "ps"  # before a test sets PATH


def is_alive(process: int) -> bool:
    """Whether it runs; one that has ended counts although nobody has asked for its exit code."""
    state = [_PS, "-o", "stat=", "-p", str(process)]
    return subprocess.run(state, capture_output=True, text=True, check=False).stdout.strip()[:1] not in ("", "Z")


class Program:
    """The kubectl on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pid = folder / "pid"
        self.words = folder / "words"

    def is_script(self, text: str) -> None:
        path = self.folder / "kubectl"
        path.write_text(text)
        path.chmod(0o755)

    def serves(self, text: str = SERVES) -> None:
        text = text.format(pid=str(self.pid), words=str(self.words))
        self.is_script(f"#!{sys.executable} -S\n{text}")

    def is_running(self) -> bool:
        return is_alive(int(self.pid.read_text()))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return Program(folder)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def fault(timeout: float = 20.0) -> InputError:
    with pytest.raises(InputError) as raised, open_proxy(Connection(), ["/api/v1/pods"], timeout=timeout):
        pass
    return raised.value


def test_folders_of_dead_processes_are_removed(program: Program, temporary: Path) -> None:
    """Both the push and the keeper of its proxy were killed; folders that are locked, or new, stay."""
    program.serves()
    left, held, new = (temporary / f"sidecarctl-proxy-{name}" for name in ("left", "held", "new"))
    for folder in (left, held, new):
        folder.mkdir(mode=0o700)
        (folder / "socket").touch()
    for folder in (left, held):
        os.utime(folder, (0, 0))
    lock = os.open(held, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with open_proxy(Connection(), ["/api/v1/pods"]):
        assert [folder.exists() for folder in (left, held, new)] == [False, True, True]
    os.close(lock)


def test_a_proxy_and_its_end(program: Program, temporary: Path) -> None:
    program.serves()
    with open_proxy(Connection("there", "file"), ["/api/v1/pods"]) as socket:
        folder = socket.parent
        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o777 == 0o700
        assert program.is_running()
    assert not folder.exists()
    assert not program.is_running()
    words = program.words.read_text()
    assert words.startswith('["--context=there", "--kubeconfig=file", "proxy", "--unix-socket=')
    assert "--reject-paths" not in words


def test_no_kubectl(program: Program, temporary: Path) -> None:
    assert program.folder.exists()
    assert fault().findings[0].reason is Reason.KUBECTL_MISSING
    assert list(temporary.iterdir()) == []


def test_a_program_that_cannot_be_run(program: Program) -> None:
    program.is_script("#!/nowhere/at-all\n")
    assert "kubectl: No such file or directory" in str(fault())


def test_a_kubectl_that_is_too_old(program: Program) -> None:
    program.is_script(
        "#!/bin/sh\necho 'Error: unknown flag: --unix-socket' >&2\necho 'See kubectl proxy --help' >&2\nexit 1\n"
    )
    [finding] = fault().findings
    assert finding.message == "Error: unknown flag: --unix-socket"
    assert "too old" in finding.hint


@pytest.mark.slow
def test_one_that_ended_before_anybody_looks(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine; what it said went with its folder."""

    def started(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(*words, **options)
        until(lambda: process.poll() is not None)
        return process

    program.is_script("#!/bin/sh\necho 'error: context \"nope\" does not exist' >&2\nexit 1\n")
    monkeypatch.setattr(running_proxy, "subprocess", SimpleNamespace(Popen=started, PIPE=subprocess.PIPE))
    assert fault().findings[0].reason is Reason.CONTEXT_NOT_FOUND


def test_another_program_of_that_name(program: Program) -> None:
    program.is_script("#!/bin/sh\necho 'Welcome to the company cluster!'\n")
    assert "Welcome to the company cluster!" in str(fault())


def test_a_program_that_never_serves(program: Program, temporary: Path) -> None:
    program.is_script(f"#!/bin/sh\necho 'Password: '\nexec {sys.executable} -S -c 'import time; time.sleep(60)'\n")
    [finding] = fault(timeout=0.5).findings
    assert finding.reason is Reason.KUBECTL_TIMEOUT
    assert finding.message == "kubectl did not serve within 0.5 s; it said: Password:"
    assert list(temporary.iterdir()) == []


def test_a_context_that_does_not_exist(program: Program) -> None:
    program.is_script("#!/bin/sh\necho 'error: context \"nope\" does not exist' >&2\nexit 1\n")
    assert fault().findings[0].reason is Reason.CONTEXT_NOT_FOUND


def test_a_wrapper_with_a_banner_ends_with_all_that_it_started(program: Program) -> None:
    program.serves()
    (program.folder / "kubectl").rename(program.folder / "real")
    program.is_script(f"#!/bin/sh\necho 'Welcome!'\n{program.folder}/real \"$@\"\n")
    with open_proxy(Connection(), ["/api/v1/pods"]):
        assert program.is_running()
    until(lambda: not program.is_running())


@pytest.mark.slow
def test_a_proxy_that_ignores_the_polite_signal(program: Program) -> None:
    program.serves()
    script = (program.folder / "kubectl").read_text()
    program.is_script(
        script.replace("listener.listen()", "import signal; signal.signal(15, signal.SIG_IGN); listener.listen()")
    )
    with open_proxy(Connection(), ["/api/v1/pods"]) as socket:
        pass
    assert not socket.exists()
    until(lambda: not program.is_running())


def test_a_folder_whose_name_is_too_long_for_a_socket(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.serves()
    folder = tmp_path / ("long" * 25)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with open_proxy(Connection(), ["/api/v1/pods"]) as socket:
        assert len(os.fsencode(socket)) <= 103
        assert socket.parent.stat().st_mode & 0o777 == 0o700
    assert not socket.parent.exists()


_RUN = """\
    import time
    from sidecarctl.engine.files.workers import unwound_on_signals
    from sidecarctl.engine.kubectl.running_proxy import Connection
    from sidecarctl.engine.kubectl.running_proxy import open_proxy
    with unwound_on_signals(), open_proxy(Connection(), ["/api/v1/pods"]):
        print("up", flush=True)
        time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_run_that_is_ended(program: Program, temporary: Path, number: signal.Signals) -> None:
    program.serves()
    words = [sys.executable, "-c", textwrap.dedent(_RUN)]
    environ = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"up\n"
        assert program.is_running()
        run.send_signal(number)
        run.wait(60)
    until(lambda: not program.is_running() and not list(temporary.iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize("is_run_killed", [False, True])
def test_a_keeper_that_is_killed(program: Program, temporary: Path, *, is_run_killed: bool) -> None:
    """The run ends kubectl; if it was killed too, the next one does."""
    program.serves()
    words = [sys.executable, "-c", textwrap.dedent(_RUN)]
    environ = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"up\n"
        proxy = int(program.pid.read_text())
        os.kill(os.getpgid(proxy), signal.SIGKILL)
        run.send_signal(signal.SIGKILL if is_run_killed else signal.SIGTERM)
        run.wait(60)
    if is_run_killed:
        assert program.is_running()
        [folder] = temporary.iterdir()
        os.utime(folder, (0, 0))
        with open_proxy(Connection(), ["/api/v1/pods"]):
            assert not folder.exists()
    until(lambda: not is_alive(proxy))


def test_a_proxy_that_ends_by_itself(program: Program) -> None:
    program.serves(_ENDS)
    with open_proxy(Connection(), ["/api/v1/pods"]) as socket:
        until(lambda: not socket.parent.exists())
