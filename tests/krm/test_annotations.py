"""The marks of orchestrators."""

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.krm.resource_list import Caller, as_authored, caller_of, file_of, folder_of, slices_of
from tests.krm.calls import SET, WEB, from_kpt, from_kustomize, text_of


def test_the_file_of_an_item() -> None:
    assert file_of(from_kpt(WEB, "a/web.yaml", 3)) == ("a/web.yaml", 3)
    assert file_of(WEB) is None
    odd = {"metadata": {"annotations": {"config.kubernetes.io/path": "a", "config.kubernetes.io/index": "last"}}}
    assert file_of(odd) == ("a", 0)


def test_an_object_as_its_author_wrote_it() -> None:
    assert as_authored(SET) is SET
    assert as_authored(from_kustomize(SET)) == SET
    own = {"metadata": {"annotations": {"a": "b", "config.k8s.io/id": "1"}}}
    assert as_authored(own) == {"metadata": {"annotations": {"a": "b"}}}


@pytest.mark.parametrize(
    ("items", "config", "caller"),
    [
        ([WEB], None, Caller.OTHER),
        ([WEB], SET, Caller.OTHER),
        ([from_kpt(WEB, "a"), WEB], None, Caller.KPT),
        ([from_kpt(WEB, "a"), from_kustomize(WEB)], None, Caller.KUSTOMIZE),
        ([], {"metadata": {"annotations": {"config.kubernetes.io/function": "x"}}}, Caller.KUSTOMIZE),
        ([{"metadata": 5}], {"metadata": {"annotations": []}}, Caller.OTHER),
    ],
)
def test_who_calls(items: list[Object], config: Object | None, caller: Caller) -> None:
    assert caller_of(items, config) is caller


def test_paths_of_a_config_that_nobody_places_count_from_the_current_folder() -> None:
    assert folder_of(None, []) == ""
    assert folder_of(SET, [WEB]) == ""
    assert folder_of(from_kpt(SET, "a/set.yaml"), []) == ""


def test_the_slices_are_the_text() -> None:
    text = text_of([WEB, SET], {"a": "b"})
    slices = slices_of(text, 2)
    assert slices is not None
    assert slices.head + "".join(slices.items) + slices.tail == text
    assert slices.items[1].startswith("- apiVersion: apps.kruise.io")
    assert slices_of(text, 3) is None
    assert slices_of(text.replace("\n-", "\n  -"), 2) is None
    assert slices_of(text_of([]), 0) is None
