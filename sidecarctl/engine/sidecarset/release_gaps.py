"""Features of a SidecarSet that a release of Kruise does not know, although the user expects them to work.

Source: docs/behavior/releases.md, "Known fields".
"""

from collections.abc import Callable, Collection, Iterator
from itertools import takewhile

from sidecarctl.engine.api.field_table import unknown_fields
from sidecarctl.engine.facts.findings import Finding, error, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.feature_gates import ALL_ALPHA
from sidecarctl.engine.releases.profiles import PATCH_RELEASES, PROFILES
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.sidecarset.conversion import as_known_to, type_of, version_of

_CANARY = "apps.kruise.io/sidecarset-canary"
_POLICY = ("spec", "injectionStrategy", "revision", "policy")
_SLEEP = "sleep"
_NEWER_GATES: dict[str, Callable[[Release], bool]] = {
    "SidecarSetPatchPodMetadataDefaultsAllowed": lambda release: _knows_field("patchPodMetadata", release),
    "EnableSortSidecarContainerByName": lambda release: release.sort_gate,
    "EnhancedLivenessProbe": lambda release: release.enhanced_liveness,
    "EnablePodProbeMarkerOnServerless": lambda release: release.probe_marker_gate,
    "SidecarTerminator": lambda release: release.terminates_sidecars,
}
_NEW_OF_BUDGETS = ("protectOperations", "protectTotalReplicas", "ignoredPodSelector")
_CONSEQUENCES = {
    "namespaceSelector": "the SidecarSet applies to every namespace",
    "restartPolicy": "the sidecar becomes a plain initContainer, which blocks every pod",
    "revision": "new pods get the newest sidecar",
    "resourcesPolicy": "the sidecar comes without resources",
    "image": "the volume becomes an emptyDir",
}
"""What happens to a set without the field, if that is not obvious."""


def gaps(manifest: Object, release: Release) -> list[Finding]:
    """An error for each field and value of a SidecarSet that master knows and a release does not.

    The manifest must have passed `reading.decode` in that release.
    """
    return [*_of_version(manifest, release), *_of_fields(manifest, release), *_of_values(manifest, release)]


def unknown_gates(feature_gates: Collection[str], release: Release) -> list[Finding]:
    """An error for each feature gate that a release does not have: its Kruise would not start with it.

    None with `AllAlpha`, which turns on gates that are not named.
    """
    if ALL_ALPHA in feature_gates:
        return []
    named = {gate.removesuffix("=false") for gate in feature_gates}
    return [
        _gap(release, f"the feature gate {gate}", first_release(release, knows), "Kruise would not start", ())
        for gate, knows in _NEWER_GATES.items()
        if gate in named and not knows(release)
    ]


def budget_gaps(manifest: Object, release: Release) -> list[Finding]:
    """What a release, or its own API version, does not know of a PodUnavailableBudget.

    One with a uid comes from an API server, which does not reject it.
    """
    if str(manifest.get("apiVersion")).endswith("/v1beta1"):
        if release.budget_fields:
            return []
        if (manifest.get("metadata") or {}).get("uid"):
            message = f"{release.behavior} does not know policy.kruise.io/v1beta1, which the cluster serves"
            return [
                note(Reason.UNKNOWN_TO_RELEASE, f"{message}: the newer fields of the budget count", ("apiVersion",))
            ]
        since = first_release(release, lambda newer: newer.budget_fields)
        what = "a PodUnavailableBudget of policy.kruise.io/v1beta1"
        gap = _gap(release, what, since, "the API server rejects it", ("apiVersion",))
        return [gap._replace(hint="write policy.kruise.io/v1alpha1, which lacks the newer fields")]
    spec = manifest.get("spec") or {}
    return [
        warning(Reason.UNKNOWN_FIELD, f"policy.kruise.io/v1alpha1 does not have {field}", ("spec", field))
        for field in _NEW_OF_BUDGETS
        if spec.get(field)
    ]


def _knows_field(name: str, release: Release) -> bool:
    """Whether a release knows a field of the spec of a SidecarSet."""
    return not any(
        _unknown_in({"apiVersion": "apps.kruise.io/v1alpha1", "kind": "SidecarSet", "spec": {name: []}}, release)
    )


def _of_version(manifest: Object, release: Release) -> Iterator[Finding]:
    if not release.serves_v1beta1 and version_of(manifest) == "v1beta1":
        since = first_release(release, lambda newer: newer.serves_v1beta1)
        message = f"{release.behavior} does not know the API version v1beta1 (supported since {since})"
        hint = "sidecarctl convert --to v1alpha1"
        yield error(Reason.UNKNOWN_TO_RELEASE, message, ("apiVersion",), hint=hint)


def _of_fields(manifest: Object, release: Release) -> Iterator[Finding]:
    read = as_known_to(release, manifest)
    if release.fields == MASTER.fields:
        return
    never_known = {path for path, _ in _unknown_in(read, MASTER)}
    for path, _ in _unknown_in(read, release):
        if path not in never_known:
            name = str(path[-1])
            since = first_release(release, lambda newer: _works(path, read, newer))  # noqa: B023 - used at once
            consequence = _CONSEQUENCES.get(name, "it is silently dropped")
            yield _gap(release, f"the field {name}", since, consequence, path)


def _works(path: Path, manifest: Object, release: Release) -> bool:
    """Whether a release knows a field and accepts at least some of its values."""
    if path[-1] == _SLEEP and not release.sleep_hooks:
        return False
    return path not in dict(_unknown_in(manifest, release))


def _of_values(manifest: Object, release: Release) -> Iterator[Finding]:
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    if not release.canary_sets and annotations.get(_CANARY) == "true":
        since = first_release(release, lambda newer: newer.canary_sets)
        path = ("metadata", "annotations", _CANARY)
        yield _gap(release, "a canary SidecarSet", since, "base and canary are both injected", path)
    if not release.partial_policy and _policy(manifest, release) == "Partial":
        since = first_release(release, lambda newer: newer.partial_policy)
        yield _gap(release, "the policy Partial", since, "the webhook rejects the SidecarSet", _POLICY)


def _policy(manifest: Object, release: Release) -> Value:
    """The policy of injectionStrategy.revision, unless the release drops the field around it."""
    strategy = (manifest.get("spec") or {}).get("injectionStrategy") or {}
    is_known = _POLICY[:-1] not in dict(_unknown_in(manifest, release))
    return (strategy.get("revision") or {}).get("policy") if is_known else None


def _gap(release: Release, what: str, since: str, consequence: str, path: Path) -> Finding:
    if since == MASTER.name:
        message = f"{what} needs `--kruise {since}`: with {release.behavior}, as with every release, {consequence}"
        return error(Reason.UNKNOWN_TO_RELEASE, message, path, hint="remove it")
    message = f"{release.behavior} does not know {what} (supported since {since}): {consequence}"
    return error(Reason.UNKNOWN_TO_RELEASE, message, path, hint=f"remove it, or upgrade Kruise to {since}")


def _unknown_in(manifest: Value, release: Release) -> Iterator[tuple[Path, str]]:
    return unknown_fields(manifest, type_of(version_of(manifest)), release=release)


def first_release(release: Release, knows: Callable[[Release], bool]) -> str:
    """The oldest of the releases newer than the given one that knows something."""
    lines = [profile for profile in PROFILES.values() if profile is MASTER or profile.name in PATCH_RELEASES]
    newer = takewhile(lambda profile: profile.fields != release.fields or profile is MASTER, lines)
    return [profile.name for profile in newer if knows(profile)][-1]
