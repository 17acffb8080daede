"""Every recorded case of the old releases passes under its release."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

import pytest

from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.releases.release import MASTER, Release
from tests.conformance.cases import FOLDER as CASES
from tests.conformance.cases import Case, cases_in
from tests.conformance.operations import difference_in
from tests.conformance.under_release import under_release
from tests.engine.releases.recordings import FOLDER, Recordings

OLD = [release for release in PROFILES.values() if release is not MASTER and not release.derived]
RECORDINGS = Recordings()
EVERYDAY = 12
"""Cases of each operation that run under each release every day; other ones for each release."""


@cache
def master_cases() -> list[Case]:
    """Every case that was recorded with master; the tests read them once."""
    return list(cases_in(CASES))


def failures(cases: Iterable[Case]) -> dict[str, str]:
    return {case.name: difference for case in cases if (difference := difference_in(case))}


def under(release: Release, cases: Iterable[Case]) -> Iterator[Case]:
    return (found for case in cases if (found := under_release(case, release, RECORDINGS)))


def sample(cases: list[Case], shift: int) -> Iterator[Case]:
    """Some cases of each operation, spread over all of them."""
    for _, group in groupby(cases, key=lambda case: case.operation):
        of_operation = list(group)
        step = max(1, len(of_operation) // EVERYDAY)
        yield from of_operation[shift % step :: step]


@pytest.mark.parametrize("release", OLD, ids=lambda release: release.name)
def test_some_cases_of_every_operation(release: Release) -> None:
    assert failures(under(release, sample(master_cases(), OLD.index(release)))) == {}


@pytest.mark.slow
@pytest.mark.parametrize("release", OLD, ids=lambda release: release.name)
def test_all_cases(release: Release) -> None:
    assert failures(under(release, master_cases())) == {}


@pytest.mark.parametrize("release", OLD, ids=lambda release: release.name)
def test_small_cases(release: Release) -> None:
    assert failures(under(release, cases_in(FOLDER / "small"))) == {}


def test_every_release_but_master_and_derived_ones_has_recordings() -> None:
    assert RECORDINGS.releases.keys() == {release.name for release in OLD}


def test_small_cases_are_of_known_releases() -> None:
    kept = list(cases_in(FOLDER / "small"))
    run = [case for release in OLD for case in under(release, kept)]
    assert len(run) == len(kept) == 100
