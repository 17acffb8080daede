"""Names of releases and tags of images: what they mean, and what is refused with which neighbors."""

import pytest

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.releases.profiles import (
    PATCH_RELEASES,
    PROFILES,
    UnknownReleaseError,
    release_named,
)
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.report import release_notes


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_known_by_its_name(name: str) -> None:
    assert release_named(name) is PROFILES[name]


@pytest.mark.parametrize(
    ("patch", "profile"), [(p, name) for name, patches in PATCH_RELEASES.items() for p in patches]
)
def test_a_patch_release_behaves_as_its_profile(patch: str, profile: str) -> None:
    assert release_named(patch) is release_named(f"v{patch}") is PROFILES[profile]


def test_1_7_0_is_a_release_of_its_own() -> None:
    assert release_named("1.7.0").lists_plain_init_containers
    assert not release_named("1.7").lists_plain_init_containers


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("1.7.5", ("1.7", "1.8")),
        ("v1.7.5", ("1.7", "1.8")),
        ("1.0.0", ("1.0", "1.1")),
        ("1.5.0", ("1.4", "1.5")),
        ("1.10", ("1.9", "master")),
        ("0.10", ("1.0",)),
        ("2.0.0", ("1.9", "master")),
    ],
)
def test_what_was_not_recorded_is_refused_with_the_nearest_names(text: str, nearest: tuple[str, ...]) -> None:
    with pytest.raises(UnknownReleaseError) as refused:
        release_named(text)
    assert refused.value.nearest == nearest
    assert all(name in PROFILES for name in nearest)


@pytest.mark.parametrize(
    ("text", "minor"), [("1.9.1", "1.9"), ("v1.9.10", "1.9"), ("1.8.5", "1.8"), ("1.7.6", "1.7"), ("1.2.1", "1.2")]
)
def test_an_unknown_patch_release_of_a_known_minor_is_computed_as_that_minor(text: str, minor: str) -> None:
    release = release_named(text)
    assert (release.name, release.behavior) == (minor, f"Kruise {minor}")
    assert release.stands_for == text.removeprefix("v")
    [finding] = release_notes(release)
    assert f"Kruise {release.stands_for} is not known here, and computed as {minor}" in finding.message
    assert not release_notes(release_named(minor))


def test_1_1_is_computed_as_derived_with_a_note() -> None:
    """1.2 where an update may add a container; of 1.0 it has neither the injection nor the conflicts."""
    derived, older, newer = map(release_named, ("1.1.0", "1.0", "1.2"))
    assert [item.name for item in PROFILES.values() if item.derived] == ["1.1"]
    assert derived.containers_may_be_added
    assert not newer.containers_may_be_added
    for switch in ("fields", "init_injection", "skips_incomplete_pods", "last_conflict_only"):
        assert getattr(derived, switch) == getattr(newer, switch) != getattr(older, switch)
    [finding] = release_notes(derived)
    assert (finding.reason, finding.severity) == (Reason.DERIVED_RELEASE, Severity.NOTE)
    assert not release_notes(older)


@pytest.mark.parametrize(
    "text", ["", "latest", "1", "v", "1.x", "1.7-rc1", "1.7.4+build", "Master", "1.7.4.1", " 1.7"]
)
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(UnknownReleaseError):
        release_named(text)


def test_a_release_is_never_changed_and_has_only_known_switches() -> None:
    with pytest.raises(AttributeError):
        MASTER.percent_up = False
    with pytest.raises(AttributeError, match="rounds_up"):
        MASTER.older("0.1", rounds_up=False)
    assert MASTER.older("0.1", percent_up=False).percent_up is False
    assert MASTER.percent_up
