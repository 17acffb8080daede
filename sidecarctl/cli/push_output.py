"""The output of a running push on stdout: lines for people, or for programs."""

import signal
import sys
from collections.abc import Callable, Iterable, Sequence

from sidecarctl.push.cluster.watches import Interrupted, Mailbox
from sidecarctl.push.deciding.machine import Machine
from sidecarctl.push.events import PodFailed, PushEnded, PushEvent, ending_lines, event_json, event_line
from sidecarctl.push.plan import PushStep
from sidecarctl.reports.layout.lines import shown

_SHOWN = 20
"""Pods of a wave that are listed before it is asked for."""


class TextLines:
    """A line for each event."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._failed: dict[str, str] = {}

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        """Print events."""
        del machine
        for event in events:
            if isinstance(event, PodFailed):
                self._failed[event.pod] = event.why
            lines = ending_lines(event, self._failed) if isinstance(event, PushEnded) else [event_line(event)]
            for line in lines:
                sys.stdout.write(f"{shown(line)}\n")
        sys.stdout.flush()

    def confirm(self, wave: int, steps: Sequence[PushStep]) -> bool:
        """Ask on the terminal."""
        return confirm_wave(wave, steps, self._mailbox)


class JsonLines:
    """An object for each event."""

    def __init__(self, mailbox: Mailbox, now: Callable[[], str]) -> None:
        self._mailbox = mailbox
        self._now = now

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        """Print events."""
        del machine
        for event in events:
            sys.stdout.write(event_json(event, self._now()))
        sys.stdout.flush()

    def confirm(self, wave: int, steps: Sequence[PushStep]) -> bool:
        """Ask on the terminal."""
        return confirm_wave(wave, steps, self._mailbox)


def confirm_wave(wave: int, steps: Sequence[PushStep], mailbox: Mailbox) -> bool:
    """Show what a wave changes, and ask for it."""
    for step in steps[:_SHOWN]:
        images = ", ".join(f"{image.container}: {image.before} -> {image.after}" for image in step.patch.images)
        sys.stderr.write(f"  {shown(f'{step}  {images}')}\n")
    more = f" ({len(steps) - _SHOWN} more than shown)" if len(steps) > _SHOWN else ""
    return ask(f"wave {wave} has {len(steps)} pod{'s' * (len(steps) != 1)}{more}", mailbox)


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
