"""How a push goes: what the options of the command line come to."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PushSettings:
    """How fast, how far, and when it stops; times in seconds.

    `waves`: those to carry out, all when empty. `max_parallel`: requests at once. `max_unavailable` may lower
    that of the plan. `settle`: how long a pod has to stay ready; `timeout`: how long a wave may take.
    `max_failures`: failed pods that do not stop it. `adopt`: pods that somebody else patched count as planned.
    `confirms`: each wave is asked for before it begins.
    """

    waves: AbstractSet[int] = frozenset()
    max_parallel: int = 8
    max_unavailable: int | str | None = None
    first_pod_alone: bool = True
    settle: float = 10.0
    timeout: float = 600.0
    max_failures: int = 0
    pause_after: int | None = None
    confirms: bool = False
    adopt: bool = False

    def asks_for(self, wave: int) -> bool:
        """Whether a wave is to be carried out."""
        return not self.waves or wave in self.waves
