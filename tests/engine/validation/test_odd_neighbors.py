"""Other objects in the pods' namespaces come from any file and may have any shape; they must not end the run."""

from collections.abc import Iterator

import pytest

from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.validation.checking import check
from tests.engine.validation.examples import given_by
from tests.engine.validation.neighbors import agent, deployment, limit_range, scaler, service, share_of
from tests.engine.validation.test_allowances import quota

ODD: tuple[Value, ...] = (
    None,
    True,
    -5,
    0.5,
    "x",
    "",
    [],
    {},
    [5],
    ["x"],
    [None],
    {"x": None},
    {"x": [1]},
    [{"x": "y"}],
)
SELECTOR = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}
OBJECTS = {
    "Service": service("http"),
    "LimitRange": limit_range(
        default={"cpu": "1"}, max={"cpu": "2"}, min={"cpu": "1m"}, maxLimitRequestRatio={"cpu": "2"}
    ),
    "ResourceQuota": quota({"limits.cpu": "1"}, scopes=["NotTerminating"], scopeSelector=SELECTOR),
    "HorizontalPodAutoscaler": scaler(share_of("cpu"), share_of("memory", "main")),
}


def paths_in(value: Value) -> Iterator[Path]:
    """The path of each value in a value."""
    yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from ((step, *path) for path in paths_in(item))


def replaced(value: Value, path: Path, new: Value) -> Value:
    """A value with another one at a path."""
    if not path:
        return new
    step, inner = path[0], replaced(value[path[0]], path[1:], new)
    if isinstance(value, list):
        return [inner if index == step else item for index, item in enumerate(value)]
    return {**value, step: inner}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_of_any_shape_end_no_run(kind: str) -> None:
    given = OBJECTS[kind]
    for path in paths_in(given["spec"]):
        for odd in ODD:
            neighbor: Object = {**given, "spec": replaced(given["spec"], path, odd)}
            check(given_by([agent(), neighbor, deployment({"limits": {"cpu": "1"}})]))
