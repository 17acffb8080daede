"""Differences that are not drift, because other programs write them: LimitRanges, meshes, what the user names.

Defaults of the API server and the mount of the service account are no differences in the first place
(`rollout.summary.sidecar_comparison`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.pod.pod_view import NAME
from sidecarctl.engine.injection.pod.sidecars import VERSION_ALT_ENV, VERSION_ENV
from sidecarctl.engine.injection.webhook_steps import BARRIER, PRIORITY
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference

_LIMIT_RANGER = "kubernetes.io/limit-ranger"
_PLUGIN_SET = "LimitRanger plugin set: "
_SET = lazy_pattern(r"(?P<resources>.+) (?P<kind>request|limit) for (?:init )?container (?P<container>\S+)")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle")
_ISTIO_PATHS = ("/app-health/", "/app-lifecycle/")
_LAUNCH_ENVS = frozenset({BARRIER, PRIORITY})
_MARKS = frozenset({NAME, VERSION_ENV, VERSION_ALT_ENV})
"""Fields that injection writes although no SidecarSet has them; running pods cannot lose them."""


class Tolerance:
    """Separates drift from tolerated differences; `ignored` counts those that only `--ignore` tolerates."""

    def __init__(self, fields: Sequence[str] = ()) -> None:
        self._fields = [(field, _pattern(field)) for field in fields]
        self.ignored: Counter[str] = Counter(dict.fromkeys(fields, 0))

    def drifted(self, found: Sequence[FieldDifference], pod: Object) -> tuple[FieldDifference, ...]:
        """The differences that are not tolerated."""
        return tuple(entry for entry in found if not (_is_known(entry, pod) or self._is_ignored(entry)))

    def _is_ignored(self, entry: FieldDifference) -> bool:
        _, _, within = entry.text.partition("].")
        for field, pattern in self._fields:
            if pattern.match(entry.text) or pattern.match(within):
                self.ignored[field] += 1
                return True
        return False


def _pattern(field: str) -> re.Pattern[str]:
    """A field, with everything below it; `*` stands for any text."""
    return lazy_pattern(".*".join(map(re.escape, field.split("*"))) + r"(?:$|[.\[])")


def _is_known(entry: FieldDifference, pod: Object) -> bool:
    within = entry.path[3:]
    if within[:1] == ("resources",):
        return not entry.new and _is_of_limit_range(entry, within[1:], pod)
    if within[:1] == ("env",):
        names = {item.get("name") for item in _envs(entry.now if entry.now is not None else entry.new)}
        return names <= (_MARKS if entry.now is None else _LAUNCH_ENVS)
    return bool(within) and within[0] in _PROBES and _is_of_istio(entry, pod)


def _envs(value: Value) -> Sequence[Object]:
    """The entries of a list of env, or the one entry that a value is."""
    entries = value if isinstance(value, list) else [value]
    return [entry if isinstance(entry, dict) else {} for entry in entries]


def _is_of_limit_range(entry: FieldDifference, within: Sequence[str | int], pod: Object) -> bool:
    """Whether every resource was absent, and a LimitRange filled it in, as an annotation of the pod says."""
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    container = entry.text.partition("[")[2].partition("]")[0]
    filled = _filled_by_limit_ranges(annotations.get(_LIMIT_RANGER) or "")
    return all((container, kind, resource) in filled for kind, resource in _leaves(within, entry.now))


def _leaves(within: Sequence[str | int], value: Value) -> Iterator[tuple[str, str]]:
    if len(within) < 2 and isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves((*within, key), member)
    elif len(within) >= 2:
        yield str(within[0]), str(within[1])
    else:
        yield str(within), ""


@lru_cache(maxsize=1024)
def _filled_by_limit_ranges(text: str) -> frozenset[tuple[str, str, str]]:
    """Container, `requests` or `limits`, and resource of all that the annotation names."""
    if not text.startswith(_PLUGIN_SET):
        return frozenset()
    parts = map(_SET.fullmatch, text.removeprefix(_PLUGIN_SET).split("; "))
    return frozenset(
        (found["container"], f"{found['kind']}s", resource)
        for found in parts
        if found
        for resource in found["resources"].split(", ")
    )


def _is_of_istio(entry: FieldDifference, pod: Object) -> bool:
    """Whether istio made the probe or hook go through its proxy."""
    spec = pod.get("spec") or {}
    _, field, index, name, *_ = (*entry.path, "")
    items = spec.get(str(field)) or ()
    container = items[index] if isinstance(index, int) and index < len(items) else None
    probe = (container or {}).get(str(name))
    return any(path.startswith(_ISTIO_PATHS) for path in _paths(probe))


def _paths(value: Value) -> Iterator[str]:
    """The paths of all httpGet of a probe or of hooks."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "httpGet" and isinstance(member, dict):
                yield str(member.get("path") or "")
            else:
                yield from _paths(member)
