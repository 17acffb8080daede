"""Recorded cases under a release of Kruise."""

from dataclasses import replace

from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.releases.release import MASTER, Release
from tests.conformance.cases import Case
from tests.engine.releases.recordings import Recordings

NOT_RECORDED = {"convert", "expr", "pub", "webhook"}
"""Operations that only master has results for."""


def under_release(case: Case, release: Release, recordings: Recordings) -> Case | None:
    """The case with the results of the release; None if it has none for that release."""
    if case.kruise:
        return replace(case, release=release) if release_named(case.kruise) is release else None
    if release is MASTER:
        return case
    if case.operation in NOT_RECORDED:
        return None
    return replace(case, release=release, expect=recordings.expected(case.key, release, case.expect))
