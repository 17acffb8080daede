"""What a SidecarSet asks for that a release of Kruise does not know: the user believes that it works.

Source: docs/behaviour/releases.md, "Known fields".
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

from sidecarctl.api.unknown_fields import unknown_fields
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.profiles import PATCH_RELEASES, PROFILES
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.conversion import as_known_to
from sidecarctl.sidecarset.decoding import type_of, version_of

Dropped = tuple[Path, str]
"""The path of a field that is dropped, and the name that was likely meant (`api.unknown_fields`)."""

_CANARY = "apps.kruise.io/sidecarset-canary"
_POLICY = ("spec", "injectionStrategy", "revision", "policy")
_SLEEP = "sleep"
_SORT_GATE = "EnableSortSidecarContainerByName"
_CONSEQUENCES = {
    "namespaceSelector": "the SidecarSet applies to every namespace",
    "restartPolicy": "the sidecar becomes a plain initContainer, which blocks every pod",
    "revision": "new pods get the newest sidecar",
    "resourcesPolicy": "the sidecar comes without resources",
    "image": "the volume becomes an emptyDir",
}
"""What becomes of a set without the field, where that is not plain."""


def dropped_fields(manifest: Value, release: Release = MASTER) -> list[Dropped]:
    """Every field of a SidecarSet that the API of a release drops.

    Of a v1beta1 set that the release reads in its v1alpha1 form, those that v1beta1 lacks count too.
    """
    dropped = dict(_unknown_in(as_known_to(release, manifest), release))
    if not release.serves_v1beta1:
        dropped = dict(_unknown_in(manifest, MASTER)) | dropped
    return list(dropped.items())


def gaps(manifest: Object, release: Release) -> list[Finding]:
    """An error for each field and value of a SidecarSet that master knows and a release does not.

    The manifest must have passed `reading.decode` in that release.
    """
    return [*_of_version(manifest, release), *_of_fields(manifest, release), *_of_values(manifest, release)]


def unknown_gates(feature_gates: Iterable[str], release: Release) -> list[Finding]:
    """An error for each feature gate that a release does not have: its Kruise would not start with it."""
    if release.sort_gate or _SORT_GATE not in feature_gates:
        return []
    since = _since(release, lambda newer: newer.sort_gate)
    return [_gap(release, f"the feature gate {_SORT_GATE}", since, "Kruise would not start", ())]


def _of_version(manifest: Object, release: Release) -> Iterator[Finding]:
    if not release.serves_v1beta1 and version_of(manifest) == "v1beta1":
        since = _since(release, lambda newer: newer.serves_v1beta1)
        message = f"{release.behaviour} does not know the API version v1beta1 ({_known(since)})"
        hint = "sidecarctl convert --to v1alpha1"
        yield error(Reason.UNKNOWN_TO_RELEASE, message, ("apiVersion",), hint=hint)


def _of_fields(manifest: Object, release: Release) -> Iterator[Finding]:
    read = as_known_to(release, manifest)
    never_known = {path for path, _ in _unknown_in(read, MASTER)}
    for path, _ in _unknown_in(read, release):
        if path not in never_known:
            name = str(path[-1])
            since = _since(release, lambda newer: _works(path, read, newer))  # noqa: B023 - used at once
            consequence = _CONSEQUENCES.get(name, "it is dropped without a word")
            yield _gap(release, f"the field {name}", since, consequence, path)


def _works(path: Path, manifest: Object, release: Release) -> bool:
    """Whether a release knows a field and does not refuse all that it can hold."""
    if path[-1] == _SLEEP and not release.sleep_hooks:
        return False
    return path not in dict(_unknown_in(manifest, release))


def _of_values(manifest: Object, release: Release) -> Iterator[Finding]:
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    if not release.canary_sets and annotations.get(_CANARY) == "true":
        since = _since(release, lambda newer: newer.canary_sets)
        path = ("metadata", "annotations", _CANARY)
        yield _gap(release, "canary SidecarSets", since, "base and canary are both injected", path)
    if not release.partial_policy and _policy(manifest, release) == "Partial":
        since = _since(release, lambda newer: newer.partial_policy)
        yield _gap(release, "the policy Partial", since, "the webhook rejects the SidecarSet", _POLICY)


def _policy(manifest: Object, release: Release) -> Value:
    """The policy of injectionStrategy.revision, unless the release drops the field around it."""
    strategy = (manifest.get("spec") or {}).get("injectionStrategy") or {}
    is_known = _POLICY[:-1] not in dict(_unknown_in(manifest, release))
    return (strategy.get("revision") or {}).get("policy") if is_known else None


def _gap(release: Release, what: str, since: str, consequence: str, path: Path) -> Finding:
    message = f"{release.behaviour} does not know {what} ({_known(since)}): {consequence}"
    upgrade = "" if since == MASTER.name else f", or upgrade Kruise to {since}"
    return error(Reason.UNKNOWN_TO_RELEASE, message, path, hint=f"remove it{upgrade}")


def _known(since: str) -> str:
    return "only unreleased versions of Kruise do" if since == MASTER.name else f"supported since {since}"


def _unknown_in(manifest: Value, release: Release) -> Iterator[Dropped]:
    return unknown_fields(manifest, type_of(version_of(manifest)), release=release)


def _since(release: Release, knows: Callable[[Release], bool]) -> str:
    """The oldest of the releases newer than the given one that knows something."""
    lines = [profile for profile in PROFILES.values() if profile is MASTER or profile.name in PATCH_RELEASES]
    newer = takewhile(lambda profile: profile.fields != release.fields or profile is MASTER, lines)
    return [profile.name for profile in newer if knows(profile)][-1]
