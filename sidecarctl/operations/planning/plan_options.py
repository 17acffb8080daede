"""The options of a simulation, as given on the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sidecarctl.facts.values import Value


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How the rollout is simulated.

    `duration` counts steps, of `step_seconds` each if known; `stuck`: updates in flight in the input never finish;
    `fail` are patterns of NAMESPACE/NAME or NAME; `overrides` are members of updateStrategy that replace those of the
    SidecarSets; `by` are pod labels, `by_node` node labels.
    """

    only: Sequence[str] = ()
    duration: int = 1
    step_seconds: int | None = None
    fail: Sequence[str] = ()
    assume_ready: bool = False
    stuck: bool = False
    rounds: int | None = None
    timestamp: str | None = None
    resource_version: str = ""
    overrides: Mapping[str, Value] = field(default_factory=dict)
    by: Sequence[str] = ()
    by_node: Sequence[str] = ()
