"""The standard streams of the process: there for sure, and quiet where they fail.

Loaded by every call, `--version` included, so it imports only what the interpreter has loaded anyway.
"""

import io
import os
import sys

from sidecarctl.facts.exit_codes import IMPOSSIBLE, INTERRUPTED, PIPE_CLOSED
from sidecarctl.files.lost_signals import leave_interrupts_to_the_system, send_lost_signals_again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO


def open_missing() -> None:
    """Give the process the streams that its caller closed: nothing comes in, and what is to go out fails.

    Otherwise files that are opened get their numbers, and what is printed lands in them.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def ended_quietly(run: "Callable[[], None]") -> None:
    """Run what is not within a command, start-up and the printing of help; no end of it shows a traceback."""
    send_lost_signals_again()
    try:
        run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        _complain("interrupted; nothing was written\n")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        silence_stdout()
        sys.exit(PIPE_CLOSED)
    except OSError as fault:
        silence_stdout()
        _complain(f"error: stdout: cannot be written: {fault.strerror} [UnwritableFile]\n")
        sys.exit(IMPOSSIBLE)
    finally:
        leave_interrupts_to_the_system()
        _forget_interrupt()


def _forget_interrupt() -> None:
    """Keep the exit code ours.

    After an interrupt within `exec` of a text, which is how data classes are made, `python -m` kills itself by SIGINT
    although the interrupt was handled; the next `exec` of a text makes it forget.
    """
    exec("")  # noqa: S102 - an empty text


def _complain(line: str) -> None:
    try:
        sys.stderr.write(line)
        sys.stderr.flush()
    except OSError:
        _silence(sys.stderr)  # it cannot be written itself: only the exit code can report it


def silence_stdout() -> None:
    """Keep the interpreter from complaining, when at its end it flushes what stdout did not take."""
    _silence(sys.stdout)


def _silence(stream: "TextIO") -> None:
    """Where the interpreter cannot flush a stream at its end, it complains, and its exit code is not ours."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except io.UnsupportedOperation:
        return  # a stream that is no file, which nobody flushes
