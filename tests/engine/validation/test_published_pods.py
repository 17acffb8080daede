"""Pods that the API server's own admission tests pass or fail, by our rules for what a sidecar can bring."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.pods.pod_security import (
    Level,
    PodContext,
    container_violations,
    pod_violations,
    volume_violations,
)

PODS = [
    json.loads(line) for line in (Path(__file__).parent / "pod_security" / "fixtures.jsonl").read_text().splitlines()
]


BY_ANNOTATION = {f"apparmorprofile{number}" for number in (0, 1)}
"""Pods that fail by an annotation, which is not among the fixtures."""


def violations(level: Level, spec: Object) -> int:
    pod = PodContext.of(spec)
    containers = [*spec["containers"], *spec.get("initContainers", ())]
    of_containers = sum(len(list(container_violations(container, level, pod))) for container in containers)
    of_containers += len(list(pod_violations(spec, level)))
    return of_containers + sum(len(list(volume_violations(volume, level))) for volume in spec.get("volumes", ()))


@pytest.mark.parametrize("fixture", PODS, ids=["-".join((pod["level"], pod["verdict"], pod["name"])) for pod in PODS])
def test_the_verdict_is_that_of_the_api_server(fixture: Object) -> None:
    level: Level = fixture["level"]
    fails = fixture["verdict"] == "fail" and fixture["name"] not in BY_ANNOTATION
    assert bool(violations(level, fixture["spec"])) == fails


def test_every_kind_of_fixture_is_among_them() -> None:
    assert len(PODS) == 128
    assert of_names("fail") >= {
        "capabilities_restricted",
        "hostports",
        "procmount",
        "restrictedvolumes",
        "runasnonroot",
    }


def of_names(verdict: str) -> set[str]:
    return {pod["name"].rstrip("0123456789") for pod in PODS if pod["verdict"] == verdict}
