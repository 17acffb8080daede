"""One call of kubectl: its answer into a file, its failure into an error."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from sidecarctl.facts.reasons import Reason
from sidecarctl.files.reading_progress import was_read
from sidecarctl.files.signals import signals_held_back
from sidecarctl.kubectl.problems import failure, problem

_TICK = 0.2  # seconds between two looks at a command: a person sees them as one movement


def call(words: Sequence[str], command: str, answer: Path, *, timeout: float) -> None:
    """Run a command without a shell, and let it write its answer into a file.

    `command` is its name in messages, `timeout` the seconds that it may take. InputError if it is not there,
    fails, or takes too long. However this ends, the command has ended too.
    """
    with answer.open("wb") as stdout, tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(  # noqa: S603 - a list, read by no shell; the program that the user would call
                words, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
            )
        except FileNotFoundError:
            raise problem(
                command, Reason.KUBECTL_MISSING, "kubectl is not on PATH", "install kubectl, or give files"
            ) from None
        except OSError as fault:
            raise problem(command, Reason.KUBECTL_MISSING, f"kubectl cannot be run: {fault.strerror}") from None
        try:
            code = _wait(process, answer, command, timeout)
        finally:
            _end(process)
        if code is None:
            message = f"no complete answer within {timeout:g} s; stderr so far: {_said(stderr) or 'empty'}"
            raise problem(command, Reason.KUBECTL_TIMEOUT, message, "raise --kubectl-timeout")
        if code:
            raise failure(command, _said(stderr), code)


def _wait(process: subprocess.Popen[bytes], answer: Path, command: str, timeout: float) -> int | None:
    """The exit code; None if the time is over. Meanwhile the size of the answer so far is reported."""
    end = time.monotonic() + timeout
    told = 0
    while (left := end - time.monotonic()) > 0:
        try:
            return process.wait(min(_TICK, left))
        except subprocess.TimeoutExpired:
            size = answer.stat().st_size
            was_read(command, size - told)
            told = size
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """See to it that a command has ended: kindly first, so that its own children end with it."""
    if process.poll() is not None:
        return
    with signals_held_back():
        process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _said(stderr: IO[bytes]) -> str:
    stderr.seek(0)
    return stderr.read(1 << 20).decode(errors="replace").strip()
