"""The output of a running push on a terminal: a live table."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sidecarctl.features.push.cluster.watches import Mailbox
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.progress import Stage
from sidecarctl.features.push.events import (
    PodFailed,
    PodRefused,
    PushEnded,
    PushEvent,
    PushStarted,
    Stopping,
    Waiting,
    ending_lines,
    event_line,
)
from sidecarctl.features.push.output import Asking
from sidecarctl.features.push.plan import PushStep
from sidecarctl.render.lines import shown

TICK = 0.5
"""Seconds between two looks at the clock."""

_WAVES = 8  # that are shown at once
_MESSAGES = 6
_COLUMNS = {
    "done": (Stage.DONE,),
    "updating": (Stage.SENT, Stage.PATCHED),
    "waiting": (Stage.OPEN,),
    "skipped": (Stage.SKIPPED,),
    "failed": (Stage.FAILED, Stage.REFUSED),
}


class LiveTable(Asking):
    """Waves, pods by state, the budget, elapsed time, and how long it may still take."""

    def __init__(self, mailbox: Mailbox, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(mailbox)
        self._clock = clock
        self._began = clock()
        self._title = ""
        self._messages: list[str] = []
        self._failures: list[PodFailed | PodRefused] = []
        self._done_before = 0
        self._live = Live(console=Console(file=sys.stdout), auto_refresh=False, transient=True)

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        """Show what has happened."""
        for event in events:
            if isinstance(event, PushStarted):
                self._title = event_line(event)
                self._messages += event.remarks
                self._done_before = sum(entry.stage is Stage.DONE for entry in machine.progress)
                self._live.start()
            elif isinstance(event, PodFailed | PodRefused):
                self._failures.append(event)
            if isinstance(event, PodFailed | PodRefused | Waiting | Stopping):
                self._messages.append(event_line(event).strip())
            if isinstance(event, PushEnded):
                self._live.update(self._table(machine), refresh=True)
                self._live.stop()
                sys.stdout.writelines(f"{shown(line)}\n" for line in ending_lines(event, self._failures))
                return
        self._live.update(self._table(machine), refresh=True)

    def confirm(self, wave: int, steps: Sequence[PushStep]) -> bool:
        """Ask on the terminal, below the table."""
        self._live.stop()
        try:
            return super().confirm(wave, steps)
        finally:
            self._live.start()

    def _table(self, machine: Machine) -> RenderableType:
        stages: dict[int, Counter[Stage]] = {}
        for entry in machine.progress:
            stages.setdefault(entry.step.wave, Counter())[entry.stage] += 1
        table = Table(title=Text(shown(self._title)), title_justify="left", box=None)
        for name in ("wave", *_COLUMNS):
            table.add_column(name, justify="right")
        for wave in _shown_waves(sorted(stages), machine.wave):
            style = "bold" if wave == machine.wave else None
            table.add_row(str(wave), *_cells(stages[wave]), style=style)
        table.add_section()
        table.add_row("all", *_cells(sum(stages.values(), Counter())))
        lines = [*self._budgets(machine), self._time(sum(stages.values(), Counter())), *self._messages[-_MESSAGES:]]
        return Group(table, *(Text(shown(line)) for line in lines))

    def _budgets(self, machine: Machine) -> Iterator[str]:
        for name, unavailable, allowed in machine.budgets():
            yield f"SidecarSet {name}: {unavailable} of at most {allowed} pods unavailable"

    def _time(self, counts: Counter[Stage]) -> str:
        elapsed = self._clock() - self._began
        finished = sum(number for stage, number in counts.items() if stage.is_final) - self._done_before
        left = sum(number for stage, number in counts.items() if not stage.is_final)
        text = f"elapsed {_duration(elapsed)}"
        return f"{text}, about {_duration(elapsed / finished * left)} to go" if finished > 0 and left else text


def _shown_waves(waves: list[int], current: int | None) -> list[int]:
    """The current wave, those around it."""
    at = waves.index(current) if current in waves else 0
    begin = max(0, min(at - 2, len(waves) - _WAVES))
    return waves[begin : begin + _WAVES]


def _cells(counts: Counter[Stage]) -> Iterator[str]:
    for stages in _COLUMNS.values():
        number = sum(counts[stage] for stage in stages)
        yield str(number) if number else "-"


def _duration(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
