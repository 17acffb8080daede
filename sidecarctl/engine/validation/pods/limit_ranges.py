"""Checks the pods of a namespace, with and without their sidecars, against its LimitRanges.

Source: https://kubernetes.io/docs/concepts/policy/limit-range/
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.api.pod_resources import Amounts, amount_text, amounts
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.pods.matched import stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Container, Pair, mapping
from sidecarctl.engine.validation.pods.requests import LIMITED, WITH_RESOURCES, Needs, items_of, needs_of, totals_of
from sidecarctl.engine.validation.rules import Rule

_STREAM = stream(
    WITH_RESOURCES,
    """\
apiVersion: v1
kind: LimitRange
metadata: {{name: cores, namespace: shop}}
spec: {{limits: [{{type: Container, max: {{cpu: '1'}}}}]}}
""",
    pod=LIMITED,
)
RANGE = Rule(
    "limit-range",
    "Sidecar outside a LimitRange",
    "A sidecar keeps to the LimitRanges of the namespace.",
    why="The API server rejects a pod whose containers, or which as a whole, are below the minimum, above the "
    "maximum or beyond the ratio of a LimitRange, after its defaults.",
    mend="change the resources of the sidecar, or the LimitRange",
    source="https://kubernetes.io/docs/concepts/policy/limit-range/",
    within="stream",
    fails=_STREAM.format(sidecar="{limits: {cpu: '2'}}"),
    passes=_STREAM.format(sidecar="{}"),
)


def range_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """What the LimitRanges of the namespace reject in the injected pod."""
    ranges = beside.of("LimitRange", pair.namespace)
    alone, now = (needs_of(each, ranges) if ranges else [] for each in (pair.app, pair.all))
    for found in ranges:
        yield from _outside(pair, found, alone, now)


Bound = tuple[str, str, str]
"""A resource, which bound of a LimitRange is violated, and the sentence."""


def _outside(pair: Pair, found: Object, alone: Sequence[Needs], now: Sequence[Needs]) -> Iterator[Caused]:
    name = f"LimitRange {pair.namespace}/{mapping(found.get('metadata')).get('name')}"
    for item in items_of([found], "Container"):
        for need in now:
            if need.container.set_name:
                for _, kind, said in _violations(item, need.requests, need.limits):
                    message = f"the API server rejects the pod: {need.container.title} has {said} ({kind} of {name})"
                    yield pair.cause(need.container, ("resources",), RANGE.at((), message))
    before, after = totals_of(alone), totals_of(now)
    for item in items_of([found], "Pod"):
        known = {bound[:2] for bound in _violations(item, before.requests, before.limits)}
        for resource, kind, said in _violations(item, after.requests, after.limits):
            if (resource, kind) not in known:
                message = (
                    f"the API server rejects the pod: with its sidecars it has {said} ({kind} of {name} for pods)"
                )
                yield pair.cause(largest(now, resource), ("resources",), RANGE.at((), message))


def largest(now: Sequence[Needs], resource: str) -> Container:
    """The sidecar that requests most of a resource."""
    sidecars = [item for item in now if item.container.set_name]
    most = max(sidecars, key=lambda item: max(item.requests.get(resource, 0), item.limits.get(resource, 0)))
    return most.container


def _violations(item: Object, requests: Amounts, limits: Amounts) -> Iterator[Bound]:
    for name, least in amounts(item.get("min")).items():
        if said := _below(name, least, requests, limits):
            yield name, "min", said
    for name, most in amounts(item.get("max")).items():
        if said := _above(name, most, requests, limits):
            yield name, "max", said
    for name, ratio in amounts(item.get("maxLimitRequestRatio")).items():
        if said := _beyond(name, ratio, requests.get(name, 0), limits.get(name, 0)):
            yield name, "maxLimitRequestRatio", said


def _below(name: str, least: int, requests: Amounts, limits: Amounts) -> str:
    if name not in requests:
        return f"no {name} request"
    for kind, given in (("request", requests), ("limit", limits)):
        if given.get(name, least) < least:
            return f"a {name} {kind} of {amount_text(name, given[name])}, below {amount_text(name, least)}"
    return ""


def _above(name: str, most: int, requests: Amounts, limits: Amounts) -> str:
    if name not in limits:
        return f"no {name} limit"
    for kind, given in (("limit", limits), ("request", requests)):
        if given.get(name, most) > most:
            return f"a {name} {kind} of {amount_text(name, given[name])}, above {amount_text(name, most)}"
    return ""


def _beyond(name: str, ratio: int, request: int, limit: int) -> str:
    if not request or not limit:
        return f"no {name} {'limit' if request else 'request'}"
    if limit * _UNIT > ratio * request:
        return f"a {name} limit {limit / request:g} times its request, above {amount_text('', ratio)}"
    return ""


_UNIT = 10**9
