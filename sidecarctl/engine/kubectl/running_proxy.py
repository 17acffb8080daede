"""One `kubectl proxy` on a unix socket, for one cluster and user, as long as a run needs it.

kubectl has one exit code for every failure, so the cause is only in its message.
"""

import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, Place, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.files.workers import signals_held_back
from sidecarctl.engine.kubectl import keeper
from sidecarctl.engine.kubectl.api_requests import METHODS, Answer, accepted_paths, rejected_methods, shortened

TIMEOUT = 300.0
"""Seconds that a kubectl command may take, where the user names no other time."""


class Connection(NamedTuple):
    """The user's choice of cluster; empty if kubectl decides. `program` is kubectl, or a replacement for it."""

    context: str = ""
    kubeconfig: str = ""
    program: str = "kubectl"

    def command(self, *words: str) -> list[str]:
        """The words of a kubectl command; an option and its value are one word, so that no value passes for one."""
        given = {"--context": self.context, "--kubeconfig": self.kubeconfig}
        return [self.program, *(f"{option}={value}" for option, value in given.items() if value), *words]


def command_text(*words: str) -> str:
    """A kubectl command as messages name it, without the connection's options."""
    return " ".join(("kubectl", *words))


_INSTALLED = "is Kruise installed? `kubectl api-resources --api-group=apps.kruise.io` lists its kinds"
_CONTEXTS = "`kubectl config get-contexts` lists the contexts"
_LOGIN = "does `kubectl get namespaces` work with the same context?"
_SLOW = "raise the time limit: --request-timeout"
_REACHABLE = "is this the right cluster? check `kubectl config current-context`, or use --context"
_CAUSES = tuple(
    (lazy_pattern(words, re.IGNORECASE), reason, hint)
    for words, reason, hint in (
        (r"doesn't have a resource type|\(NotFound\)", Reason.RESOURCE_NOT_FOUND, _INSTALLED),
        (r"\(Forbidden\)", Reason.FORBIDDEN, "`kubectl auth can-i list RESOURCE` shows whether you may"),
        (r"forgot the list", Reason.LIST_EXPIRED, ""),
        (r"did not answer within", Reason.KUBECTL_TIMEOUT, _SLOW),
        (r"context was not found|context .* does not exist", Reason.CONTEXT_NOT_FOUND, _CONTEXTS),
        (
            r"\(Unauthorized\)|logged in|credentials|Please enter|: executable |^error: EOF$",
            Reason.NOT_LOGGED_IN,
            _LOGIN,
        ),
        (r"^error: stat |config file|kubeconfig", Reason.KUBECONFIG_UNREADABLE, "--kubeconfig selects the file"),
        (
            r"(was|connection) refused|unable to co|no such host|time(d )?out|deadline exceeded|no route|unreachable",
            Reason.CLUSTER_UNREACHABLE,
            _REACHABLE,
        ),
    )
)

_REASONS = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound"}
"""The reasons that some servers leave out."""


def failure(command: str, said: str, exit_code: int) -> InputError:
    """The error for a command that ended with an exit code, from its stderr."""
    words = _last_words(said) or f"exit code {exit_code}, without output"
    for pattern, reason, hint in _CAUSES:
        if pattern.search(words):
            return kubectl_error(command, reason, words, hint)
    return kubectl_error(command, Reason.KUBECTL_FAILED, words)


def refusal(command: str, answer: Answer) -> InputError:
    """The error for a refusal by the API server, in kubectl's words."""
    reason = answer.reason or _REASONS.get(answer.status, "")
    return failure(command, f"Error from server{f' ({reason})' * bool(reason)}: {answer.message}", 1)


def kubectl_error(command: str, reason: Reason, message: str, hint: str = "") -> InputError:
    """The error about a command."""
    return InputError(Finding(Severity.ERROR, reason, message, place=Place(command), hint=hint))


def _last_words(said: str) -> str:
    """The last line that is no log line of kubectl's own (`E1121 12:42:20.657584 ...`), shortened."""
    lines = [line.strip() for line in said.splitlines()]
    answers = [line for line in lines if line and not re.match(r"[EWIF][0-9]{4} ", line)]
    return shortened(answers[-1]) if answers else ""


_COMMAND = command_text("proxy")
_START = 20.0  # seconds; it asks no server when it starts, and is up in 0.05
_END = 5.0  # seconds; more than the keeper gives kubectl
_LOOK = 0.01
_LONGEST_SOCKET = 103  # bytes of a path that every system takes
_SHORT_FOLDER = "/tmp"  # noqa: S108 - the folder in it is made with a random name and the mode 0700
_PREFIX = "sidecarctl-proxy-"
_RANDOM = 8  # characters that a temporary folder's name gets
_NEW = 60.0  # seconds in which a folder may not be locked yet
_SAID = "said"  # the file of what kubectl writes


@contextmanager
def open_proxy(
    connection: Connection, accepted: Iterable[str], *, methods: Sequence[str] = METHODS, timeout: float = _START
) -> Iterator[Path]:
    """Start `kubectl proxy`, let some methods through for the accepted paths, in which `*` is any one segment.

    It answers on a unix socket, which only this user may open.

    Paths that kubectl itself rejects, exec and attach of pods, stay rejected. InputError if kubectl is missing,
    too old, ends, or does not serve within `timeout` seconds. However the run ends, kubectl and the folder of the
    socket are gone (`keeper`). Only for the main thread.
    """
    with _folder() as folder:
        path = folder / "socket"
        words = connection.command(
            "proxy",
            f"--unix-socket={path}",
            f"--accept-paths={accepted_paths(accepted)}",
            f"--reject-methods={rejected_methods(methods)}",
        )
        with (folder / _SAID).open("wb") as written, (folder / _SAID).open("rb") as said:
            # Opened before: the keeper removes the file when kubectl ends, which may be at once.
            process = _started(words, folder, written)
            try:
                _await(process, path, said, timeout)
                yield path
            finally:
                _end(process)


@contextmanager
def _folder() -> Iterator[Path]:
    """A new folder of mode 0700, in which the path of a socket is short enough."""
    room = len(os.fsencode(tempfile.gettempdir())) + len(_PREFIX) + _RANDOM + len("//socket")
    place = None if room <= _LONGEST_SOCKET else _SHORT_FOLDER
    _remove_leftovers(Path(place or tempfile.gettempdir()))
    folder = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place, ignore_cleanup_errors=True)
    lock = os.open(folder.name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(folder.name)
    finally:
        with signals_held_back():
            os.close(lock)
            folder.cleanup()


def _remove_leftovers(place: Path) -> None:
    """Remove the folders of processes that were killed together with their keeper: their lock is free.

    A kubectl that still serves there ends. A folder that is new may be about to be locked.
    """
    for path in place.glob(f"{_PREFIX}*"):
        try:
            about = path.lstat()
            if about.st_uid != os.getuid() or path.is_symlink() or time.time() - about.st_mtime < _NEW:
                continue
            folder = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue  # another process removed it first
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _end_server(path / "socket")
            shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(folder)


def _end_server(path: Path) -> None:
    """End the process that listens on a socket of this user, if the system says which one that is."""
    with socket.socket(socket.AF_UNIX) as tried, suppress(OSError):
        tried.connect(str(path))
        if option := getattr(socket, "SO_PEERCRED", None):  # Linux
            process, user, _ = struct.unpack("3i", tried.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
            if user == os.getuid():
                os.kill(process, signal.SIGTERM)


def _started(words: list[str], folder: Path, output: IO[bytes]) -> subprocess.Popen[bytes]:
    if shutil.which(words[0]) is None:
        raise kubectl_error(_COMMAND, Reason.KUBECTL_MISSING, "kubectl is not on PATH", "install kubectl")
    return subprocess.Popen(  # noqa: S603 - a list, read by no shell; the program that the user would call
        [sys.executable, "-I", "-S", keeper.__file__, str(folder), *words],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


def _await(process: subprocess.Popen[bytes], path: Path, said: IO[bytes], timeout: float) -> None:
    """Wait until something listens on the socket."""
    end = time.monotonic() + timeout
    while not _listens(path):
        code = process.poll()
        if code is not None:
            raise _failed(said.read().decode(errors="replace"), code)
        if time.monotonic() > end:
            words = said.read().decode(errors="replace").strip() or "nothing"
            message = f"kubectl did not serve within {timeout:g} s; it said: {words}"
            raise kubectl_error(
                _COMMAND, Reason.KUBECTL_TIMEOUT, message, "is another program named kubectl on PATH?"
            )
        time.sleep(_LOOK)


def _failed(said: str, code: int) -> InputError:
    if "unknown flag" in said or "unknown command" in said:
        words = said.strip().splitlines()[0]
        hint = "this kubectl is too old, or another program has its name: `kubectl version --client`"
        return kubectl_error(_COMMAND, Reason.KUBECTL_FAILED, words, hint)
    return failure(_COMMAND, said, code)


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as tried:
        try:
            tried.connect(str(path))
        except OSError:
            return False
        return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the keeper end kubectl; kill both if it does not."""
    with signals_held_back():
        if process.stdin is not None:
            process.stdin.close()
        try:
            is_killed = process.wait(_END) == -signal.SIGKILL
        except subprocess.TimeoutExpired:
            is_killed = True
        if is_killed:  # it cannot end kubectl, which is in its process group
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
