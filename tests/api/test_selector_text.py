"""Label selectors as people write them."""

import pytest

from sidecarctl.api.selector_text import selector_text
from sidecarctl.cli.flags.plan import label_selector


@pytest.mark.parametrize("text", ["app=web", "app!=web", "a in (b,c),!d,e", "a notin (b,c)"])
def test_what_kubectl_takes_comes_back(text: str) -> None:
    assert selector_text(label_selector(text)) == text


def test_labels_and_no_selector() -> None:
    assert selector_text({"matchLabels": {"a": "b", "c": "d"}}) == "a=b,c=d"
    assert selector_text(None) == selector_text({}) == "everything"
    assert selector_text({"matchExpressions": [{"key": "a", "operator": "Odd"}]}) == "a Odd"
