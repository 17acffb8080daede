"""Image references and the pull policy that follows from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.sidecarset.defaults import ImageReference, default_pull_policy, is_pinned, parse_image
from tests.effort import share

DIGEST = "sha256:" + "4c5f1b0d" * 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nginx", ("docker.io/library/nginx", "", "")),
        ("docker.io/nginx:1", ("docker.io/library/nginx", "1", "")),
        ("index.docker.io/a/b", ("docker.io/a/b", "", "")),
        ("a/b:Tag_1.2-x", ("docker.io/a/b", "Tag_1.2-x", "")),
        ("localhost/a", ("localhost/a", "", "")),
        ("Host/a", ("Host/a", "", "")),
        ("r.example.com:5000/a/b:1@" + DIGEST, ("r.example.com:5000/a/b", "1", DIGEST)),
        ("[::1]:5000/a", ("[::1]:5000/a", "", "")),
        ("a__b--c.d_e", ("docker.io/library/a__b--c.d_e", "", "")),
        ("foo_bar.com/x", ("foo_bar.com/x", "", "")),
        ("x:" + "t" * 128, ("docker.io/library/x", "t" * 128, "")),
        ("a@sha512:" + "0f" * 64, ("docker.io/library/a", "", "sha512:" + "0f" * 64)),
        ("x/" + "a" * 253, ("docker.io/x/" + "a" * 253, "", "")),
    ],
)
def test_parts(text: str, expected: tuple[str, str, str]) -> None:
    assert parse_image(text) == ImageReference(*expected)


@pytest.mark.parametrize(
    "text",
    [
        "", ":", "a:", "a:-1", "A", "a//b", "/a", "a/", "a b", "a\n", "4c5f1b0d" * 8, "x:" + "t" * 129,
        "a@sha256:" + "F" * 64, "a@sha256:" + "f" * 63, "a@md5:" + "f" * 32, "-host.com/a", "host.com/A",
        "x/" + "a" * 254, "a___b", "_a", "a:1:2", "a@", "host-.com:80/a",
    ],
)  # a table, a case a line  # fmt: skip
def test_what_is_no_reference(text: str) -> None:
    assert parse_image(text) is None


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("nginx", "Always"), ("nginx:latest", "Always"), ("nginx:latest@" + DIGEST, "Always"),
        ("nginx:Latest", "IfNotPresent"), ("nginx@" + DIGEST, "IfNotPresent"), ("nginx:1", "IfNotPresent"),
        ("", "IfNotPresent"), ("no reference!", "IfNotPresent"),
    ],
)  # a table, a case a line  # fmt: skip
def test_pull_policy(text: str, policy: str) -> None:
    assert default_pull_policy(text) == policy


def test_up_to_1_8_the_limit_of_the_name_includes_the_host() -> None:
    name = "r.example.com/" + "a" * 241
    assert default_pull_policy(name, release_named("1.8")) == default_pull_policy(name) == "Always"
    assert default_pull_policy(f"{name}a", release_named("1.9")) == "Always"
    assert default_pull_policy(f"{name}a", release_named("1.8")) == "IfNotPresent"


HOSTS = st.sampled_from(("", "b.c/", "b.c:1/", "[::1]/", "A/", "latest/", "/", ":1/"))
PATHS = st.text("ab01/:", min_size=1, max_size=6)
VERSIONS = st.sampled_from((":1", ":A", f"@sha256:{'f' * 64}", f":1@sha256:{'f' * 64}", "", ":latest", "@sha256:f"))


@share(50)
@given(st.builds("{}{}{}".format, HOSTS, PATHS, VERSIONS).filter(lambda text: is_pinned(text) and parse_image(text)))
def test_what_is_pinned_without_its_parts_is_so_by_them(text: str) -> None:
    reference = parse_image(text)
    assert reference is not None
    assert reference.digest or reference.tag not in {"", "latest"}
