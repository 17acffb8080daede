"""Releases that note which of their switches are asked."""

from itertools import pairwise

from sidecarctl.engine.releases.profiles import PATCH_RELEASES, PROFILES
from sidecarctl.engine.releases.release import MASTER, Release

NOT_SWITCHES = {"name", "fields", "stands_for"}
LINES = [PROFILES[name] for name in reversed(PROFILES) if name in PATCH_RELEASES or name == MASTER.name]
"""The releases without their one-switch variants, the oldest first."""

NEIGHBORS = list(pairwise(LINES))
"""Each release with the next newer one."""


def watched(release: Release) -> tuple[Release, set[str]]:
    """A release of the same behavior, unknown to all caches, and the switches that were read."""
    asked: set[str] = set()

    class Watched(Release):
        def __getattribute__(self, name: str) -> object:
            if name in Release.__annotations__ and name not in NOT_SWITCHES:
                asked.add(name)
            return super().__getattribute__(name)

    made = Watched()
    vars(made).update(vars(release))
    return made, asked


def differing(release: Release, other: Release) -> set[str]:
    """The switches in which two releases differ."""
    return {name for name in Release.__annotations__ if getattr(release, name) != getattr(other, name)} - NOT_SWITCHES
