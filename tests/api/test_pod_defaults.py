"""What the API server fills into a pod's resources."""

from copy import deepcopy

from sidecarctl.api.pod_defaults import with_resource_defaults
from sidecarctl.facts.values import Object


def test_absent_requests_are_taken_from_limits_and_all_is_rounded_up_to_milli() -> None:
    spec: Object = {
        "initContainers": [{"name": "setup", "resources": {"limits": {"cpu": 1}}}],
        "containers": [
            {
                "name": "a",
                "resources": {"limits": {"cpu": "0.5", "memory": "1Gi"}, "requests": {"cpu": "100u"}},
            },
            {"name": "b", "resources": {"requests": {"cpu": "1", "memory": None}, "limits": None}},
            {"name": "c"},
            {"name": "d", "resources": None},
            None,
        ],
    }
    before = deepcopy(spec)
    filled = with_resource_defaults(spec)
    assert filled["initContainers"] == [
        {"name": "setup", "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}}
    ]
    assert filled["containers"] == [
        {
            "name": "a",
            "resources": {
                "limits": {"cpu": "500m", "memory": "1Gi"},
                "requests": {"cpu": "1m", "memory": "1Gi"},
            },
        },
        {"name": "b", "resources": {"limits": {}, "requests": {"cpu": "1"}}},
        {"name": "c"},
        {"name": "d", "resources": None},
        None,
    ]
    assert spec == before
    assert with_resource_defaults({"containers": None}) == {"containers": None}
