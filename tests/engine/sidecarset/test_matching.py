"""Which pods a set matches and why not; the recorded cases of `match` show the rest."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.sets import Matcher, in_injection_order, is_bound_to, is_injection_paused
from tests.engine.sidecarset.manifests import sidecarset

NAME = "kubernetes.io/metadata.name"
LABELS = {"app": "web"}


def matcher(namespaces: dict[str, dict[str, str]] | None = None, version: str = "v1beta1", **spec: Value) -> Matcher:
    return Matcher(admit(sidecarset(version, **spec)), namespaces or {})


def by_name(operator: str, *values: str) -> Object:
    return {"matchExpressions": [{"key": NAME, "operator": operator, "values": list(values)}]}


def test_reasons_for_not_matching() -> None:
    bound = matcher(version="v1alpha1", namespace="shop")
    assert bound.mismatch("shop", LABELS) is None
    assert bound.mismatch("billing", LABELS) is Reason.NAMESPACE_NOT_SELECTED
    assert bound.mismatch("shop", {"app": "api"}) is Reason.POD_NOT_SELECTED
    assert bound.mismatch("shop", None) is Reason.POD_NOT_SELECTED


def test_an_empty_namespace_is_default() -> None:
    assert matcher(version="v1alpha1", namespace="default").mismatch("", LABELS) is None


def test_a_set_of_which_injection_is_paused_matches_its_pods() -> None:
    assert is_injection_paused(sidecarset(injectionStrategy={"paused": True})["spec"])
    assert not is_injection_paused(sidecarset()["spec"])
    assert matcher(injectionStrategy={"paused": True}).mismatch("shop", LABELS) is None


def test_labels_of_an_unknown_namespace_are_missed_only_if_required() -> None:
    by_team = {"matchLabels": {"team": "web"}}
    assert matcher(namespaceSelector=by_team).lacks_labels_of("shop")
    assert not matcher({"shop": {}}, namespaceSelector=by_team).lacks_labels_of("shop")
    assert not matcher(namespaceSelector=by_name("In", "shop")).lacks_labels_of("shop")
    assert not matcher(namespaceSelector={"matchLabels": {NAME: "shop"}}).lacks_labels_of("shop")
    assert not matcher(version="v1alpha1", namespace="shop", namespaceSelector=by_team).lacks_labels_of("shop")
    assert not matcher().lacks_labels_of("shop")


def test_the_name_label_is_that_of_the_namespace_whatever_a_manifest_says() -> None:
    assert matcher({"shop": {NAME: "other"}}, namespaceSelector=by_name("In", "shop")).selects_namespace("shop")


def test_a_malformed_namespace_selector_selects_no_namespace() -> None:
    assert matcher(namespaceSelector=by_name("Has", "shop")).mismatch("shop", LABELS) is Reason.NAMESPACE_NOT_SELECTED


def test_an_unknown_operator_of_the_pod_selector_is_an_error_with_its_place() -> None:
    broken = matcher(selector={"matchExpressions": [{"key": "a", "operator": "Gt"}]})
    with pytest.raises(ImpossibleError) as raised:
        broken.mismatch("shop", LABELS)
    assert str(raised.value.findings[0]) == (
        'spec.selector.matchExpressions[0].operator: unknown operator "Gt": use In, NotIn, Exists or DoesNotExist'
    )


@pytest.mark.parametrize("selector", [None, {}, {"matchLabels": {}, "matchExpressions": []}])
def test_an_empty_selector_matches_no_pod(selector: Object | None) -> None:
    assert matcher(selector=selector).mismatch("shop", LABELS) is Reason.POD_NOT_SELECTED


@pytest.mark.parametrize(
    ("selector", "bound"),
    [
        (None, False),
        ({}, False),
        ({"matchLabels": {NAME: "shop"}}, True),
        ({"matchLabels": {NAME: "other"}}, False),
        ({"matchLabels": {"team": "shop"}}, False),
        (by_name("In", "other", "shop"), True),
        (by_name("In", "other"), False),
        (by_name("NotIn", "other"), False),
        (by_name("Exists"), False),
        ({"matchExpressions": [{"key": "team", "operator": "In", "values": ["shop"]}]}, False),
    ],
)
def test_binding_by_selector(selector: Object | None, *, bound: bool) -> None:
    assert is_bound_to(admit(sidecarset(namespaceSelector=selector)), "shop") is bound


def test_sets_bound_to_the_namespace_come_first_then_names_decide() -> None:
    def named(name: str, version: str = "v1beta1", **spec: Value) -> Object:
        return sidecarset(version, metadata={"name": name}, **spec)

    manifests = [
        named("b"),
        named("a"),
        named("z", "v1alpha1", namespace="default", namespaceSelector={}),
        named("y", namespaceSelector=by_name("In", "default")),
        named("c", "v1alpha1", namespace="other", namespaceSelector=by_name("In", "default")),
    ]
    ordered = in_injection_order(map(admit, manifests), "")
    assert [item.name for item in ordered] == ["y", "z", "a", "b", "c"]
