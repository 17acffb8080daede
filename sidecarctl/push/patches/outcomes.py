"""What came of sending the patch of a step."""

from dataclasses import dataclass
from typing import TypeAlias

from sidecarctl.facts.reasons import Reason
from sidecarctl.push.pods.expectations import Standing
from sidecarctl.push.pods.live_pods import LivePod


@dataclass(frozen=True, slots=True)
class Patched:
    """The patch was carried out; the pod as the answer shows it. `changed`: what a webhook made otherwise."""

    live: LivePod
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Nothing was carried out, because the pod has another standing than it should; the pod as it was read again."""

    standing: Standing
    live: LivePod | None


@dataclass(frozen=True, slots=True)
class Later:
    """Nothing was carried out, and it may be tried again.

    `seconds`: when, if the server says so. `throttled`: the server has too much to do.
    """

    why: str
    seconds: float | None = None
    throttled: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The server refuses the patch, and would do so again."""

    reason: Reason
    why: str


Outcome: TypeAlias = Patched | Found | Later | Refused
