"""Keys of labels and annotations."""

import pytest

from sidecarctl.engine.api.text_forms import is_qualified_name


@pytest.mark.parametrize("key", ["app", "A.b_c-d", "example.com/team", "a", "x" * 63, f"{'a.' * 126}a/b"])
def test_keys(key: str) -> None:
    assert is_qualified_name(key)


@pytest.mark.parametrize(
    "key",
    ["", "-app", "app-", "/app", "example.com/", "Example.com/team", "a/b/c", "x" * 64, f"{'a.' * 127}a/b", "ä"],
)
def test_what_is_not_a_key(key: str) -> None:
    assert not is_qualified_name(key)
