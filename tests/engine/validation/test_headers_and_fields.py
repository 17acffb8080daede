"""Documents that nearly are SidecarSets, and fields and words that nearly are some."""

import pytest

from sidecarctl.engine.facts.values import Object, Value, path_text
from sidecarctl.engine.inputs.first_look import header_findings
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.validation.checking import check
from sidecarctl.engine.validation.practice.fields import admitted, null_member_findings, unknown_field_findings
from tests.engine.validation.examples import given_by, sound_set

V1ALPHA1, V1BETA1 = "apps.kruise.io/v1alpha1", "apps.kruise.io/v1beta1"


HEADERS: list[tuple[Object, str]] = [
    ({"apiVersion": "apps:kruise.io/v1alpha1", "kind": "SidecarSet"}, f"apiVersion: {V1ALPHA1}"),
    ({"piVersion": V1BETA1, "kind": "SidecarSet"}, f"apiVersion: {V1BETA1}"),
    ({"apiVersion": V1BETA1, "Kind": "SidecarSet"}, "kind: SidecarSet"),
    ({"apiVersion": V1BETA1, "kind": "SideCarset"}, "kind: SidecarSet"),
    ({"apiVersion": "apps.kruise.io/v1", "kind": "SidecarSet"}, f"apiVersion: {V1BETA1}"),
    ({"kind": "SidecarSet"}, f"apiVersion: {V1BETA1}"),
]


@pytest.mark.parametrize(("document", "right"), HEADERS)
def test_a_header_that_nearly_names_a_sidecarset(document: Object, right: str) -> None:
    [finding] = header_findings(document)
    assert finding.hint == f"write {right}"
    assert not finding.path or finding.path[0] in document


@pytest.mark.parametrize(
    "document",
    [
        {"apiVersion": V1BETA1, "kind": "SidecarSet"},
        {"apiVersion": V1BETA1, "kind": "SidecarSetList"},
        {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet"},
        {"apiVersion": "apps/v1", "kind": "StatefulSet"},
        {"apiVersion": "example.com/v1", "kind": "SidecarSet"},
        {"apiVersion": "v1", "kind": ["SidecarSet"]},
        {1: "kind"},
        ["SidecarSet"],
        None,
    ],
)
def test_other_documents_are_nothing_to_speak_of(document: Value) -> None:
    assert list(header_findings(document)) == []


def found(manifest: Object) -> dict[str, str]:
    """The hints of the unknown fields, by path."""
    [checked] = check(given_by([manifest]))
    return {path_text(finding.path): finding.hint for finding in checked.findings if finding.rule == "unknown-field"}


def test_fields_of_other_places_are_reported_with_theirs() -> None:
    container = {"name": "agent", "image": "a:1", "upgradeType": "HotUpgrade", "Image": "b"}
    assert found(sound_set(strategy={}, namespace="shop", containers=[container])) == {
        "spec.strategy": "the field is updateStrategy, and it has maxUnavailable and partition itself",
        "spec.namespace": "in v1beta1 write namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}",
        "spec.containers[0].upgradeType": "write upgradeStrategy: {upgradeType: ...}",
        "spec.containers[0].Image": "did you mean image?",
    }


def test_forms_of_old_manuals_are_reported_with_the_new_ones() -> None:
    container = {"name": "agent", "image": "a:1", "shareVolumePolicy": "enabled"}
    findings = admitted(sound_set(containers=[container], selector={"matchLabels": ["app: web"]}))
    assert isinstance(findings, list)
    assert {finding.rule for finding in findings} == {"wrong-type"}
    assert {finding.hint.partition(";")[0] for finding in findings} == {
        "write a map such as matchLabels: {app: web}",
        "write shareVolumePolicy: {type: enabled}",
    }


def test_of_very_many_unknown_fields_the_first_are_listed_and_the_others_counted() -> None:
    unknown = {f"x{number}": 1 for number in range(2_500)}
    nulls = {f"n{number}": None for number in range(1_001)}
    document = sound_set()
    document["spec"] |= unknown
    document["metadata"]["annotations"] = nulls
    assert len(unknown_field_findings(document, DEFAULT)) == 1_001
    assert unknown_field_findings(document, DEFAULT)[-1].message == "more unknown fields: 1,500"
    assert null_member_findings(document)[-1].message == "more null members: 1"
