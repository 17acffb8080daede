"""What --watch follows of the reports of a cluster, and what changes from one to the next."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from sidecarctl.engine.rollout.simulated_pods import PodName


class Watched(NamedTuple):
    """What a report says of each SidecarSet: a line, and the state of each pod with why, if it lists pods."""

    lines: Mapping[str, str] = {}
    states: Mapping[str, Mapping[PodName, tuple[str, str]]] = {}


Follow: TypeAlias = Callable[[Any], Watched]
"""What to follow of the facts of a report."""


def change_lines(before: Watched, now: Watched) -> Iterator[str]:
    """The changes from one report to the next: the pods that changed, then the line of their SidecarSet.

    Of a SidecarSet that is new in the report only its line.
    """
    for name in sorted({*before.lines, *now.lines}):
        if name in before.states and name in now.states:
            yield from _pods(name, before.states[name], now.states[name])
        if before.lines.get(name) != now.lines.get(name):
            yield now.lines.get(name, f"{name}: the SidecarSet no longer exists")


def _pods(
    name: str, before: Mapping[PodName, tuple[str, str]], after: Mapping[PodName, tuple[str, str]]
) -> Iterator[str]:
    for pod in sorted({*before, *after}):
        was, (state, why) = before.get(pod, ("new", ""))[0], after.get(pod, ("gone", ""))
        if was != state:
            yield f"{name}: {pod}: {was} -> {state}" + f" ({why})" * bool(why)
