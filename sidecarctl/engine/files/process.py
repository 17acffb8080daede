"""The setup of every run: streams that exist and fail quietly, lost signals, the garbage collector.

A signal raises wherever Python is at that moment. In a callback of a weak reference, or in `__del__`, nothing can
catch what is raised: Python prints it and continues as if there had been no signal, so it is sent again.

The data of manifests is never cyclic, so the garbage collector seldom finds anything.

Loaded by every call, `--version` included, so it imports only what the interpreter has loaded anyway.
"""

import gc
import io
import os
import sys
import time

from sidecarctl.engine.facts.exit_codes import IMPOSSIBLE, INTERRUPTED, PIPE_CLOSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

SIGNALLED = 128
"""Added to the number of a signal, this is the exit code."""
_DELAY = 0.001
"""Seconds; after them the callback is most likely over. Where it is not, the signal is lost, and sent, again."""
last_signal: list[tuple[int, float]] = []
"""The signal that raised last, and when (`time.monotonic`); the time is 0 if what it raised was lost."""


def send_lost_signals_again() -> None:
    """From now on; other exceptions that nothing can catch are reported as before."""
    before = sys.unraisablehook

    def hook(lost: "sys.UnraisableHookArgs") -> None:
        number = _signal_of(lost.exc_value)
        if number is None:
            before(lost)
        else:
            last_signal[:] = [(number, 0.0)]
            _from_a_thread(lambda: os.kill(os.getpid(), number))

    sys.unraisablehook = hook


def leave_interrupts_to_the_system() -> None:
    """From now on an interrupt ends the process at once; while Python ends it would print a traceback."""
    signal = sys.modules.get("signal")
    if signal is not None:  # if it is not loaded, there is almost nothing to end
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _signal_of(fault: BaseException | None) -> int | None:
    """The signal that an exception represents, as `signals` and Python itself raise them."""
    if isinstance(fault, KeyboardInterrupt):
        return INTERRUPTED - SIGNALLED
    if isinstance(fault, SystemExit) and isinstance(fault.code, int) and fault.code > SIGNALLED:
        return fault.code - SIGNALLED
    return None


def _from_a_thread(act: "Callable[[], None]") -> None:
    """Act a moment later: a signal that is raised in the hook itself would be lost too."""
    from _thread import start_new_thread  # `threading` takes longer to load than there may be time

    def wait_and_act() -> None:
        time.sleep(_DELAY)
        act()

    start_new_thread(wait_and_act, ())


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
    """Run code outside of a command, such as start-up and help, without ever showing a traceback."""
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
        return  # a stream that is not a file needs no flush


def stop_collecting() -> None:
    """No collection while modules are loaded, since that creates no garbage."""
    gc.disable()


def start_collecting() -> None:
    """Collect from now on, but look at nothing that exists already: it is kept to the end anyhow."""
    gc.freeze()
    gc.enable()


def forget_all() -> None:
    """Exclude everything that exists from the collection at the end of the process."""
    gc.freeze()


class WithoutCollector:
    """No collection within a `with` block: with very many pods it takes longer than the work itself."""

    def __enter__(self) -> None:
        gc.disable()

    def __exit__(self, *_: object) -> None:
        start_collecting()
