"""Compares the expectations for a pod with the pod that Kruise would create."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.features.expectations.matching import (
    ABSENT,
    NOTHING,
    Mismatch,
    is_complete,
    is_like,
    is_operator,
    is_subsequence,
    mismatches,
    text_of,
)
from sidecarctl.library.answers import InjectedPod

Expected: TypeAlias = Callable[[Value, InjectedPod], Iterator[Mismatch]]


def pod_mismatches(expect: Object, found: InjectedPod) -> Iterator[Mismatch]:
    """The differences between an injected pod and the expected one, with paths below `expect`."""
    for key, expected in expect.items():
        for mismatch in _EXPECTATIONS[key](expected, found):
            yield mismatch._replace(path=(key, *mismatch.path))


def _injected(expected: Value, found: InjectedPod) -> Iterator[Mismatch]:
    if not is_complete(expected or (), found.sidecarsets):
        yield Mismatch((), _listed(expected), _listed(found.sidecarsets), (list(found.sidecarsets),))


def _order(expected: Value, found: InjectedPod) -> Iterator[Mismatch]:
    names = [*_names(found, "initContainers"), *_names(found, "containers")]
    if not is_subsequence(expected or (), names):
        new = [name for name in names if name in expected]
        yield Mismatch((), _listed(expected), _listed(names), (new,) if len(new) == len(expected) else ())


def _part(*path: str) -> Expected:
    """The comparison with a part of the pod; a part that it lacks has no members."""

    def compare(expected: Value, found: InjectedPod) -> Iterator[Mismatch]:
        actual = value_at(found.pod, path)
        empty: Value = [] if path[0] == "spec" else {}
        yield from mismatches(expected or {}, empty if actual is None else actual)

    return compare


def _env(expected: Value, found: InjectedPod) -> Iterator[Mismatch]:
    for container, variables in (expected or {}).items():
        actual = _container(container, found)
        if actual is None:
            yield _no_container(container, found)
            continue
        there = {item.get("name"): item for item in actual.get("env") or () if item}
        for name, value in (variables or {}).items():
            yield from mismatches(value, _compared(value, there.get(name)), (container, name))


def _compared(expected: Value, variable: Object | None) -> Value:
    """A text is compared with the value of a variable, a map with the variable itself."""
    if variable is None:
        return None
    is_whole = isinstance(expected, dict) and not (is_operator(expected) and ABSENT not in expected)
    if is_whole or expected is None or "valueFrom" in variable:
        return variable
    return variable.get("value") or ""


def _absent(expected: Value, found: InjectedPod) -> Iterator[Mismatch]:
    for key, globs in (expected or {}).items():
        if key == "env":
            yield from _absent_variables(globs or {}, found)
            continue
        names = list(value_at(found.pod, ("metadata", key)) or ()) if key in _MAPS else _names(found, key)
        yield from (mismatch._replace(path=(key, *mismatch.path)) for mismatch in _present(globs, names))


_MAPS = ("annotations", "labels")


def _absent_variables(expected: Object, found: InjectedPod) -> Iterator[Mismatch]:
    for container, globs in expected.items():
        actual = _container(container, found)
        if actual is None:  # a misspelled container would never have the variable
            yield _no_container(container, found)._replace(path=("env", container))
            continue
        names = [str(item.get("name")) for item in actual.get("env") or () if item]
        yield from (mismatch._replace(path=("env", container, *mismatch.path)) for mismatch in _present(globs, names))


def _present(globs: Sequence[str] | None, names: Sequence[str]) -> Iterator[Mismatch]:
    for index, glob in enumerate(globs or ()):
        if there := [name for name in names if is_like(glob, name)]:
            yield Mismatch((index,), f"no {glob}", ", ".join(there))


def _container(name: str, found: InjectedPod) -> Object | None:
    spec = found.pod.get("spec") or {}
    every = (item for field in ("containers", "initContainers") for item in spec.get(field) or () if item)
    return next((item for item in every if item.get("name") == name), None)


def _no_container(name: str, found: InjectedPod) -> Mismatch:
    names = [*_names(found, "containers"), *_names(found, "initContainers")]
    return Mismatch((name,), f"the container {name}", f"only {_listed(names)}" if names else NOTHING)


def _names(found: InjectedPod, field: str) -> list[str]:
    return [str(item.get("name") or "") for item in value_at(found.pod, ("spec", field)) or () if item]


def _listed(names: Sequence[str] | None) -> str:
    return ", ".join(map(text_of, names)) if names else NOTHING


_EXPECTATIONS: Mapping[str, Expected] = {
    "injected": _injected,
    "containers": _part("spec", "containers"),
    "initContainers": _part("spec", "initContainers"),
    "volumes": _part("spec", "volumes"),
    "order": _order,
    "env": _env,
    "annotations": _part("metadata", "annotations"),
    "labels": _part("metadata", "labels"),
    "absent": _absent,
}
"""The comparison for each expectation."""
