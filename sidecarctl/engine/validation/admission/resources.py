"""resources and resizePolicy of a container.

Source: docs/behavior/validation.md, "Containers".
"""

from collections.abc import Iterator

from sidecarctl.engine.api.quantities import Quantity, milli_value, parse_quantity
from sidecarctl.engine.api.text_forms import is_qualified_name
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.validation.rules import kubernetes

_HUGE_PAGES = "hugepages-"
_KINDS = ("limits", "requests")
_PLAIN = ("cpu", "memory")
_STANDARD = (*_PLAIN, "ephemeral-storage")

NAME = kubernetes(
    "resource-name",
    "Unknown resource",
    "A resource is cpu, memory, ephemeral-storage or hugepages-SIZE, or has a domain, such as example.com/gpu.",
    why="The scheduler counts no other resources.",
    mend="write the resource's full name",
    fails="resources: {limits: {gpu: '1'}}",
    passes="resources: {limits: {example.com/gpu: '1'}}",
)
VALUE = kubernetes(
    "resource-value",
    "Invalid quantity of a resource",
    "A quantity is not negative; for a resource with a domain, it is a whole number.",
    why="No other quantity can be allocated.",
    mend="write a whole number, 0 or more; for cpu and memory also 100m or 64Mi",
    fails="resources: {limits: {example.com/gpu: 500m}}",
    passes="resources: {limits: {example.com/gpu: '1'}}",
)
REQUEST = kubernetes(
    "resource-request",
    "Request that its limit does not allow",
    "A request is not above its limit; a request of huge pages or of a resource with a domain equals it.",
    why="The limit is the most that a container can use; resources with a domain cannot be overcommitted.",
    mend="lower the request, or raise the limit",
    fails="resources: {limits: {cpu: 100m}, requests: {cpu: 200m}}",
    passes="resources: {limits: {cpu: 200m}, requests: {cpu: 100m}}",
)
HUGE_PAGES = kubernetes(
    "huge-pages",
    "Huge pages without cpu or memory",
    "Huge pages need cpu or memory too.",
    why="Otherwise the pod's quality of service is undefined.",
    mend="add a limit or request of cpu or memory",
    fails="resources: {limits: {hugepages-2Mi: 4Mi}}",
    passes="resources: {limits: {hugepages-2Mi: 4Mi, memory: 64Mi}}",
)
CLAIM = kubernetes(
    "resource-claim",
    "Resource claim of a sidecar",
    "A sidecar has no resource claims.",
    why="A SidecarSet cannot declare resourceClaims, so a claim has nothing to refer to.",
    mend="delete resources.claims",
    fails="resources: {claims: [{name: gpu}]}",
    passes="resources: {limits: {example.com/gpu: '1'}}",
)
RESIZE = kubernetes(
    "resize-policy",
    "Invalid resizePolicy",
    "resizePolicy has cpu and memory at most once each, with NotRequired or RestartContainer; "
    "initContainers have none.",
    why="Only these two can be changed while a container is running.",
    mend="write [{resourceName: cpu, restartPolicy: NotRequired}], and nothing in initContainers",
    fails="resizePolicy: [{resourceName: cpu, restartPolicy: Never}]",
    passes="resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]",
)


def resource_findings(container: Object, path: Path) -> Iterator[Finding]:
    """Errors in the resources of a container."""
    resources = container.get("resources", {})
    where = (*path, "resources")
    limits, requests = (
        {name: parse_quantity(text) for name, text in resources.get(kind, {}).items()} for kind in _KINDS
    )
    for kind, given in zip(_KINDS, (limits, requests), strict=True):
        for name, quantity in given.items():
            yield from _resource(name, quantity, (*where, kind, name))
    for name, quantity in requests.items():
        yield from _request(name, quantity, limits.get(name), where)
    names = {*limits, *requests}
    if any(name.startswith(_HUGE_PAGES) for name in names) and names.isdisjoint(_PLAIN):
        yield HUGE_PAGES.at(where, "huge pages without cpu or memory")
    for index, claim in enumerate(resources.get("claims", ())):
        yield CLAIM.at((*where, "claims", index), f'resource claim "{claim.get("name", "")}" not found')
        if request := claim.get("request", ""):
            message = f'the claim that "{request}" is a part of does not exist'
            yield CLAIM.at((*where, "claims", index, "request"), message)


def _resource(name: str, quantity: Quantity, path: Path) -> Iterator[Finding]:
    if not _is_name(name):
        yield NAME.at(path, f'"{name}" is not a resource of containers')
    if quantity.nanos < 0:
        yield VALUE.at(path, f"{quantity} is negative")
    elif _is_extended(name) and milli_value(quantity) % 1000:
        yield VALUE.at(path, f"{quantity} is not a whole number")


def _is_name(name: str) -> bool:
    if not is_qualified_name(name):
        return False
    if "/" not in name:
        return name in _STANDARD or name.startswith(_HUGE_PAGES)
    return _is_native(name) or _is_extended(name)


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    return not _is_native(name) and not name.startswith("requests.") and is_qualified_name(f"requests.{name}")


def _request(name: str, request: Quantity, limit: Quantity | None, path: Path) -> Iterator[Finding]:
    shared = _is_native(name) and not name.startswith(_HUGE_PAGES)
    if limit is None:
        if not shared:
            yield REQUEST.at(
                (*path, "limits"), f"the request of {name} needs a limit", f"write limits: {{{name}: {request}}}"
            )
    elif request.nanos > limit.nanos:
        yield REQUEST.at((*path, "requests", name), f"the request {request} is above the limit {limit}")
    elif request.nanos != limit.nanos and not shared:
        yield REQUEST.at((*path, "requests", name), f"the request {request} must equal the limit {limit}")


def resize_findings(container: Object, path: Path, *, is_init: bool) -> Iterator[Finding]:
    """Errors in the resizePolicy of a container."""
    policies = container.get("resizePolicy", ())
    where = (*path, "resizePolicy")
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        name, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if name in seen:
            yield RESIZE.at((*where, index), f"{name} is listed twice")
        seen.add(name)
        if name not in _PLAIN:
            yield RESIZE.at((*where, index, "resourceName"), f'"{name}" is neither cpu nor memory')
        if restart not in {"NotRequired", "RestartContainer"}:
            yield RESIZE.at((*where, index, "restartPolicy"), f'unknown restartPolicy "{restart}"')
    if policies and is_init:
        yield RESIZE.at(where, "an initContainer has no resizePolicy", "delete it")
