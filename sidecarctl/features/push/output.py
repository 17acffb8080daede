"""The output of a running push: lines for people or programs (`table`: on a terminal)."""

import signal
import sys
from collections.abc import Callable, Iterable, Sequence

from sidecarctl.features.push.cluster.watches import Interrupted, Mailbox
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.events import (
    PodFailed,
    PodRefused,
    PushEnded,
    PushEvent,
    PushStarted,
    ending_lines,
    event_json,
    event_line,
    starting_lines,
)
from sidecarctl.features.push.plan import PushStep
from sidecarctl.render.lines import shown

_SHOWN = 20
"""Pods of a wave that are listed in its confirmation prompt."""


class Asking:
    """Asks on the terminal before a wave."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    def confirm(self, wave: int, steps: Sequence[PushStep]) -> bool:
        """Show what a wave changes, and ask for it."""
        for step in steps[:_SHOWN]:
            images = ", ".join(f"{image.container}: {image.before} -> {image.after}" for image in step.patch.images)
            sys.stderr.write(f"  {shown(f'{step}  {images}')}\n")
        more = f" ({len(steps) - _SHOWN} more than shown)" if len(steps) > _SHOWN else ""
        return ask(f"wave {wave} has {len(steps)} pod{'s' * (len(steps) != 1)}{more}", self._mailbox)


class TextLines(Asking):
    """A line for each event."""

    def __init__(self, mailbox: Mailbox) -> None:
        super().__init__(mailbox)
        self._failures: list[PodFailed | PodRefused] = []

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        """Print events."""
        del machine
        for event in events:
            if isinstance(event, PodFailed | PodRefused):
                self._failures.append(event)
            for line in self._lines(event):
                sys.stdout.write(f"{shown(line)}\n")
        sys.stdout.flush()

    def _lines(self, event: PushEvent) -> Iterable[str]:
        if isinstance(event, PushEnded):
            return ending_lines(event, self._failures)
        return starting_lines(event) if isinstance(event, PushStarted) else [event_line(event)]


class JsonLines(Asking):
    """An object for each event."""

    def __init__(self, mailbox: Mailbox, now: Callable[[], str]) -> None:
        super().__init__(mailbox)
        self._now = now

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        """Print events."""
        del machine
        for event in events:
            sys.stdout.write(event_json(event, self._now()))
        sys.stdout.flush()


def ask(what: str, mailbox: Mailbox) -> bool:
    """Ask whether to continue; Ctrl-C means no."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.stderr.write(f"{what}. Continue? [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        mailbox.put(Interrupted(signal.SIGINT))
        return False
    finally:
        signal.signal(signal.SIGINT, before)
