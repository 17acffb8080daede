"""What the machine asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.live_pods import LivePod


@dataclass(frozen=True, slots=True)
class Send:
    """Send the patch of a step, made from the pod as it was last seen; `stamp` is the time that it records."""

    step: Step
    live: LivePod
    stamp: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask whether a wave may begin; the answer goes to `Machine.answered_question`."""

    wave: int
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class End:
    """The push is over."""


Action: TypeAlias = Send | Ask | End
