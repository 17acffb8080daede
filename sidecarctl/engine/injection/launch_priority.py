"""Container launch priority: the order in which Kruise lets the containers of a pod start, and what goes wrong then.

Source: docs/behavior/pod-webhook.md, "Container launch priority" and "Traps".
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.webhook_steps import ANNOTATION, BARRIER, COMPLETED, ORDERED, PRIORITY
from sidecarctl.engine.releases.release import Release

_NUMBER = lazy_pattern(r"[+-]?[0-9]+", re.ASCII)
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_LONGEST_GENERATED = 58
_RANDOM = "xxxxx"
"""The placeholder for the random letters in a name that Kruise generates."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES["\v"] = "\\v"


class BadPriorityError(ValueError):
    """A priority that is not a number, with Kruise's text; the places are the container's and the env's index."""

    def __init__(self, text: str, container: int, env: int) -> None:
        super().__init__(text)
        self.container = container
        self.env = env


class LaunchOrder(NamedTuple):
    """The containers of a pod with their priorities, in the order of the pod; higher ones start first."""

    containers: tuple[tuple[str, int], ...]

    @property
    def message(self) -> str:
        """The order in a sentence."""
        return f"Kruise starts the containers in this order: {self}"

    def __str__(self) -> str:
        levels: dict[int, list[str]] = {}
        for name, priority in self.containers:
            levels.setdefault(priority, []).append(name)
        if not levels:
            return "no containers"
        ordered = [(" and ".join(levels[level]), level) for level in sorted(levels, reverse=True)]
        (first, level), *later = ordered
        verb = "start" if len(levels[level]) > 1 else "starts"
        return ", then ".join([f"{first} {verb} first (p_{level})", *(f"{names} (p_{key})" for names, key in later)])


def launch_order(pod: Object) -> LaunchOrder | None:
    """The order that the webhook enforces in a decoded pod; None for none. BadPriorityError if it refuses the pod."""
    containers = [container or {} for container in (pod.get("spec") or {}).get("containers") or ()]
    if len(containers) == 1:
        return None  # not even a bad priority is read
    names = [container.get("name") or "" for container in containers]
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    if annotations.get(ANNOTATION) == ORDERED:
        return LaunchOrder(tuple((name, -place) for place, name in enumerate(names)))
    priorities = [_priority(place, container) for place, container in enumerate(containers)]
    return LaunchOrder(tuple(zip(names, priorities, strict=True))) if len(set(priorities)) > 1 else None


def generated_name(generate_name: str) -> str:
    """The name that Kruise generates for a pod, with `xxxxx` for the letters that it draws."""
    return generate_name.encode()[:_LONGEST_GENERATED].decode(errors="ignore") + _RANDOM


def has_priority(pod: Object) -> bool:
    """Whether a container of a decoded pod has a priority, whatever it is."""
    containers = (pod.get("spec") or {}).get("containers") or ()
    return any(env and env.get("name") == PRIORITY for item in containers for env in (item or {}).get("env") or ())


def barriers_in(container: Value) -> Iterator[tuple[int, Object]]:
    """The barrier envs of a container of a decoded pod, each with its index."""
    for index, env in enumerate((container or {}).get("env") or ()):
        if env and env.get("name") == BARRIER:
            yield index, env


def config_map_of(env: Object) -> str:
    """The name of the ConfigMap that an env refers to; empty for none."""
    return ((env.get("valueFrom") or {}).get("configMapKeyRef") or {}).get("name") or ""


def barrier_priority(env: Object) -> int | None:
    """The priority in the key that a barrier waits for; None if it has no such key."""
    key = ((env.get("valueFrom") or {}).get("configMapKeyRef") or {}).get("key") or ""
    try:
        return launch_priority(key.removeprefix("p_")) if key.startswith("p_") else None
    except ValueError:
        return None


def launch_priority(value: str) -> int:
    """A priority as a number; ValueError with the text of Go's error."""
    if not _NUMBER.fullmatch(value):
        raise ValueError(f"strconv.Atoi: parsing {_quoted(value)}: invalid syntax")
    number = int(value) if len(value) < 1000 else _LARGEST + 1
    if not _SMALLEST <= number <= _LARGEST:
        raise ValueError(f"strconv.Atoi: parsing {_quoted(value)}: value out of range")
    return number


def _priority(place: int, container: Object) -> int:
    priority = 0
    for index, env in enumerate(container.get("env") or ()):
        if env and env.get("name") == PRIORITY:
            try:
                priority = launch_priority(env.get("value") or "")
            except ValueError as bad:
                raise BadPriorityError(str(bad), place, index) from None
    return priority


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_DELETE = "delete it; Kruise writes it on running pods"
_MEND = "make it ready; a container that is meant to end needs the lowest priority"


def launch_findings(pod: Object, release: Release) -> Iterator[Finding]:
    """Barriers and marks that were copied from a running pod, and containers of a running one that hold up others.

    The pod must have passed `decoding.check`.
    """
    is_running = bool(pod.get("status"))
    metadata = pod.get("metadata") or {}
    own = f"{metadata.get('name') or ''}-barrier"
    for index, container in enumerate((pod.get("spec") or {}).get("containers") or ()):
        for at, env in barriers_in(container):
            if config_map_of(env) == own and is_running:
                continue
            yield _copied(container or {}, env, own, index, at)
    is_completed = release.completed_annotation and (metadata.get("annotations") or {}).get(COMPLETED) == "true"
    if is_running and not is_completed:
        yield from _holding_up(pod, own)
    if is_completed and not is_running:
        message = "for Kruise all containers have been started: those with barriers never start"
        where = ("metadata", "annotations", COMPLETED)
        yield warning(Reason.START_MARKED_COMPLETED, message, where, hint=_DELETE)


def _copied(container: Object, env: Object, own: str, index: int, at: int) -> Finding:
    if config_map_of(env) != own:
        what = f"names {config_map_of(env) or 'no ConfigMap'}, which is not the pod's own: it never starts"
    else:
        what = "is in the manifest: the container waits for its key as well as for the one that Kruise adds"
    message = f"the barrier of container {container.get('name')} {what}"
    return warning(Reason.BARRIER_IN_MANIFEST, message, ("spec", "containers", index, "env", at), hint=_DELETE)


def _holding_up(pod: Object, own: str) -> Iterator[Finding]:
    """The containers that others wait for, if the kubelet already tried to start those others."""
    statuses = [status or {} for status in (pod.get("status") or {}).get("containerStatuses") or ()]
    priorities = _priorities(pod, own)
    waiting = [status["name"] for status in statuses if _waits_for_its_key(status) and status["name"] in priorities]
    pending = [status for status in statuses if not status.get("ready") and status.get("name") in priorities]
    turn = max((priorities[status["name"]] for status in pending), default=0)
    for index, status in enumerate(statuses):
        name = status.get("name") or ""
        held = [other for other in waiting if priorities[other] < turn]
        if held and name not in waiting and status in pending and priorities[name] == turn:
            said = f"container {name} {_condition(status)} and holds up {' and '.join(held)} of lower launch priority"
            yield warning(Reason.HOLDS_UP_OTHERS, said, ("status", "containerStatuses", index), hint=_MEND)


def _priorities(pod: Object, own: str) -> Mapping[str, int]:
    """The priorities by which Kruise lets the containers of a pod start: those of their first barriers."""
    found = {}
    for container in (pod.get("spec") or {}).get("containers") or ():
        env = next((env for _, env in barriers_in(container)), None)
        priority = barrier_priority(env) if env and config_map_of(env) == own else None
        if priority is not None:
            found[container["name"]] = priority
    return found


def _waits_for_its_key(status: Object) -> bool:
    waiting = (status.get("state") or {}).get("waiting") or {}
    return waiting.get("reason") == "CreateContainerConfigError"


def _condition(status: Object) -> str:
    state = status.get("state") or {}
    if state.get("terminated"):
        return "has ended"
    reason = (state.get("waiting") or {}).get("reason")
    return f"is not ready ({reason})" if reason else "is not ready"
