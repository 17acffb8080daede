"""What OpenKruise SidecarSets do to Kubernetes pods, answered from files.

The Python API is in docs/python.md; its names are loaded when they are first used.
"""

__version__ = "0.1.0"

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


def __getattr__(name: str) -> object:
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # start-up is a feature

    return getattr(import_module("sidecarctl.library"), name)
