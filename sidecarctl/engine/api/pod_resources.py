"""What the scheduler counts for a pod: the requests and limits of all its containers, and its overhead.

Containers that run side by side add up; an initContainer counts with the native sidecars that started before it,
where that is more. Compared with k8s.io/component-helpers, by which the scheduler counts (tests/api/pod_resources).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from sidecarctl.engine.api.quantities import Quantity, QuantityError, parse_quantity, rounded_up_to_milli
from sidecarctl.engine.facts.values import Object, Value

Amounts: TypeAlias = Mapping[str, int]
"""Quantities in nanos, by resource."""


class Runs(Enum):
    """When a container runs: with the others, from before them to the end, or only before them."""

    BESIDE = auto()
    NATIVE = auto()
    BEFORE = auto()


def amounts(value: Value) -> dict[str, int]:
    """The quantities of an object, rounded up to thousandths like the API server does; invalid ones are left out."""
    found = {}
    for name, text in value.items() if isinstance(value, dict) else ():
        try:
            found[name] = rounded_up_to_milli(parse_quantity("0" if text is None else text)).nanos
        except QuantityError:
            continue
    return found


def amount_text(resource: str, nanos: int) -> str:
    """An amount as Kubernetes writes it: `1500m`, `36Gi`."""
    return str(Quantity(nanos, "binary" if is_in_bytes(resource) else "decimal"))


def is_in_bytes(resource: str) -> bool:
    """Whether a resource is counted in bytes."""
    return resource.endswith(("memory", "storage")) or "hugepages" in resource


def total_of(containers: Iterable[tuple[Runs, Amounts]]) -> dict[str, int]:
    """What containers need together; initContainers in the order in which they start."""
    together: dict[str, int] = {}
    started: dict[str, int] = {}
    most: dict[str, int] = {}
    for runs, own in containers:
        if runs is not Runs.BEFORE:
            together = added(together, own)
        if runs is not Runs.BESIDE:
            peak = added(started, own)
            started = peak if runs is Runs.NATIVE else started
            most = {name: max(most.get(name, 0), peak.get(name, 0)) for name in {*most, *peak}}
    return {name: max(together.get(name, 0), most.get(name, 0)) for name in {*together, *most}}


def added(left: Amounts, right: Amounts) -> dict[str, int]:
    """The sums."""
    return {name: left.get(name, 0) + right.get(name, 0) for name in (*left, *right)}


@dataclass(frozen=True, slots=True)
class Resources:
    """Requests and limits; a difference of two has negative amounts too."""

    requests: Amounts = field(default_factory=dict)
    limits: Amounts = field(default_factory=dict)

    def __add__(self, other: "Resources") -> "Resources":
        return Resources(added(self.requests, other.requests), added(self.limits, other.limits))

    def __sub__(self, other: "Resources") -> "Resources":
        return self + other.times(-1)

    def times(self, number: int) -> "Resources":
        """The resources of this many such pods."""
        return Resources(
            {name: number * amount for name, amount in self.requests.items()},
            {name: number * amount for name, amount in self.limits.items()},
        )


def quantities(resources: Resources) -> Object:
    """Requests and limits as quantities, without zeros."""
    return {
        kind: {name: amount_text(name, given[name]) for name in in_order(given)}
        for kind, given in (("requests", resources.requests), ("limits", resources.limits))
    }


def read_quantities(document: Object) -> Resources:
    """The inverse."""
    return Resources(amounts(document["requests"]), amounts(document["limits"]))


def shares(part: Resources, whole: Resources) -> dict[str, float]:
    """The share of all requests, for each resource that the part requests."""
    return {
        name: round(part.requests[name] / whole.requests[name], 4)
        for name in in_order(part.requests)
        if whole.requests.get(name)
    }


def in_order(*given: Amounts) -> list[str]:
    """The resources that are not zero, cpu and memory first."""
    names = {name for own in given for name, amount in own.items() if amount}
    return [*(name for name in _FIRST if name in names), *sorted(names.difference(_FIRST))]


_FIRST = ("cpu", "memory")


def resources_of(spec: Object, without: Collection[str] = ()) -> Resources:
    """What the scheduler would count for a pod without the containers of these names; `spec` as it is stored."""
    overhead = amounts(spec.get("overhead"))
    requests, limits = (
        total_of(_containers(spec, kind, without)) | _of_the_pod(spec, kind) for kind in ("requests", "limits")
    )
    return Resources(
        added(requests, overhead),
        {name: amount + overhead.get(name, 0) if amount else 0 for name, amount in limits.items()},
    )


def _containers(spec: Object, kind: str, without: Collection[str]) -> Iterator[tuple[Runs, Amounts]]:
    for container in spec.get("containers") or ():
        if container and container.get("name") not in without:
            yield Runs.BESIDE, amounts((container.get("resources") or {}).get(kind))
    for container in spec.get("initContainers") or ():
        if container and container.get("name") not in without:
            runs = Runs.NATIVE if container.get("restartPolicy") == "Always" else Runs.BEFORE
            yield runs, amounts((container.get("resources") or {}).get(kind))


def _of_the_pod(spec: Object, kind: str) -> dict[str, int]:
    """The resources of the pod as a whole (`spec.resources`), which count instead of those of its containers."""
    given = amounts((spec.get("resources") or {}).get(kind))
    return {name: amount for name, amount in given.items() if name in _FIRST or name.startswith("hugepages-")}
