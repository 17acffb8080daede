"""The base order of waiting pods (docs/behaviour/rollout.md, "Order")."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from sidecarctl.api.times import parse_time
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.sidecarset.containers import is_native_sidecar

NO_TIME = -(10**18)
"""Sorts before every time; times count in negative microseconds, so that later ones come first."""

_ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


class BaseKey(NamedTuple):
    """The sort key: the first difference decides, the smaller value first.

    `scheduled` and `ready` are 0 or 1; `phase` 0 Pending (and any other), 1 Unknown, 2 Running; `ready_since`
    (0 unless Ready) and `created` negative microseconds; the restart counts are negative too.
    """

    scheduled: int
    phase: int
    ready: int
    ready_since: int
    restarts: int
    native_sidecar_restarts: int
    created: int


def base_key(pod: SimulatedPod, release: Release = MASTER) -> BaseKey:
    """The position of a pod before priority and scatter."""
    manifest = pod.manifest
    spec, status = manifest.get("spec") or {}, manifest.get("status") or {}
    native = _native_sidecar_statuses(spec, status) if spec.get("initContainers") else []
    return BaseKey(
        1 if spec.get("nodeName") else 0,
        _PHASES.get(pod.phase, 0),
        1 if pod.ready else 0,
        _later_first(pod.ready_time) if pod.ready else 0,
        -_most_restarts(status.get("containerStatuses") or []),
        -_most_restarts(native) if native and release.native_restarts_count else 0,
        _later_first((manifest.get("metadata") or {}).get("creationTimestamp") or ""),
    )


NO_SAY = BaseKey(0, 0, 0, 0, 0, 0, 0)
"""The key of every pod if the base order does not apply."""


def time_text(key: int) -> str:
    """The time for a number of a key, to the second."""
    return (_ZERO_TIME - key * _MICROSECOND).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


@lru_cache(maxsize=4096)  # pods that begin together are ready together
def _later_first(text: str) -> int:
    time = parse_time(text) if text else None
    return -((time - _ZERO_TIME) // _MICROSECOND) or NO_TIME if time else NO_TIME


def _most_restarts(statuses: list[Object]) -> int:
    return max([item.get("restartCount") or 0 for item in statuses if item], default=0)


def _native_sidecar_statuses(spec: Object, status: Object) -> list[Object]:
    native = {item.get("name") for item in spec["initContainers"] if item and is_native_sidecar(item)}
    return [item for item in status.get("initContainerStatuses") or () if item and item.get("name") in native]
