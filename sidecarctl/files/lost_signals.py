"""Signals that raise where nothing can catch it: sent once more while the program runs, the system's when it is over.

A signal raises wherever Python is at that moment. In a callback of a weak reference, or in `__del__`, nothing can
catch what is raised: Python prints it and goes on, as if there had been no signal.

Loaded by every call, `--version` included, so it imports only what the interpreter has loaded anyway.
"""

import os
import sys
import time

from sidecarctl.facts.exit_codes import INTERRUPTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIGNALLED = 128
"""What the exit code after a signal has on top of its number."""
_DELAY = 0.001
"""Seconds; after them the callback is most likely over. Where it is not, the signal is lost, and sent, again."""
_lost: list[int] = []
"""The signals that are about to be sent once more."""


def take_lost() -> bool:
    """Whether the exception of a signal was lost; asked for once by what takes the signal again."""
    was_lost = bool(_lost)
    _lost.clear()
    return was_lost


def send_lost_signals_again() -> None:
    """From now on; what else is raised where nothing can catch it is reported as before."""
    before = sys.unraisablehook

    def hook(lost: "sys.UnraisableHookArgs") -> None:
        number = _signal_of(lost.exc_value)
        if number is None:
            before(lost)
        else:
            _lost.append(number)
            _from_a_thread(lambda: os.kill(os.getpid(), number))

    sys.unraisablehook = hook


def leave_interrupts_to_the_system() -> None:
    """From now on an interrupt ends the process at once; while Python ends it would print a traceback."""
    signal = sys.modules.get("signal")
    if signal is not None:  # where it is not loaded, there is hardly anything to be ended
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _signal_of(fault: BaseException | None) -> int | None:
    """The signal that an exception stands for, as `signals` and Python itself raise them."""
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
