"""Events about pods and SidecarSets, as a cluster lists them: `kubectl get events -A -o yaml`.

Both kinds are read, v1 and events.k8s.io/v1, which name the same fields differently. Of a pod only warnings are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object, Value

GROUPS = frozenset(("", "events.k8s.io"))
_KINDS = frozenset(("Pod", "SidecarSet"))


class About(NamedTuple):
    """The object that an Event is about."""

    kind: str
    namespace: str
    name: str


class Event(NamedTuple):
    """What happened to an object, how often, and when last; the message is that of the last time."""

    about: About
    type: str
    reason: str
    message: str
    times: int
    last: str

    def __str__(self) -> str:
        often = f"{self.times:,} times, " if self.times > 1 else ""
        when = f" ({often}last {self.last})" if self.last else f" ({self.times:,} times)" if often else ""
        return f"{self.type} {self.reason}: {self.message.rstrip('.')}{when}"

    def document(self) -> Object:
        """The Event for JSON."""
        return {
            "type": self.type,
            "reason": self.reason,
            "message": self.message,
            "times": self.times,
            "last": self.last or None,
        }


def event_of(manifest: Object) -> Event | None:
    """The Event of a manifest; None for one about something else, and for one without content."""
    found = _object(manifest.get("involvedObject") or manifest.get("regarding"))
    about = About(*(_text(found.get(key)) for key in ("kind", "namespace", "name")))
    kind, reason = _text(manifest.get("type")), _text(manifest.get("reason"))
    if about.kind not in _KINDS or not (about.name and reason) or (about.kind == "Pod" and kind != "Warning"):
        return None
    if about.kind == "SidecarSet":
        about = about._replace(namespace="")
    series = _object(manifest.get("series"))
    counts = (series.get("count"), manifest.get("count"), manifest.get("deprecatedCount"))
    times = next((count for count in counts if isinstance(count, int) and count > 0), 1)
    ends = (series.get("lastObservedTime"), *map(manifest.get, _TIMES))
    last = next((text for text in map(_text, ends) if text), "")
    message = _text(manifest.get("message")) or _text(manifest.get("note"))
    return Event(about, kind, reason, " ".join(message.split()), times, last)


_TIMES = ("lastTimestamp", "deprecatedLastTimestamp", "eventTime", "firstTimestamp")


def by_object(events: Iterable[Event]) -> Mapping[About, Sequence[Event]]:
    """The Events of each object, the last one first; those of one reason together."""
    found: dict[tuple[About, str], Event] = {}
    for event in events:
        known = found.get((event.about, event.reason))
        latest = event if known is None or event.last >= known.last else known
        times = event.times + (known.times if known else 0)
        found[event.about, event.reason] = latest._replace(times=times)
    result: dict[About, list[Event]] = {}
    for event in sorted(found.values(), key=lambda each: each.last, reverse=True):
        result.setdefault(event.about, []).append(event)
    return result


def _object(value: Value) -> Object:
    return value if isinstance(value, dict) else {}


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""
