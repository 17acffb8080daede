"""Findings that are not to be told: by annotation, by option, by a baseline."""

import json

import pytest

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.validation.baselines import baseline_of, beyond, fingerprint, read_baseline
from sidecarctl.validation.checking import check
from sidecarctl.validation.suppression import ignored_by, without
from tests.validation.examples import given_by, sound_set


def findings_of(**spec: object) -> list[Finding]:
    [checked] = check(given_by([sound_set(**spec)]))
    return list(checked.findings)


def test_an_annotation_suppresses_rules_of_its_own_set() -> None:
    annotated = sound_set() | {
        "metadata": {"name": "agent", "annotations": {"sidecarctl.dev/ignore": "no-resources, x"}}
    }
    [checked] = check(given_by([annotated]))
    assert "no-resources" not in {finding.rule for finding in checked.findings}
    assert "no-namespace-limit" in {finding.rule for finding in checked.findings}
    assert ignored_by(annotated["metadata"]) == {"no-resources", "x"}


def test_rules_are_left_out_by_option() -> None:
    found = findings_of()
    assert {item.rule for item in without(found, {"no-resources"})} == {item.rule for item in found} - {
        "no-resources"
    }


def test_a_baseline_hides_what_was_there_and_nothing_else() -> None:
    before = findings_of()
    baseline = read_baseline(json.dumps(baseline_of(before)))
    assert beyond(before, baseline) == []
    twice = findings_of(containers=[{"name": "agent", "image": "a:1"}, {"name": "other", "image": "latest"}])
    assert {item.rule for item in beyond(twice, baseline)} == {"no-resources", "image-without-tag"}


def test_a_finding_that_moves_is_the_same() -> None:
    item, other = (
        findings_of(),
        findings_of(
            containers=[
                {"name": "a", "image": "a:1", "resources": {"limits": {"cpu": 1}}},
                {"name": "agent", "image": "a:1"},
            ]
        ),
    )
    [first], [second] = ([found for found in findings if found.rule == "no-resources"] for findings in (item, other))
    assert first.path != second.path
    assert fingerprint(first) == fingerprint(second)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"apiVersion": "v1", "kind": "List", "findings": {}}'])
def test_what_is_no_baseline_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a baseline"):
        read_baseline(text)
