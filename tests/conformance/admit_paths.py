"""Compares the places of findings with those of Kruise's own errors, after rewriting its paths."""

import re

from sidecarctl.engine.facts.values import Path

_STEP = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_SOURCE_NAMES = {"persistentDisk": "gcePersistentDisk", "downwarAPI": "downwardAPI", "cephFS": "cephfs"}
_IN_ITEMS = {"path", "fieldRef", "resourceFieldRef", "mode"}
_ROOTS = {"revision": ("spec", "injectionStrategy"), "updateStrategy": ("spec",), "patchPodMetadata": ("spec",)}
_LISTS = ("containers", "initContainers")
_WHOLE: dict[Path, list[Path]] = {
    ("metadata",): [("metadata", "annotations")],
    ("spec", "hostNetwork"): [("spec", name) for name in _LISTS],
    ("spec", "namespace, namespaceSelector"): [("spec", "namespace"), ("spec", "namespaceSelector")],
}


def steps_of(text: str) -> Path:
    """The steps of a path as Kruise writes it."""
    found = _STEP.findall(text)
    return tuple(int(key) if key.isdecimal() else key or name for key, name in found)


def covers(pattern: Path, path: Path) -> bool:
    """Whether a path is the pattern or lies below it; it may have an index if the pattern has none."""
    if not pattern:
        return True
    if not path:
        return False
    if pattern[0] == path[0] and covers(pattern[1:], path[1:]):
        return True
    return isinstance(path[0], int) and not isinstance(pattern[0], int) and covers(pattern, path[1:])


def patterns_of(field: str) -> list[Path]:
    """What may cover a finding for an error that Kruise tells at a field."""
    steps = steps_of(field)
    if steps in _WHOLE:
        return _WHOLE[steps]
    if steps[:2] == ("spec", "strategy"):  # its name in messages up to 1.2
        steps = ("spec", "updateStrategy", *steps[2:])
    steps = (*_ROOTS.get(str(steps[0]), ()), *steps)
    if steps[-2:] == ("selector", "selector") or (steps[-1] == "selector" and "namespaceSelector" in steps):
        steps = steps[:-1]
    if len(steps) > 1 and steps[1] == "container":
        steps = ("spec", "containers", *steps[2:])
    if len(steps) > 1 and isinstance(steps[1], int):
        return [_rewritten(("spec", name, *steps[1:])) for name in _LISTS]
    if steps in {("spec", "containers"), ("spec", "containers", "name")}:
        return [steps, ("spec", "initContainers")]
    if steps[:3] == ("spec", "initContainers", 0) and steps[-1] == "hostPort":
        return [steps, ("spec", "initContainers", *steps[3:])]
    if steps[:2] == ("spec", "namespaceSelector"):
        return [steps, ("spec", "namespace")]
    return [_rewritten(steps)]


def _rewritten(steps: Path) -> Path:
    steps = tuple(_SOURCE_NAMES.get(step, step) if isinstance(step, str) else step for step in steps)
    if "transferEnv" in steps:
        at = steps.index("transferEnv") + 1
        steps = (*steps[:at], "sourceContainerNameFrom", *steps[at:])
    if "downwardAPI" in steps:
        at = steps.index("downwardAPI") + 1
        if steps[at:] and steps[at] in _IN_ITEMS:
            steps = (*steps[:at], "items", *steps[at:])
    if steps[-2:] == ("projected", "path"):
        steps = (*steps[:-1], "sources", "serviceAccountToken", "path")
    if steps[-2:] == ("resources", "storage"):
        steps = (*steps[:-1], "requests", "storage")
    return steps
