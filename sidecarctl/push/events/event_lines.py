"""The events of a push as lines for people, where no live table can be shown."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sidecarctl.operations.push_facts import PushFacts
from sidecarctl.push.events import events as push_events
from sidecarctl.push.events.events import PushEvent


def event_line(event: PushEvent) -> str:
    """One event as a line; of the end the result and the numbers."""
    return _LINES[type(event)](event)


def ending_lines(ended: push_events.PushEnded, failed: Mapping[str, str]) -> Iterator[str]:
    """The lines at the end: the numbers, each failed pod with its reason, how to go on."""
    yield event_line(ended)
    yield from (f"  failed: {pod}: {why}" for pod, why in failed.items())
    if ended.how_to_go_on:
        yield ended.how_to_go_on


def _facts(event: push_events.PushEnded) -> str:
    members = {name: getattr(event, name) for name in PushFacts._fields}
    return PushFacts(**members).summary


def _pods(number: int) -> str:
    return f"{number} pod{'s' * (number != 1)}"


def _where(event: push_events.PushStarted) -> str:
    named = [f"context {event.context}" * bool(event.context), f"cluster {event.cluster}" * bool(event.cluster)]
    return ", ".join(filter(None, named))


_LINES: Mapping[type, Callable[[Any], str]] = {
    push_events.PushStarted: lambda event: (
        f"push {event.plan}: {_pods(event.pods)} in {event.waves} wave{'s' * (event.waves != 1)}; {_where(event)}"
    ),
    push_events.WaveStarted: lambda event: f"wave {event.wave}: {_pods(event.pods)}",
    push_events.WaveDone: lambda event: f"wave {event.wave} is done after {event.seconds:.1f} s",
    push_events.PodPatched: lambda event: f"  patched  {event.pod}",
    push_events.PodAsPlanned: lambda event: f"  as planned already  {event.pod}",
    push_events.PodDone: lambda event: f"  ready    {event.pod}, {event.seconds:.1f} s after its patch",
    push_events.PodFailed: lambda event: f"  failed   {event.pod}: {event.why}",
    push_events.PodSkipped: lambda event: f"  skipped  {event.pod}: {event.why}",
    push_events.Waiting: lambda event: "  waiting: " + f"SidecarSet {event.set}: " * bool(event.set) + event.why,
    push_events.ParallelismChanged: lambda event: f"  the server is busy: {event.requests} requests at once",
    push_events.Stopping: lambda event: f"stopping: {event.why} [{event.reason}]",
    push_events.PushEnded: _facts,
}
