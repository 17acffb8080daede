"""What the API server fills into a pod's resources before any webhook sees the pod.

Source: docs/behaviour/resources-policy.md, "Targets": containers as the API server hands them to the webhook.
"""

from sidecarctl.api.quantities import parse_quantity, rounded_up_to_milli
from sidecarctl.facts.values import Object, Value


def with_resource_defaults(pod_spec: Object) -> Object:
    """The pod spec with requests that are absent taken from limits, and nothing finer than 1m.

    The pod must have passed `decoding.check`. It is a view to compute from, not to be written.
    """
    lists = {name: pod_spec[name] for name in ("initContainers", "containers") if pod_spec.get(name)}
    return pod_spec | {name: [_with_requests(container) for container in lists[name]] for name in lists}


def _with_requests(container: Object | None) -> Object | None:
    resources = container and container.get("resources")
    if not container or not resources:
        return container
    limits, requests = _rounded_up(resources.get("limits")), _rounded_up(resources.get("requests"))
    return container | {"resources": resources | {"limits": limits, "requests": limits | requests}}


def _rounded_up(quantities: Value) -> Object:
    given = {name: value for name, value in (quantities or {}).items() if value is not None}
    return {name: str(rounded_up_to_milli(parse_quantity(value))) for name, value in given.items()}
