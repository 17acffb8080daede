"""The Python API (docs/python.md): inputs that are read once, and the questions to ask them."""

from sidecarctl.engine.facts.errors import ImpossibleError, InputError, SidecarctlError, UsageError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.library.answers import (
    Change,
    Decision,
    Explanation,
    InjectedPod,
    Injection,
    Rollout,
    RolloutPod,
    Wave,
)
from sidecarctl.library.inputs import Inputs
from sidecarctl.library.loading import load

__all__ = [
    "Change",
    "Decision",
    "Explanation",
    "Finding",
    "ImpossibleError",
    "InjectedPod",
    "Injection",
    "InputError",
    "Inputs",
    "Rollout",
    "RolloutPod",
    "SidecarctlError",
    "UsageError",
    "Wave",
    "load",
]
