"""A sidecar's resources, computed at injection from the pod's own containers.

Source: docs/behavior/resources-policy.md.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.quantities import ZERO, Quantity, parse_quantity, sum_of
from sidecarctl.engine.facts.errors import impossible
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.sidecarset.expression_operands import ExpressionError
from sidecarctl.engine.sidecarset.expressions import evaluated, typos
from sidecarctl.engine.sidecarset.regex import RegexError, compile_re2
from sidecarctl.engine.sidecarset.sets import is_native_sidecar

_COMPUTED = (("limits", "cpu"), ("limits", "memory"), ("requests", "cpu"), ("requests", "memory"))
"""In this order; the first error rejects the pod."""


class Computation(NamedTuple):
    """One resource of a policy: `expression` over the aggregate of what the target containers have of it.

    `operands` has the value of each target container by name, None if it has none. `aggregate` and `result` are
    None for a limit that one of the targets does not have: it is not set.
    """

    kind: str
    resource: str
    expression: str
    mode: str
    operands: Mapping[str, Value]
    aggregate: Quantity | None
    result: Quantity | None


def computed_resources(policy: Object, pod_spec: Object, excluded: Collection[str], path: Path = ()) -> Object:
    """The `resources` that a resourcesPolicy gives in a pod; empty if it sets none.

    `excluded` are the names of all containers and initContainers of all sets that apply, `path` is that of
    the policy. ImpossibleError if the pod is to be rejected. The pod must have passed `decoding.check`.
    """
    result: Object = {}
    for computation in computations(policy, pod_spec, excluded, path):
        if computation.result is not None:
            result.setdefault(computation.kind, {})[computation.resource] = str(computation.result)
    return result


def computations(
    policy: Object, pod_spec: Object, excluded: Collection[str], path: Path = ()
) -> Iterator[Computation]:
    """How each resource with an expression in a resourcesPolicy is computed (see `computed_resources`)."""
    targets = _targets(policy, pod_spec, excluded, path)
    for kind, resource in _COMPUTED:
        if expression := _expression(policy, kind, resource):
            given = [_given(target, kind, resource) for target in targets]
            aggregate = _aggregate(policy, given, kind, path)
            where = (*path, "resourcesExpr", kind, resource)
            result = None if aggregate is None else _evaluated(expression, aggregate, where)
            operands = dict(zip((target.get("name") or "" for target in targets), given, strict=True))
            mode = policy.get("targetContainersMode", "")
            yield Computation(kind, resource, expression, mode, operands, aggregate, result)


def policy_typos(policy: Object, path: Path = ()) -> Iterator[Finding]:
    """A warning for each token of the policy's expressions that counts as 0, most likely by mistake."""
    for kind, resource in _COMPUTED:
        expression = _expression(policy, kind, resource)
        if expression:
            yield from typos(expression, (*path, "resourcesExpr", kind, resource))


def _expression(policy: Object, kind: str, resource: str) -> str:
    expressions = policy.get("resourcesExpr", {}).get(kind, {})
    return str(expressions.get(resource, ""))


def _targets(policy: Object, pod_spec: Object, excluded: Collection[str], path: Path) -> list[Object]:
    regex = policy.get("targetContainersNameRegex", "")
    try:
        search = compile_re2(regex).search
    except RegexError as error:
        place = (*path, "targetContainersNameRegex")
        raise impossible(Reason.BAD_REGEX, f'invalid pattern "{regex}": {error}', place) from error
    init_containers = filter(is_native_sidecar, _containers(pod_spec, "initContainers"))
    candidates = [*init_containers, *_containers(pod_spec, "containers")]
    names = [(container.get("name") or "", container) for container in candidates]
    targets = [container for name, container in names if name not in excluded and search(name)]
    if not targets:
        raise impossible(Reason.NO_TARGET_CONTAINER, f'no container of the pod matches the pattern "{regex}"', path)
    return targets


def _containers(pod_spec: Object, field: str) -> list[Object]:
    return [container or {} for container in pod_spec.get(field) or ()]


def _given(container: Object, kind: str, resource: str) -> Value:
    """A limit or request of a container, None if it is absent; a null one is 0, as to Go's decoder."""
    quantities = (container.get("resources") or {}).get(kind) or {}
    return "0" if resource in quantities and quantities[resource] is None else quantities.get(resource)


def _aggregate(policy: Object, given: list[Value], kind: str, path: Path) -> Quantity | None:
    """The aggregate of one resource; None for a limit that one of the targets does not have."""
    if kind == "limits" and None in given:
        return None
    quantities = [ZERO if value is None else parse_quantity(value) for value in given]
    mode = policy.get("targetContainersMode", "")
    if mode == "max":
        return max(quantities, key=lambda quantity: quantity.nanos)
    if mode == "sum":
        return _sum(quantities)
    place = (*path, "targetContainersMode")
    raise impossible(Reason.UNKNOWN_MODE, f'unknown mode "{mode}": expected sum or max', place)


def _sum(quantities: list[Quantity]) -> Quantity:
    total = Quantity(0)
    for quantity in quantities:
        total = sum_of(total, quantity)
    return total


def _evaluated(expression: str, aggregate: Quantity, path: Path) -> Quantity | None:
    try:
        return evaluated(expression, aggregate)
    except ExpressionError as error:
        raise impossible(Reason.BAD_EXPRESSION, f'"{expression}": {error}', path) from error
