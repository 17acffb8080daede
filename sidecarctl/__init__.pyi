from sidecarctl.library import (
    Change,
    Decision,
    Explanation,
    Finding,
    ImpossibleError,
    InjectedPod,
    Injection,
    InputError,
    Inputs,
    Rollout,
    RolloutPod,
    SidecarctlError,
    UsageError,
    Wave,
    load,
)

__version__: str

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
