"""The set of a plan in the cluster: whether Kruise would carry out, or revert, the same rollout."""

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.admission import admit

SIDECARSET_VERSIONS = ("v1beta1", "v1alpha1")
"""The API versions of SidecarSet, newest first; Kruise up to 1.8 serves the second alone."""


class SetView(NamedTuple):
    """A set as the cluster holds it; None where there is none. `hashes` are those that a plan may have."""

    name: str
    manifest: Object | None
    hashes: frozenset[str]


def objection(view: SetView, release: Release) -> str:
    """Why Kruise would interfere with a push of the set; empty where it would not."""
    if view.manifest is None:
        return ""
    if (view.manifest.get("metadata") or {}).get("deletionTimestamp"):
        return "it is being deleted"
    strategy = (view.manifest.get("spec") or {}).get("updateStrategy") or {}
    if not (strategy.get("paused") or strategy.get("type") == "NotUpdate"):
        return "it is neither paused nor of type NotUpdate, so Kruise updates its pods itself"
    try:
        found = admit(view.manifest, release).hash
    except SidecarctlError as fault:
        return f"it cannot be read: {fault}"
    if found not in view.hashes:
        expected = " or ".join(sorted(view.hashes))
        return f"its hash is {found}, the plan has {expected}: Kruise would bring pods to it when it is unpaused"
    return ""


def change(before: SetView, after: SetView, release: Release) -> str:
    """What has happened to a set during a push that must stop it; empty where nothing has that matters."""
    if before.manifest is None:
        return objection(after, release) and f"it was created: {objection(after, release)}"
    if after.manifest is None:
        return "it was deleted"
    if _uid(before.manifest) != _uid(after.manifest):
        return "it was deleted and created again"
    return objection(after, release)


def _uid(manifest: Object) -> str:
    return (manifest.get("metadata") or {}).get("uid") or ""
