"""Our own check of the documents that are read back says what jsonschema says by the same schemas."""

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, validators

from sidecarctl.engine.api.schema_checks import schema_check
from sidecarctl.engine.facts.values import Object, Value, path_text
from sidecarctl.engine.files.fixed_files import shipped_schema
from tests.effort import share
from tests.fuzz.commands import plan_of_two_pods
from tests.fuzz.node_mutations import with_mutated_nodes
from tests.krm.calls import SET, injection

READ_BACK = ("SidecarInjection", "RolloutPlan", "ValidationBaseline")
_WHOLE = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
_extend: Any = validators.extend  # it has no types
STRICT = _extend(Draft202012Validator, type_checker=_WHOLE)
"""A number with a point is no whole number here, though JSON Schema takes 1.0 for one."""
FINDING = {"subject": "SidecarSet a", "rule": "image-without-tag", "message": "no tag", "count": 2}


@cache
def sound(kind: str) -> Object:
    options = {
        "only": ["a"],
        "seed": -1,
        "templatePaths": {"Game": "spec.template"},
        "featureGates": {},
        "strict": True,
    }
    match kind:
        case "RolloutPlan":
            return plan_of_two_pods()
        case "SidecarInjection":
            return injection(mode="check", paths=["a"], sidecarSets=[SET], options=options)
    head = {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": kind}
    return {**head, "findings": {"0123456789abcdef": FINDING, "f123456789abcdef": {"count": 1}}}


@pytest.mark.parametrize("kind", READ_BACK)
@given(seed=st.integers(0, 2**32))
@share(300)
def test_what_jsonschema_refuses_is_refused_and_nothing_else(kind: str, seed: int) -> None:
    schema = shipped_schema(kind)
    validator = STRICT(schema)
    chance = random.Random(seed)  # noqa: S311 - the same document each time
    document: Value = sound(kind) if seed == 0 else with_mutated_nodes(sound(kind), chance)
    problems = schema_check(schema)(document)
    assert bool(problems) == (not validator.is_valid(document))
    told = {problem.path for problem in problems}
    for error in validator.iter_errors(document):
        path = tuple(error.absolute_path)
        assert any(path == item[: len(path)] for item in told), f"{path_text(path)}: {error.message}"


def test_an_unknown_keyword_is_not_silently_ignored() -> None:
    with pytest.raises(KeyError, match="maxItems"):
        schema_check({"type": "array", "maxItems": 3})


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "string"}, 5, "expected a string, got the number 5"),
        ({"type": ["integer", "null"]}, 1.0, "expected a whole number, got the number 1"),
        ({"enum": ["a", "b", "c"]}, "d", 'expected a, b or c, got the string "d"'),
        ({"enum": ["inject", "check"]}, "chek", 'got the string "chek" (did you mean check?)'),
        ({"type": "integer", "minimum": 2}, 1, "expected a number of at least 2, got the number 1"),
        ({"type": "string", "pattern": "^a+$"}, "b", 'expected a string like ^a+$, got the string "b"'),
        ({"type": "string", "minLength": 1, "title": "a path"}, "", 'expected a path, got the string ""'),
        ({"type": "array", "minItems": 1}, [], "expected at least 1 item, got a list"),
        ({"required": ["a"]}, {}, "a is missing"),
        ({"properties": {"only": {}}, "additionalProperties": False}, {"onyl": 1}, "did you mean only?"),
        ({"type": "string", "format": "date-time"}, "2026-13-01T00:00:00Z", "expected a time in RFC 3339"),
    ],
)
def test_what_is_said(schema: Object, value: Value, said: str) -> None:
    [problem] = schema_check(schema)(value)
    assert said in (f"{problem.message} ({problem.hint})" if problem.hint else problem.message)
