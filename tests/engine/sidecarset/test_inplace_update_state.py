import pytest

from sidecarctl.engine.sidecarset.inplace_update_state import UpdateState, read_states, write_states
from sidecarctl.engine.sidecarset.pod_annotations import INPLACE_UPDATE_STATE
from tests.conformance.cases import FOLDER, cases_in

RECORDED = sorted(
    {
        updated["annotations"][INPLACE_UPDATE_STATE]
        for case in cases_in(FOLDER / "rollout")
        for recorded in case.expect["rounds"]
        for updated in recorded.get("updated", [])
        if INPLACE_UPDATE_STATE in updated.get("annotations", {})
    }
)


def test_recorded_texts_are_rewritten_byte_for_byte() -> None:
    assert len(RECORDED) > 100
    for text in RECORDED:
        states = read_states(text)
        assert states is not None
        assert write_states(states) == text


def test_absent_has_no_entries() -> None:
    assert read_states(None) == {}
    assert read_states("null") == {}


@pytest.mark.parametrize(
    "text",
    [
        "", "{broken", "[]", '{"a":5}', '{"a":{"revision":5}}', '{"a":{"updateTimestamp":""}}',
        '{"a":{"updateTimestamp":5}}', '{"a":{"lastContainerStatuses":[]}}',
        '{"a":{"lastContainerStatuses":{"c":5}}}', '{"a":{"lastContainerStatuses":{"c":{"imageID":5}}}}',
    ],
)  # a table, a case a line  # fmt: skip
def test_what_cannot_be_read(text: str) -> None:
    assert read_states(text) is None


def test_the_standard_form() -> None:
    states = read_states(
        '{"b":{"lastContainerStatuses":{"y":{"imageID":"2"},"x":{},"w":null},"more":1},"a":null,'
        '"c":{"updateTimestamp":"2024-05-06T10:11:12+02:00","Revision":"r"}}'
    )
    assert states is not None
    assert states["b"] is not None
    assert states["b"].last_image_ids == {"y": "2", "x": "", "w": ""}
    assert write_states(states) == (
        '{"a":null,'
        '"b":{"revision":"","updateTimestamp":null,"lastContainerStatuses":{"w":{},"x":{},"y":{"imageID":"2"}}},'
        '"c":{"revision":"r","updateTimestamp":"2024-05-06T08:11:12Z","lastContainerStatuses":null}}'
    )


def test_a_state_with_nothing_updated() -> None:
    assert write_states({"a": UpdateState("r", None, {})}) == (
        '{"a":{"revision":"r","updateTimestamp":null,"lastContainerStatuses":{}}}'
    )
