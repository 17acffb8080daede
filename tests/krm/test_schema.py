"""The shipped schema says the same as the program."""

import json
from pathlib import Path

import jsonschema
import pytest

from sidecarctl.engine.config import read_sidecar_injection, settings
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.feature_gates import GATES, OTHERS
from tests.krm.calls import SET, injection

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "sidecar-injection.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
GOOD: list[Object] = [
    {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": "SidecarInjection"},
    *(injection(mode=mode) for mode in settings()["mode"]["enum"]),
    injection(mode=None, paths=None, sidecarSets=None, options=None),
    injection(paths=["a"], sidecarSets=[SET], options={"only": ["a"], "namespace": "b", "seed": -1, "strict": True}),
    injection(options={"featureGates": dict.fromkeys([*GATES, *OTHERS], True), "timestamp": "2026-01-01T00:00:00Z"}),
    injection(options={"templatePaths": {"Game": "spec.template"}, "revisionFrom": ["a"], "recursive": False}),
    injection(options={"trustAnnotatedHash": True, "force": None, "allowEmpty": True}),
]
BAD: list[Object] = [
    {"kind": "SidecarInjection", "apiVersion": "v1"},
    injection(mode="injekt"),
    injection(modes="inject"),
    injection(paths=["-"]),
    injection(paths=[""]),
    injection(paths="a"),
    injection(sidecarSets=[{"kind": "Pod"}]),
    injection(options={"seed": "5"}),
    injection(options={"seed": True}),
    injection(options={"only": [1]}),
    injection(options={"featureGates": {"Other": True}}),
    injection(options={"strict": "true"}),
    {**injection(), "spec": []},
    {**injection(), "metadata": "x"},
    {**injection(), "more": 1},
]


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize("manifest", GOOD)
def test_both_take(manifest: Object) -> None:
    VALIDATOR.validate(manifest)
    read_sidecar_injection(manifest)


@pytest.mark.parametrize("manifest", BAD)
def test_both_refuse(manifest: Object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(manifest)
    with pytest.raises(InputError):
        read_sidecar_injection(manifest)
