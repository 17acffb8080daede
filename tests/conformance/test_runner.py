"""The runner itself: every case of a file is run and counted, whatever becomes of the others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.values import Object, identical
from tests.conformance.__main__ import main
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.inject import STYLES, context_of, injected
from tests.conformance.operations import OPERATIONS, difference_in
from tests.conformance.under_release import NOT_RECORDED

POD: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}}}
BAD_POD = POD | {"spec": {"containers": "web"}}
SET: Object = {
    "apiVersion": "apps.kruise.io/v1beta1",
    "kind": "SidecarSet",
    "metadata": {"name": "logging"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}, "containers": [{"name": "logs", "image": "logs:1"}]},
}
BAD_SET = SET | {"spec": {"containers": "logs"}}
MATCHED = {"pods": [{"name": "web", "namespace": "", "matches": {"logging": True}}]}


def case(objects: list[Object], expect: Object, operation: str = "match", **params: object) -> Object:
    return {"id": "case", "op": operation, "objects": objects, "params": params, "expect": expect}


def lines(folder: Path, *cases: Object) -> Path:
    file = folder / "generated.jsonl"
    file.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in cases), encoding="utf-8")
    return file


def test_a_line_may_hold_characters_that_end_lines_elsewhere(tmp_path: Path) -> None:
    labels = POD | {"metadata": {"name": "web", "labels": {"app": "a\x85b\u2028c"}}}
    [read] = cases_in(lines(tmp_path, case([labels], MATCHED)))
    assert read.objects == [labels]


def test_a_case_that_fails_hides_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = case([SET, POD | {"metadata": "web"}], MATCHED)
    wrong = case([SET, POD], {"pods": []})
    assert main([lines(tmp_path, broken, wrong, case([SET, POD], MATCHED))]) == 1
    first, second, counts = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{tmp_path.name}/generated/case: ")
    assert second.startswith(f"{tmp_path.name}/generated/case: pods[0]: ")
    assert counts == "1 passed, 2 failed"


def test_a_case_of_an_operation_without_a_runner_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown, refused = (case([SET, POD], expect, "sing") for expect in (MATCHED, {"error": "cannot unmarshal"}))
    assert main([lines(tmp_path, unknown, case([SET, POD], MATCHED), refused)]) == 1
    *failed, counts = capsys.readouterr().out.splitlines()
    assert failed == [f"{tmp_path.name}/generated/case: operation sing has no runner"] * 2
    assert counts == "1 passed, 2 failed"


NOT_STRINGS = (
    *("y", "Y", "n", "N", "yes", "No", "ON", "off", "True", "FALSE", "null", "~", ""),
    *("5", "-1", "0644", "0x1F", "0o17", "0b11", "1_000", "1.5", ".5", "5.", "1e3", "7403e430", "+1E-5", ".inf"),
)
"""What the decoder of Kubernetes, or another reader, takes for something else when it has no quotes."""


@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_text_holds_the_value_that_it_was_made_of(style: Callable[[Object], str]) -> None:
    values = {f"key {number}": word for number, word in enumerate(NOT_STRINGS)}
    pod = POD | {"words": {word: word for word in NOT_STRINGS}, "more": values, "list": [*NOT_STRINGS, 5, 0.5, None]}
    [document] = Reader().documents_of(style(pod))
    assert identical(document.value, pod)


@pytest.mark.parametrize("operation", sorted(OPERATIONS.keys() - {"expr"}))
@pytest.mark.parametrize("objects", [[BAD_SET, POD], [SET, BAD_POD]], ids=["set", "pod"])
def test_an_object_that_cannot_be_decoded_is_the_error_of_the_whole_case(
    tmp_path: Path, operation: str, objects: list[Object]
) -> None:
    assert main([lines(tmp_path, case(objects, {"error": "cannot unmarshal"}, operation))]) == 0


@pytest.mark.parametrize("operation", ["match", "inject", "admit", "convert", "order"])
def test_a_refusal_is_missed_if_everything_can_be_decoded(tmp_path: Path, operation: str) -> None:
    assert main([lines(tmp_path, case([SET], {"error": "cannot unmarshal"}, operation))]) == 1
    assert main([lines(tmp_path, case([BAD_SET], {"sets": [], "pods": []}, operation))]) == 1


def test_a_replaced_container_keeps_the_text_of_quantities_that_are_equal() -> None:
    sidecar = {"name": "logs", "image": "logs:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}
    own = {"name": "logs", "image": "logs:0", "resources": {"limits": {"cpu": "1000m", "memory": "2Gi"}}}
    with_sidecar = SET | {"spec": SET["spec"] | {"containers": [sidecar]}}
    pod = POD | {"spec": {"containers": [own]}}
    context = context_of(Case("", "inject", [with_sidecar], {}, {}))
    after, _ = injected(pod, context)
    assert after["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1000m", "memory": "1Gi"}}
    recorded = after | {
        "spec": {"containers": [after["spec"]["containers"][0] | {"resources": sidecar["resources"]}]}
    }
    expect = {"pods": [{"name": "web", "namespace": "", "changed": True, "pod": recorded}]}
    assert difference_in(Case("", "inject", [with_sidecar, pod], {}, expect)) is None
    wrong = recorded | {"spec": {"containers": [recorded["spec"]["containers"][0] | {"resources": own["resources"]}]}}
    assert difference_in(Case("", "inject", [with_sidecar, pod], {}, {"pods": [expect["pods"][0] | {"pod": wrong}]}))


def test_the_pages_say_how_many_cases_there_are() -> None:
    operations = [item.operation for item in cases_in(FOLDER)]
    everywhere = [item for item in operations if item not in NOT_RECORDED]
    for page in ("README.md", "docs/concepts.md"):
        text = (FOLDER.parents[1] / page).read_text()
        assert f"{len(operations):,} cases recorded from Kruise's own" in text
        assert f"{len(everywhere):,} of them" in text
