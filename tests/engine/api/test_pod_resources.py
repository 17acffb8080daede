"""What the scheduler counts for a pod: random pods compared with the formula of k8s.io/component-helpers.

`pod_resources/main.go` made the pods and recorded what it says; `go run . > recorded.jsonl` there records again.
"""

import json
from pathlib import Path

from sidecarctl.engine.api.pod_resources import Resources, amount_text, amounts, resources_of
from sidecarctl.engine.facts.values import Object

_RECORDING = Path(__file__).parent / "pod_resources" / "recorded.jsonl"
RECORDED = [json.loads(line) for line in _RECORDING.read_text().splitlines()]


def recorded(total: Object) -> Resources:
    return Resources(amounts(total["requests"]), amounts(total["limits"]))


def test_pods_with_and_without_sidecars_count_as_the_scheduler_counts_them() -> None:
    for case in RECORDED:
        assert resources_of(case["spec"]) == recorded(case["all"]), case
        assert resources_of(case["spec"], case["sidecars"]) == recorded(case["without"]), case


def test_the_recorded_pods_have_all_that_the_formula_looks_at() -> None:
    specs = [case["spec"] for case in RECORDED]
    init = [item for spec in specs for item in spec.get("initContainers") or ()]
    assert sum(item.get("restartPolicy") == "Always" for item in init) > 60
    assert sum("restartPolicy" not in item for item in init) > 60
    assert sum(bool(spec.get("overhead")) for spec in specs) > 20
    assert sum(bool(spec.get("resources")) for spec in specs) > 20
    assert sum(bool(case["sidecars"]) for case in RECORDED) > 120


def test_the_cost_of_sidecars_is_what_the_pod_would_count_less_without_them() -> None:
    spec = {
        "initContainers": [
            {"name": "setup", "resources": {"requests": {"cpu": "2"}}},
            {"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}},
        ],
        "containers": [{"name": "app", "resources": {"requests": {"cpu": "1"}}}],
    }
    # setup alone needs more than all that runs afterward: the sidecar costs nothing
    assert (resources_of(spec) - resources_of(spec, ["proxy"])).requests == {"cpu": 0}
    # without setup, it adds up
    spec["initContainers"] = spec["initContainers"][1:]
    assert (resources_of(spec) - resources_of(spec, ["proxy"])).requests == {"cpu": 10**8}


def test_amounts_as_kubernetes_writes_them() -> None:
    found = amounts({"cpu": "1500m", "memory": "36Gi", "example.com/gpu": 2, "wrong": "x"})
    assert {name: amount_text(name, amount) for name, amount in found.items()} == {
        "cpu": "1500m",
        "memory": "36Gi",
        "example.com/gpu": "2",
    }
