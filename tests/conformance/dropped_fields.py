"""The fields of a SidecarSet that the API of a release drops, as they are recorded."""

from collections.abc import Iterator, Mapping

from sidecarctl.engine.api.field_table import unknown_fields
from sidecarctl.engine.facts.values import Path, Value
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release
from sidecarctl.engine.sidecarset.conversion import as_known_to, type_of, version_of

Dropped = tuple[Path, str]
"""The path of a field that is dropped, and the type that lacks it."""


def dropped_fields(manifest: Value, release: Release = DEFAULT) -> list[Dropped]:
    """Every dropped field.

    Of a v1beta1 set that the release reads in its v1alpha1 form, those that v1beta1 lacks count too.
    """
    dropped = dict(_unknown_in(as_known_to(release, manifest), release))
    if not release.serves_v1beta1:
        dropped = dict(_unknown_in(manifest, MASTER)) | dropped
    return [(path, meant) for path, meant in dropped.items() if not _is_below(path, dropped)]


def _unknown_in(manifest: Value, release: Release) -> Iterator[Dropped]:
    return unknown_fields(manifest, type_of(version_of(manifest)), release=release)


def _is_below(path: Path, dropped: Mapping[Path, str]) -> bool:
    """Whether a field is inside another dropped one; then only the outer one is reported."""
    return any(path[:length] in dropped for length in range(1, len(path)))
