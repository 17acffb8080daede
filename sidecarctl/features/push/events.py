"""The events of a push, in order: lines for people, JSON objects for programs."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from sidecarctl.engine.facts.findings import API_VERSION
from sidecarctl.engine.facts.values import Object


@dataclass(frozen=True, slots=True)
class PushStarted:
    """The checks have passed, and patching starts. `context` is what the user named.

    `resource_versions`: at which each kind was read, by its plural. `remarks`: what limits the push, other than its
    plan and its options.
    """

    plan: str
    cluster: str
    context: str
    waves: int
    pods: int
    resource_versions: Mapping[str, str]
    remarks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class WaveStarted:
    """A wave begins; `pods` are those that still need a patch or are not done."""

    wave: int
    pods: int


@dataclass(frozen=True, slots=True)
class WaveDone:
    """Every pod of a wave is done, or skipped, or counted as failed."""

    wave: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PodEvent:
    """Something that happened to the pod of a step; the pod as `namespace/name`."""

    wave: int
    step: int
    set: str
    pod: str


@dataclass(frozen=True, slots=True)
class ExplainedPodEvent(PodEvent):
    """Something that happened to a pod, with the reason."""

    why: str


@dataclass(frozen=True, slots=True)
class PodPatched(PodEvent):
    """The API server accepted the patch of a pod."""


@dataclass(frozen=True, slots=True)
class PodAsPlanned(PodEvent):
    """A pod already matches the step: an earlier push patched it, or it was adopted."""


@dataclass(frozen=True, slots=True)
class PodDone(PodEvent):
    """A patched pod is on the new image, consistent, ready, and has stayed so.

    `seconds`: since its patch; None if this run has not patched it.
    """

    seconds: float | None


@dataclass(frozen=True, slots=True)
class PodUnready(ExplainedPodEvent):
    """A patched pod is not ready, as before its patch; the push no longer waits for it."""


@dataclass(frozen=True, slots=True)
class PodFailed(ExplainedPodEvent):
    """A patched pod does not become ready."""


@dataclass(frozen=True, slots=True)
class PodRefused(ExplainedPodEvent):
    """The patch of a pod was refused, by a policy for example; the pod is untouched."""


@dataclass(frozen=True, slots=True)
class PodSkipped(ExplainedPodEvent):
    """There is nothing left to patch: the pod is gone, has ended, or was created again."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """No patch can be sent at the moment; `set` if the budget of a set is the reason."""

    wave: int
    why: str
    set: str = ""


@dataclass(frozen=True, slots=True)
class ParallelismChanged:
    """The server is busy, or has recovered: how many requests run at once from now on."""

    requests: int


@dataclass(frozen=True, slots=True)
class Stopping:
    """No more patches are sent; requests in flight are awaited."""

    reason: str
    why: str


class PushFacts(NamedTuple):
    """The numbers of pods, each in one of: patched, as planned before, skipped, failed, not reached.

    The last look at each pod counts. `done` are those of `patched` that are ready; `waiting` those with the planned
    patch, from whenever, that are not. `result`: `Completed` where every pod was seen as planned, or is gone;
    `Incomplete` where some have failed; `Paused`, `Stopped`, `Interrupted`; `Checked` for a dry run.
    `leaves`: what a stalled plan does not update. `waves`: the waves that were asked for; empty for all.
    """

    result: str
    patched: int = 0
    done: int = 0
    waiting: int = 0
    as_planned: int = 0
    skipped: int = 0
    failed: int = 0
    not_reached: int = 0
    how_to_go_on: str = ""
    leaves: str = ""
    waves: str = ""

    def __str__(self) -> str:
        """The numbers in one line, without zeros."""
        if self.result == "Checked":
            pods = f"{self.not_reached} pod{'s' * (self.not_reached != 1)} to patch"
            return f"Checked: {pods}; nothing was changed"
        numbers = {
            "patched": self.patched,
            "already as planned": self.as_planned,
            "skipped": self.skipped,
            "failed": self.failed,
            "not reached": self.not_reached,
        }
        said = ", ".join(f"{number} {word}" for word, number in numbers.items() if number or word == "patched")
        return (
            self.result
            + f" ({self.waves})" * bool(self.waves)
            + f": {said}"
            + f"; {self.waiting} not ready" * bool(self.waiting)
            + f"; {self.leaves}" * bool(self.leaves)
        )


class PushEnded(PushFacts):
    """The end: the number of pods per result, and how to continue."""

    __slots__ = ()


PushEvent: TypeAlias = (
    PushStarted
    | WaveStarted
    | WaveDone
    | PodPatched
    | PodAsPlanned
    | PodDone
    | PodUnready
    | PodFailed
    | PodRefused
    | PodSkipped
    | Waiting
    | ParallelismChanged
    | Stopping
    | PushEnded
)


def event_line(event: PushEvent) -> str:
    """One event as a line; for the end, the result and the numbers."""
    return _LINES[type(event)](event)


def starting_lines(started: PushStarted) -> Iterator[str]:
    """The lines at the start: what is pushed, and what else limits it."""
    yield event_line(started)
    yield from (f"  {remark}" for remark in started.remarks)


def ending_lines(ended: PushEnded, failures: Iterable[PodFailed | PodRefused]) -> Iterator[str]:
    """The lines at the end: the numbers, each failed or refused pod with its reason, how to continue."""
    yield event_line(ended)
    for event in failures:
        yield f"  {'failed' if isinstance(event, PodFailed) else 'refused'}: {event.pod}: {event.why}"
    if ended.how_to_go_on:
        yield ended.how_to_go_on


def _pods(number: int) -> str:
    return f"{number} pod{'s' * (number != 1)}"


def _where(event: PushStarted) -> str:
    named = [f"context {event.context}" * bool(event.context), f"cluster {event.cluster}" * bool(event.cluster)]
    named += [f"pods as at resourceVersion {event.resource_versions['pods']}"]
    return ", ".join(filter(None, named))


_LINES: Mapping[type, Callable[[Any], str]] = {
    PushStarted: lambda event: (
        f"push {event.plan}: {_pods(event.pods)} in {event.waves} wave{'s' * (event.waves != 1)}; {_where(event)}"
    ),
    WaveStarted: lambda event: f"wave {event.wave}: {_pods(event.pods)}",
    WaveDone: lambda event: f"wave {event.wave} is done after {event.seconds:.1f} s",
    PodPatched: lambda event: f"  patched  {event.pod}",
    PodAsPlanned: lambda event: f"  as planned already  {event.pod}",
    PodDone: lambda event: (
        f"  ready    {event.pod}" + (f", {event.seconds:.1f} s after its patch" if event.seconds is not None else "")
    ),
    PodUnready: lambda event: f"  unready  {event.pod}, as before its patch: {event.why}",
    PodFailed: lambda event: f"  failed   {event.pod}: {event.why}",
    PodRefused: lambda event: f"  refused  {event.pod}: {event.why}",
    PodSkipped: lambda event: f"  skipped  {event.pod}: {event.why}",
    Waiting: lambda event: "  waiting: " + f"SidecarSet {event.set}: " * bool(event.set) + event.why,
    ParallelismChanged: lambda event: (
        f"  the server is busy: {event.requests} request{'s' * (event.requests != 1)} at once"
    ),
    Stopping: lambda event: f"stopping: {event.why} [{event.reason}]",
    PushEnded: str,
}


KIND = "PushEvent"


def event_json(event: PushEvent, time: str) -> str:
    """An event as a line; `time` is when it happened (RFC 3339)."""
    return _ENCODED(event_document(event, time)) + "\n"


_ENCODED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode  # created once, used thousands of times


def event_document(event: PushEvent, time: str) -> Object:
    """An event as an object; names of members as JSON has them."""
    names = event._fields if isinstance(event, PushEnded) else event.__dataclass_fields__
    members = {_camel(name): getattr(event, name) for name in names}
    return {"apiVersion": API_VERSION, "kind": KIND, "time": time, "event": type(event).__name__, **members}


@cache
def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
