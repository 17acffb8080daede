"""What happens in a push, as facts in the order in which they happen: lines for people, `-o json` for programs."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias


@dataclass(frozen=True, slots=True)
class PushStarted:
    """The checks have passed, and the first patch may go. `context` as the user named it."""

    kind: ClassVar[str] = "PushStarted"
    plan: str
    cluster: str
    context: str
    waves: int
    pods: int


@dataclass(frozen=True, slots=True)
class WaveStarted:
    """A wave begins; `pods` are those that are still to be patched or waited for."""

    kind: ClassVar[str] = "WaveStarted"
    wave: int
    pods: int


@dataclass(frozen=True, slots=True)
class WaveDone:
    """Every pod of a wave is done, or skipped, or counted as failed."""

    kind: ClassVar[str] = "WaveDone"
    wave: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PodPatched:
    """The API server has taken the patch of a pod."""

    kind: ClassVar[str] = "PodPatched"
    wave: int
    step: int
    set: str
    pod: str


@dataclass(frozen=True, slots=True)
class PodAsPlanned:
    """A pod already is as the step leaves it: an earlier push patched it, or it was adopted."""

    kind: ClassVar[str] = "PodAsPlanned"
    wave: int
    step: int
    set: str
    pod: str


@dataclass(frozen=True, slots=True)
class PodDone:
    """A patched pod is on the new image, consistent, ready, and has stayed so."""

    kind: ClassVar[str] = "PodDone"
    wave: int
    step: int
    set: str
    pod: str
    seconds: float


@dataclass(frozen=True, slots=True)
class PodFailed:
    """A patched pod does not become ready, or its patch was refused."""

    kind: ClassVar[str] = "PodFailed"
    wave: int
    step: int
    set: str
    pod: str
    why: str


@dataclass(frozen=True, slots=True)
class PodSkipped:
    """There is nothing to patch any more: the pod is gone, has ended, or was created again."""

    kind: ClassVar[str] = "PodSkipped"
    wave: int
    step: int
    set: str
    pod: str
    why: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """No patch can be sent at the moment; `set` where the budget of a set is why."""

    kind: ClassVar[str] = "Waiting"
    wave: int
    why: str
    set: str = ""


@dataclass(frozen=True, slots=True)
class ParallelismChanged:
    """The server is busy, or has recovered: so many requests are under way at once."""

    kind: ClassVar[str] = "ParallelismChanged"
    requests: int


@dataclass(frozen=True, slots=True)
class Stopping:
    """No further patch is sent; answers that are under way are awaited."""

    kind: ClassVar[str] = "Stopping"
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class PushEnded:
    """The end: how many pods came to what, and how to go on."""

    kind: ClassVar[str] = "PushEnded"
    result: str
    patched: int
    done: int
    waiting: int
    as_planned: int
    skipped: int
    failed: int
    not_reached: int
    how_to_go_on: str


PushEvent: TypeAlias = (
    PushStarted
    | WaveStarted
    | WaveDone
    | PodPatched
    | PodAsPlanned
    | PodDone
    | PodFailed
    | PodSkipped
    | Waiting
    | ParallelismChanged
    | Stopping
    | PushEnded
)
