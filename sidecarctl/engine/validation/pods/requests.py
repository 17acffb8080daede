"""The effective requests and limits of a pod's containers, and their effect on the pod.

The API server takes absent requests from limits, then a LimitRange fills in its defaults, also for what a webhook
added: https://kubernetes.io/docs/concepts/policy/limit-range/
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.pod_resources import Amounts, Resources, Runs, amounts, total_of
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.validation.pods.pairs import LISTS, Beside, Caused, Container, Pair, mapping, objects
from sidecarctl.engine.validation.rules import Rule, warned

WITH_RESOURCES = "containers: [{{name: agent, image: 'agent:1.2', resources: {sidecar}}}]"
LIMITED = "spec: {{containers: [{{name: main, image: 'main:1', resources: {{limits: {{cpu: 500m, memory: 1Gi}}}}}}]}}"
"""Parts of examples: a sidecar with resources, and an app with limits."""

_STREAM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:1.2', resources: {sidecar}}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: web, namespace: shop}}
spec:
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}
  maxReplicas: 9
  metrics: [{{type: Resource, resource: {{name: cpu, target: {{type: Utilization, averageUtilization: 60}}}}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: main, image: 'main:1', resources: {{limits: {{cpu: '1', memory: 1Gi}}}}}}]}}
"""

QOS = warned(
    "qos-changed",
    "Pod that is no longer Guaranteed",
    "A sidecar leaves a pod of QoS class Guaranteed Guaranteed.",
    why="Guaranteed needs limits for cpu and memory in every container, and requests equal to them. A Burstable pod "
    "is evicted earlier, and has no CPUs of its own under the static CPU policy.",
    mend="give the sidecar limits for cpu and memory, and no other requests",
    source="https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/",
    within="stream",
    fails=_STREAM.format(sidecar="{requests: {cpu: 100m}, limits: {cpu: 200m, memory: 64Mi}}"),
    passes=_STREAM.format(sidecar="{limits: {cpu: 200m, memory: 64Mi}}"),
)
HPA = Rule(
    "hpa-request",
    "Autoscaler without a metric",
    "A sidecar has a request for what a HorizontalPodAutoscaler scales its pods by.",
    why="Utilization is a share of the requests: if one container has no request, the autoscaler has no metric for "
    "the pods, and no longer scales them.",
    mend="write the request into the sidecar, or let the autoscaler look at the app, by type ContainerResource",
    source="https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
    within="stream",
    fails=_STREAM.format(sidecar="{requests: {memory: 64Mi}}"),
    passes=_STREAM.format(sidecar="{requests: {cpu: 100m}}"),
)


class Needs(NamedTuple):
    """A container with the requests and limits that it ends up with."""

    container: Container
    requests: Amounts
    limits: Amounts


def needs_of(containers: Iterable[Container], ranges: Sequence[Object]) -> list[Needs]:
    """What containers end up with in a namespace with some LimitRanges."""
    limits, requests = _defaults(ranges)
    filled = ((container, _filled(container.value, limits, requests)) for container in containers)
    return [Needs(container, amounts(given["requests"]), amounts(given["limits"])) for container, given in filled]


def resources_in(spec: Object, ranges: Sequence[Object]) -> dict[tuple[str, int], Object]:
    """The resources that the containers of a pod end up with, by list and index."""
    limits, requests = _defaults(ranges)
    return {
        (field, index): _filled(container, limits, requests)
        for field in LISTS
        for index, container in enumerate(spec.get(field) or ())
    }


def _filled(container: Object, limits: Object, requests: Object) -> Object:
    resources = container.get("resources") or {}
    own = resources.get("limits") or {}
    return {
        **resources,
        "limits": {**limits, **own},
        "requests": {**requests, **own, **(resources.get("requests") or {})},
    }


def items_of(ranges: Iterable[Object], kind: str) -> Iterator[Object]:
    """The items of LimitRanges for containers or pods."""
    for found in ranges:
        yield from (item for item in objects(mapping(found.get("spec")).get("limits")) if item.get("type") == kind)


def _defaults(ranges: Sequence[Object]) -> tuple[Object, Object]:
    """The limits and requests that LimitRanges give to containers without.

    In one LimitRange the last item decides; of several, which Kubernetes takes in no certain order, the first.
    """
    limits: Object = {}
    requests: Object = {}
    for found in ranges:
        own_limits: Object = {}
        own_requests: Object = {}
        for item in items_of([found], "Container"):
            of_limits = {**_sound(item.get("max")), **_sound(item.get("default"))}
            own_limits |= of_limits
            own_requests |= {**_sound(item.get("min")), **of_limits, **_sound(item.get("defaultRequest"))}
        limits, requests = {**own_limits, **limits}, {**own_requests, **requests}
    return limits, requests


def _sound(value: Value) -> Object:
    """The members of an object that are quantities."""
    given = mapping(value)
    return {name: "0" if given[name] is None else given[name] for name in amounts(given)}


def totals_of(needs: Sequence[Needs]) -> Resources:
    """The sum over what runs side by side, or an init container and the native sidecars before it, if more."""
    return Resources(
        _total((item.container, item.requests) for item in needs),
        _total((item.container, item.limits) for item in needs),
    )


def _total(given: Iterable[tuple[Container, Amounts]]) -> Amounts:
    return total_of((_runs(container), own) for container, own in given)


def _runs(container: Container) -> Runs:
    if container.field == "containers":
        return Runs.BESIDE
    return Runs.NATIVE if container.runs_on else Runs.BEFORE


def is_best_effort(needs: Iterable[Needs]) -> bool:
    """Whether no container of a pod asks for cpu or memory."""
    return not any(each.get(name) for item in needs for each in (item.requests, item.limits) for name in _COMPUTED)


def request_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """A QoS class that is lost, and autoscalers without a metric."""
    ranges = beside.of("LimitRange", pair.namespace)
    alone, now = needs_of(pair.app, ranges), needs_of(pair.all, ranges)
    yield from _no_longer_guaranteed(pair, alone, now)
    for scaler in beside.of("HorizontalPodAutoscaler", pair.namespace):
        if _scales(mapping(mapping(scaler.get("spec")).get("scaleTargetRef")), pair):
            yield from _without_metric(pair, scaler, alone, now)


_COMPUTED = ("cpu", "memory")


def _no_longer_guaranteed(pair: Pair, alone: Sequence[Needs], now: Sequence[Needs]) -> Iterator[Caused]:
    of_the_pod = pair.spec.get("resources") or {}
    if of_the_pod or not all(map(_is_guaranteed, alone)):
        return  # pod-level resources decide alone
    for item in now:
        if item.container.set_name and not _is_guaranteed(item):
            message = f"the pod is Burstable with {item.container.title}, and Guaranteed without it"
            yield pair.cause(item.container, ("resources",), QOS.at((), message))


def _is_guaranteed(item: Needs) -> bool:
    """Whether a container has limits for both, above 0, and requests equal to them."""
    return all(0 < item.limits.get(name, 0) == item.requests.get(name) for name in _COMPUTED)


def _scales(target: Object, pair: Pair) -> bool:
    workload = pair.given.template.workload if pair.given.template else None
    if workload is None or (target.get("kind"), target.get("name")) != (workload.kind, workload.name):
        return False
    group, _, _ = str(target.get("apiVersion") or workload.api_version).rpartition("/")
    return group == workload.api_version.rpartition("/")[0]


def _without_metric(pair: Pair, scaler: Object, alone: Sequence[Needs], now: Sequence[Needs]) -> Iterator[Caused]:
    name = f"{pair.namespace}/{mapping(scaler.get('metadata')).get('name')}"
    for resource, only in dict.fromkeys(_utilizations(scaler)):
        if not only and not all(resource in item.requests for item in alone if item.container.runs_on):
            continue  # without the sidecar, there is no metric either
        for item in now:
            container = item.container
            is_counted = container.runs_on and only in {"", container.name}
            if is_counted and container.set_name and resource not in item.requests:
                message = f"HorizontalPodAutoscaler {name} has no {resource} metric: {container.title} has no request"
                yield pair.cause(container, ("resources",), HPA.at((), message))


def _utilizations(scaler: Object) -> Iterator[tuple[str, str]]:
    """The resources whose utilization an autoscaler aims at, each with its container, if it names one."""
    spec = mapping(scaler.get("spec"))
    metrics = objects(spec.get("metrics"))
    annotations = mapping(mapping(scaler.get("metadata")).get("annotations"))
    if not metrics and "autoscaling.alpha.kubernetes.io/metrics" not in annotations:
        yield "cpu", ""  # 80 % of it by default, or targetCPUUtilizationPercentage of v1
    for metric in metrics:
        source = {"Resource": "resource", "ContainerResource": "containerResource"}.get(str(metric.get("type")))
        given = mapping(metric.get(source)) if source else {}
        of_beta = given.get("targetAverageUtilization")  # of v2beta1
        if of_beta is not None or mapping(given.get("target")).get("type") == "Utilization":
            yield str(given.get("name")), str(given.get("container") or "") if source == "containerResource" else ""
