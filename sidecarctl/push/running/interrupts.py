"""Signals during a push: no further patch is sent, and what is under way is awaited and recorded."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sidecarctl.push.running.messages import Interrupted, Mailbox

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interrupts_to(mailbox: Mailbox) -> Iterator[None]:
    """Put the first signal into the mailbox; a second one raises KeyboardInterrupt. Only in the main thread.

    A signal that the caller of the program ignores (`nohup`) stays ignored.
    """
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    seen: list[int] = []

    def take(number: int, _frame: FrameType | None) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)
        mailbox.put(Interrupted(number))

    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in taken:
        signal.signal(number, take)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])
