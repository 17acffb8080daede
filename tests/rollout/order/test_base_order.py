import pytest

from sidecarctl.facts.values import Object
from sidecarctl.rollout.order.base_order import NO_TIME, BaseKey, base_key
from tests.rollout.manifests import simulated

EARLY, LATE = "2025-01-01T00:00:00Z", "2025-01-01T00:00:00.5Z"


def _key(spec: Object | None = None, status: Object | None = None, **metadata: str) -> BaseKey:
    return base_key(simulated({"metadata": metadata, "spec": spec or {}, "status": status or {}}))


def _ready(status: str = "True", time: str | None = None) -> Object:
    return {"conditions": [{"type": "Ready", "status": status, "lastTransitionTime": time}]}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_key(), _key({"nodeName": "n"})),
        (_key(status={"phase": "Pending"}), _key(status={"phase": "Unknown"})),
        (_key(status={"phase": "Odd"}), _key(status={"phase": "Unknown"})),
        (_key(status={"phase": "Unknown"}), _key(status={"phase": "Running"})),
        (_key(status=_ready("False")), _key(status=_ready())),
        (_key(status=_ready(time=LATE)), _key(status=_ready(time=EARLY))),
        (_key(status=_ready()), _key(status=_ready(time=LATE))),
        (
            _key(status={"containerStatuses": [{"restartCount": 1}, {"restartCount": 3}]}),
            _key(status={"containerStatuses": [{"restartCount": 2}, {}, {"restartCount": 2}]}),
        ),
        (_key(), _key(creationTimestamp=LATE)),
        (_key(creationTimestamp=LATE), _key(creationTimestamp=EARLY)),
        (
            _key(status={"phase": "Pending"}, creationTimestamp=EARLY),
            _key(status=_ready() | {"phase": "Running"}),
        ),
    ],
)
def test_which_goes_first(first: BaseKey, second: BaseKey) -> None:
    assert first < second


def test_the_time_of_a_condition_that_is_not_true_is_not_looked_at() -> None:
    assert _key(status=_ready("False", EARLY)) == _key(status=_ready("False", LATE))


@pytest.mark.parametrize("time", [None, "", "0001-01-01T00:00:00Z"])
def test_no_time(time: str | None) -> None:
    assert _key(status=_ready(time=time)).ready_since == NO_TIME


def test_restarts_of_native_sidecars_count_after_those_of_containers() -> None:
    spec = {"initContainers": [None, {"name": "native", "restartPolicy": "Always"}, {"name": "plain"}]}
    restarts = [None, {"name": "native", "restartCount": 2}, {"name": "plain", "restartCount": 9}]
    key = _key(spec, {"initContainerStatuses": restarts, "containerStatuses": [None, {"restartCount": 1}]})
    assert (key.restarts, key.native_sidecar_restarts) == (-1, -2)
    assert _key({"initContainers": [{"name": "plain"}]}, {"initContainerStatuses": restarts}) == _key()
