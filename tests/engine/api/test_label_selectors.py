"""Which labels a selector matches."""

import pytest

from sidecarctl.engine.api.label_selectors import (
    UnknownOperatorError,
    compile_selector,
    is_empty,
    matches,
    selector_text,
)
from sidecarctl.engine.facts.values import Object
from sidecarctl.features.plan.flags import label_selector

LABELS = {"app": "web", "tier": "", "team": "obs"}


def expression(key: str, operator: str, *values: str) -> Object:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, False),
        ({}, True),
        ({"matchLabels": {}, "matchExpressions": []}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "team": "shop"}}, False),
        ({"matchLabels": {"tier": ""}}, True),
        ({"matchLabels": {"missing": ""}}, False),
        (expression("app", "In", "api", "web"), True),
        (expression("app", "In"), False),
        (expression("missing", "In", ""), False),
        (expression("app", "NotIn", "web"), False),
        (expression("app", "NotIn"), True),
        (expression("app", "Like", "web"), False),
        (expression("missing", "NotIn", "web"), True),
        (expression("tier", "Exists", "ignored"), True),
        (expression("missing", "Exists"), False),
        (expression("missing", "DoesNotExist"), True),
        (expression("tier", "DoesNotExist"), False),
        ({"matchLabels": {"app": "web"}} | expression("team", "In", "shop"), False),
    ],
)
def test_selector_against_labels(selector: Object | None, *, expected: bool) -> None:
    assert matches(selector, LABELS) is expected


def test_absent_labels_are_no_labels() -> None:
    assert matches(expression("app", "DoesNotExist"), None)


@pytest.mark.parametrize("operator", ["in", "Equals", "", None])
def test_an_unknown_operator_is_an_error_whatever_the_labels_are(operator: str | None) -> None:
    selector = {"matchLabels": {"app": "other"}, "matchExpressions": [{"key": "a", "operator": operator}]}
    with pytest.raises(UnknownOperatorError) as raised:
        compile_selector(selector)
    assert (raised.value.index, raised.value.operator) == (0, operator)


def test_emptiness() -> None:
    assert is_empty(None)
    assert is_empty({"matchLabels": {}, "matchExpressions": None})
    assert not is_empty({"matchLabels": {"a": ""}})
    assert not is_empty(expression("a", "Exists"))


@pytest.mark.parametrize("text", ["app=web", "app!=web", "a in (b,c),!d,e", "a notin (b,c)"])
def test_what_kubectl_takes_comes_back(text: str) -> None:
    assert selector_text(label_selector(text)) == text


def test_labels_and_no_selector() -> None:
    assert selector_text({"matchLabels": {"a": "b", "c": "d"}}) == "a=b,c=d"
    assert selector_text(None) == selector_text({}) == "everything"
    assert selector_text({"matchExpressions": [{"key": "a", "operator": "Odd"}]}) == "a Odd"
