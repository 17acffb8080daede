"""What reaches the main loop of a push from its threads and from signals."""

from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeAlias

from sidecarctl.kubectl.proxy.watching import Event
from sidecarctl.push.patches.outcomes import Outcome
from sidecarctl.push.pods.live_pods import LivePod


@dataclass(frozen=True, slots=True)
class PodsChanged:
    """An event of the watch of pods at a path; `live` is the pod, unless it is gone, or the event is about none.

    The event has it trimmed: messages wait, and all pods come at once when a push begins.
    """

    path: str
    event: Event
    live: LivePod | None = None


@dataclass(frozen=True, slots=True)
class SetChanged:
    """An event of the watch of one set."""

    name: str
    event: Event


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a patch that was sent."""

    number: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A signal came."""

    signal: int


Message: TypeAlias = PodsChanged | SetChanged | Answered | Interrupted
Mailbox: TypeAlias = SimpleQueue[Message]
