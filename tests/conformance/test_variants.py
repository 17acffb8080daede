"""Recorded pods come out the same whichever way the manifests are written."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.conversion import type_of, version_of
from sidecarctl.engine.sidecarset.other_version import converted
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.inject import compare, injected
from tests.conformance.variants import with_empty_fields, with_other_key_order, with_unknown_fields
from tests.effort import unmeasured

Variant = Callable[[Object, Random], Value]

_EMPTY_REGEX = "inject/resources-regex"
"""A conversion leaves out the empty pattern that one of its sets has, and a default takes its place."""

CASES = [case for case in cases_in(FOLDER / "inject") if case.name != _EMPTY_REGEX]

VARIANTS: dict[str, Variant] = {
    "the other API version": lambda manifest, _: converted(manifest),
    "empty fields": lambda manifest, random: with_empty_fields(manifest, type_of(version_of(manifest)), random),
    "another key order": with_other_key_order,
    "unknown fields": lambda manifest, _: with_unknown_fields(manifest),
}


def _varied(case: Case, variant: Variant) -> Case:
    """The case with its sets in another form and all but the pods in another order."""
    random = Random(case.name)  # noqa: S311 - the same variants in every run, no secrets
    pods = [item for item in case.objects if item["kind"] == "Pod"]
    others = [
        variant(item, random) if item["kind"] == "SidecarSet" else item for item in case.objects if item not in pods
    ]
    return replace(case, objects=[*random.sample(others, len(others)), *pods])


EVERYDAY = CASES[::8]


@unmeasured
@pytest.mark.parametrize("cases", [EVERYDAY, pytest.param(CASES, marks=pytest.mark.slow)], ids=["some", "all"])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_pods_come_of_sets_written_in_another_way(name: str, cases: list[Case]) -> None:
    varied = [_varied(case, VARIANTS[name]) for case in cases]
    assert {case.name: difference for case in varied if (difference := compare(case, injected))} == {}
