"""How far each step has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.live_pods import ContainerRun


class Stage(StrEnum):
    """How far a step has come; the last three are final."""

    OPEN = "open"
    SENT = "sent"
    PATCHED = "patched"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Whether nothing more is done about it."""
        return self in (Stage.DONE, Stage.SKIPPED, Stage.FAILED)


@dataclass(slots=True)
class StepProgress:
    """One step; times in seconds.

    `times`: the times that its patches record, by which a pod that is as planned is known as ours. `before`: how the
    containers ran when it was patched. `is_own`: this run patched it. `not_before`: when it may be tried again.
    """

    step: Step
    stage: Stage = Stage.OPEN
    times: set[str] = field(default_factory=set)
    before: Mapping[str, ContainerRun] = field(default_factory=dict)
    is_own: bool = False
    is_as_planned: bool = False
    since: float = 0.0
    ready_since: float | None = None
    not_before: float = 0.0
    tries: int = 0
    why: str = ""
