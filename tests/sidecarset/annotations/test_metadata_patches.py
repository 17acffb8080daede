import json

import pytest

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.annotations import metadata_patches
from tests.conformance.cases import FOLDER, Case, cases_in

CASES = [case for case in cases_in(FOLDER / "inject") if case.name.startswith("inject/patch-")]


def _sets_for(case: Case, pod: Object) -> list[Object]:
    """The sets that select the pod by plain labels, as all of these cases do, bound ones first."""
    labels = pod["metadata"].get("labels") or {}
    sets = [item for item in case.objects if item["kind"] == "SidecarSet"]
    matching = [
        item for item in sets if (item["spec"]["selector"].get("matchLabels") or {}).items() <= labels.items()
    ]
    return sorted(matching, key=lambda item: ("namespaceSelector" not in item["spec"], str(item["metadata"]["name"])))


def _others(annotations: Object) -> Object:
    return {key: value for key, value in annotations.items() if not key.startswith("kruise.io/")}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_recorded_annotations(case: Case) -> None:
    pods = [item for item in case.objects if item["kind"] == "Pod"]
    for pod, expected in zip(pods, case.expect["pods"], strict=True):
        items = [item for found in _sets_for(case, pod) for item in found["spec"].get("patchPodMetadata") or []]
        annotations = pod["metadata"].get("annotations")
        if expected.get("error"):
            with pytest.raises(ImpossibleError):
                metadata_patches.apply(annotations, items)
        else:
            recorded = expected["pod"]["metadata"].get("annotations") or {}
            assert metadata_patches.apply(annotations, items) == _others(recorded)


def test_the_input_stays_as_it_was() -> None:
    annotations = {"cfg": '{"a":1}'}
    item = {"patchPolicy": "MergePatchJson", "annotations": {"cfg": '{"b":2}', "new": "x"}}
    assert metadata_patches.apply(annotations, [item]) == {"cfg": '{"a":1,"b":2}', "new": "x"}
    assert annotations == {"cfg": '{"a":1}'}


def test_later_items_see_earlier_ones() -> None:
    items: list[Object] = [
        {"patchPolicy": "Overwrite", "annotations": {"cfg": json.dumps({"b": 1})}},
        {"patchPolicy": "MergePatchJson", "annotations": {"cfg": '{"a":1}'}},
        {"annotations": {"cfg": "kept out", "new": None}},
    ]
    assert metadata_patches.apply(None, items) == {"cfg": '{"a":1,"b":1}', "new": ""}


def test_an_unknown_policy_and_an_item_without_annotations_do_nothing() -> None:
    assert metadata_patches.apply({}, [{"patchPolicy": "Other", "annotations": {"a": "b"}}, {}]) == {}


def test_the_error_names_the_annotation() -> None:
    item = {"patchPolicy": "MergePatchJson", "annotations": {"example.com/cfg": "{}"}}
    with pytest.raises(ImpossibleError) as raised:
        metadata_patches.apply({"example.com/cfg": "level=debug"}, [item])
    finding = raised.value.findings[0]
    assert finding.reason is Reason.METADATA_PATCH_FAILED
    assert finding.path == ("metadata", "annotations", "example.com/cfg")
    assert "example.com/cfg" in finding.message
    assert "the pod's value is not JSON" in finding.message
