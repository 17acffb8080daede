"""What the patterns match, tried with Python's expressions, which mean the same here; tests/cluster tries kubectl."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.kubectl.api_requests import accepted_paths, rejected_methods


def matches(patterns: str, text: str) -> bool:
    """As kubectl does it: split at commas, found anywhere."""
    return any(re.search(pattern, text, re.ASCII) for pattern in patterns.split(","))


@given(
    st.text("GETPACHX", max_size=7) | st.sampled_from(["GET", "PATCH", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
)
def test_all_methods_but_two_are_rejected(method: str) -> None:
    assert matches(rejected_methods(), method) == (method not in ("GET", "PATCH"))


@pytest.mark.parametrize(
    ("path", "is_accepted"),
    [
        ("/api/v1/namespaces/shop/pods/a", True),
        ("/api/v1/namespaces/shop/pods/a.b-1", True),
        ("/api/v1/namespaces/shop/pods", False),
        ("/api/v1/namespaces/shop/pods/", False),
        ("/api/v1/namespaces/shop/pods/a/exec", False),
        ("/api/v1/namespaces/shop/pods/a/status", False),
        ("/api/v1/namespaces/shopper/pods/a", False),
        ("/x/api/v1/namespaces/shop/pods/a", False),
        ("/apis/apps.kruise.io/v1beta1/sidecarsets", True),
        ("/apis/appsXkruiseXio/v1beta1/sidecarsets", False),
        ("", False),
    ],
)
def test_paths_are_matched_whole(path: str, is_accepted: bool) -> None:  # noqa: FBT001 - a parameter of a test
    paths = accepted_paths(["/api/v1/namespaces/shop/pods/*", "/apis/apps.kruise.io/v1beta1/sidecarsets"])
    assert matches(paths, path) == is_accepted


@given(st.text(st.characters(max_codepoint=255, exclude_characters="*/"), min_size=1), st.text())
def test_no_name_widens_what_is_accepted(name: str, other: str) -> None:
    paths = accepted_paths([f"/api/{name}/pods"])
    assert "," not in paths
    assert matches(paths, f"/api/{name}/pods")
    assert matches(paths, f"/api/{other}/pods") == (other == name)
