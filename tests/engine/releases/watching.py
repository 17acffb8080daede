"""Releases that note which of their switches are asked."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeVar

from sidecarctl.engine.releases.profiles import PATCH_RELEASES, PROFILES
from sidecarctl.engine.releases.release import MASTER, Release

Result = TypeVar("Result")
NOT_SWITCHES = {"name", "fields", "stands_for"}
LINES = [PROFILES[name] for name in reversed(PROFILES) if name in PATCH_RELEASES or name == MASTER.name]
"""The releases without their one-switch variants, the oldest first."""

NEIGHBORS = list(pairwise(LINES))
"""Each release with the next newer one."""


def watched(release: Release, changed: Mapping[str, object] | None = None) -> tuple[Release, set[str]]:
    """A release of this behavior, but for what is changed, unknown to all caches, and the switches that were read."""
    asked: set[str] = set()

    class Watched(Release):
        def __getattribute__(self, name: str) -> object:
            if name in Release.__annotations__ and name not in NOT_SWITCHES:
                asked.add(name)
            return super().__getattribute__(name)

    made = Watched()
    vars(made).update(vars(release) | dict(changed or {}))
    return made, asked


def differing(release: Release, other: Release) -> set[str]:
    """The switches in which two releases differ."""
    return {name for name in Release.__annotations__ if getattr(release, name) != getattr(other, name)} - NOT_SWITCHES


def once_agreed(older: Release, newer: Release, compute: Callable[[Release], Result]) -> tuple[Result, Result]:
    """Results of two releases once the older one knows the fields of the newer and agrees in all switches asked."""
    agreed: dict[str, object] = {"fields": newer.fields}
    while True:
        (item, asked), (other, asked_too) = watched(older, agreed), watched(newer)
        results = compute(item), compute(other)
        disputed = differing(item, newer) & (asked | asked_too)
        if not disputed:
            return results
        agreed |= {name: getattr(newer, name) for name in disputed}
