"""Signals that end a run: temporary files go first, then the run unwinds as after any error."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from sidecarctl.files.lost_signals import SIGNALLED, take_lost
from sidecarctl.files.temporary import remove_pending

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BURST = 1.0
"""Seconds in which further signals are one with the first: what it raised is on its way, and must not be cut off."""
_came: list[tuple[int, float]] = []
"""The signals that raised since `unwound_on_signals` began, and when."""


@contextmanager
def unwound_on_signals() -> Iterator[None]:
    """Let signals that end the process raise instead: KeyboardInterrupt, or SystemExit with 128 and the signal.

    A signal that the caller of the program ignores (`nohup`) stays ignored. One that comes soon after another raises
    only where the exception of that one was lost. Only for the main thread.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    _came.clear()
    try:
        for number in taken:
            signal.signal(number, _end)
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def end_if_signalled() -> None:
    """Raise for a signal that came, in case that its exception was lost; the temporary files are gone already."""
    if _came:
        _raise(_came[-1][0])


def _end(number: int, _frame: FrameType | None) -> None:
    remove_pending()  # here, because an exception may come at a moment when nothing would catch it
    now, is_again = time.monotonic(), take_lost()
    if _came and now - _came[-1][1] < _BURST and not is_again:
        return
    _came.append((number, now))
    _raise(number)


def _raise(number: int) -> NoReturn:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(SIGNALLED + number)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """No signal ends the process in here, where an exception would be lost (such as within a fork), but after it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_signals_to_the_parent() -> None:
    """In a worker process: an interrupt is the parent's business, and the other signals end the worker at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)  # they were held back while the worker was made
