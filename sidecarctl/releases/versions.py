"""Find a release by a text: a profile, one of its patch releases, or the tag of an image.

Source: docs/behaviour/releases.md, "Profiles".
"""

from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.releases.profiles import PATCH_RELEASES, PROFILES
from sidecarctl.releases.release import Release

_NUMBER = lazy_pattern(r"v?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?")
_BY_PATCH = {patch: name for name, patches in PATCH_RELEASES.items() for patch in patches}
_REASONS = {
    "1.7.5": "its tag is the commit of 1.8.3, so the code that runs is unknown",
    "1.0.0": "it stores no ControllerRevisions",
    "1.5.0": "its revisions behave like 1.4, its pods like 1.5",
}
_NEAREST = {"1.7.5": ("1.7", "1.8"), "1.5.0": ("1.4", "1.5")}


class UnknownReleaseError(ValueError):
    """A text that names no known release; `nearest` are the names to choose from."""

    def __init__(self, text: str, why: str, nearest: tuple[str, ...]) -> None:
        super().__init__(f'"{text}" {why}')
        self.nearest = nearest


def release_named(text: str) -> Release:
    """The release with a name such as `1.7`, `1.7.4`, `v1.7.4` or `master`; else UnknownReleaseError."""
    if text == "master":
        return PROFILES[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        raise UnknownReleaseError(text, "is not a release of Kruise", tuple(PROFILES))
    plain = text.removeprefix("v")
    name = _BY_PATCH.get(plain, plain)
    if name in PROFILES:
        return PROFILES[name]
    why = _REASONS.get(plain, "was not recorded")
    major, minor, _ = number.groups()
    raise UnknownReleaseError(text, f"is not supported: {why}", _NEAREST.get(plain) or _near(int(major), int(minor)))


def release_of_image(image: str) -> Release:
    """The release of a manager's image such as `openkruise/kruise-manager:v1.8.0`, by its tag.

    UnknownReleaseError if the image has no tag, is referenced by digest, or the tag is not a release.
    """
    named, at, _ = image.partition("@")
    if at:
        raise UnknownReleaseError(
            image, "is referenced by digest, which does not identify a release", tuple(PROFILES)
        )
    _, colon, tag = named.rpartition("/")[2].partition(":")
    if not colon:
        raise UnknownReleaseError(image, "has no tag to identify the release", tuple(PROFILES))
    return release_named(tag)


def _near(major: int, minor: int) -> tuple[str, ...]:
    """The profiles nearest to an unknown version: the one below and the one above."""
    known = sorted((tuple(map(int, name.split("."))), name) for name in PATCH_RELEASES)
    wanted = (major, minor)
    below = [name for version, name in known if version <= wanted][-1:]
    above = [name for version, name in known if version > wanted][:1]
    return (*below, *above) if above else (*below, "master")
