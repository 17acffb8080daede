"""Findings that are not to be told: by annotation, by option, by a baseline."""

import json

import pytest

from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, RuleSettings
from sidecarctl.engine.inputs.objects import Text, read_only_document
from sidecarctl.engine.validation.baselines import baseline_of, beyond, fingerprint, read_baseline
from sidecarctl.engine.validation.checking import CheckedSidecarSet, check
from sidecarctl.engine.validation.suppression import ignored_by, without
from tests.engine.validation.examples import given_by, sound_set


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


def document_of(text: str) -> Document | None:
    return read_only_document(Text("baseline.json", text.encode()), Reader(), lambda document: document)


def test_rules_are_left_out_by_option() -> None:
    found = findings_of()
    assert {item.rule for item in without(found, {"no-resources"})} == {item.rule for item in found} - {
        "no-resources"
    }


def test_a_baseline_hides_what_was_there_and_nothing_else() -> None:
    before = findings_of()
    baseline = read_baseline(document_of(json.dumps(baseline_of(before))))
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
        read_baseline(document_of(text))


def annotated(rules: str, **spec: object) -> CheckedSidecarSet:
    manifest = sound_set(**spec)
    manifest["metadata"] = {"name": "agent", "annotations": {"sidecarctl.dev/ignore": rules}}
    [checked] = check(given_by([manifest]))
    return checked


def test_what_an_annotation_suppresses_is_counted() -> None:
    suppressed = annotated("no-resources, no-namespace-limit").suppressed
    assert [(item.rule, item.suppressed_by) for item in suppressed] == [
        ("no-namespace-limit", "annotation"),
        ("no-resources", "annotation"),
    ]
    assert annotated("no-containers").suppressed == ()


def test_an_annotation_may_name_a_rule_by_its_older_id() -> None:
    checked = annotated("injected-pod-refused")
    assert ignored_by(checked.sidecarset.metadata) == {"pod-invalid"}
    [told] = [item for item in checked.findings if item.rule == "unknown-rule"]
    assert (told.severity, told.message, told.hint) == (
        "note",
        "injected-pod-refused is called pod-invalid now",
        "write pod-invalid",
    )
    assert [item.severity for item in annotated("no-resource").findings if item.rule == "unknown-rule"] == ["warning"]


def test_annotations_can_be_disregarded() -> None:
    manifest = sound_set() | {"metadata": {"name": "agent", "annotations": {"sidecarctl.dev/ignore": "no-resources"}}}
    [checked] = check(given_by([manifest])._replace(rules=RuleSettings(obeys_annotations=False)))
    assert "no-resources" in {finding.rule for finding in checked.findings}
    assert checked.suppressed == ()


def test_nothing_suppresses_what_kruise_refuses() -> None:
    refused = annotated("container-image", containers=[{"name": "agent", "image": ""}])
    assert "container-image" in {finding.rule for finding in refused.findings}
    assert "container-image" in {finding.rule for finding in without(refused.findings, {"container-image"})}
    baseline = read_baseline(document_of(json.dumps(baseline_of(refused.findings))))
    assert {finding.rule for finding in beyond(refused.findings, baseline)} == {"container-image"}
