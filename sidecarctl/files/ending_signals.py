"""Signals that end a program, as an exception: what a run keeps in temporary files goes with it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class EndedBySignalError(BaseException):
    """A signal asks the program to end; no handler of ordinary errors catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise EndedBySignalError, once, so that what was begun within is cleaned up.

    A signal that is ignored (nohup) stays so. Does nothing outside of the main thread, which no signal reaches.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, _: FrameType | None) -> NoReturn:
        for one in ours:
            signal.signal(one, signal.SIG_IGN)  # a second one would interrupt the cleaning up
        raise EndedBySignalError(number)

    try:
        for number in ours:
            signal.signal(number, end)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
