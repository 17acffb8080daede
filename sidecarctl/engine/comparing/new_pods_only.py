"""What changes for new pods alone: what a pod gets, and no hash of the SidecarSet covers.

Source: docs/behavior/hash-and-revisions.md, "The two hashes".
"""

from collections.abc import Collection, Iterator

from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, custom_version_of, revision_name
from sidecarctl.engine.sidecarset.revisions.revision_choice import asked_revision
from sidecarctl.engine.sidecarset.revisions.revision_restoring import restored
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_native_sidecar

_UNCOVERED = ("volumes", "initContainers", "imagePullSecrets", "patchPodMetadata")


def changes_only_new_pods(old: SidecarSet, new: SidecarSet, revisions: Collection[Revision] = ()) -> bool:
    """Whether new pods get something that running pods do not get by an update."""
    before, after = (_for_new_pods(item, (old, new), revisions) for item in (old, new))
    if before != after and not (before == {revision_name(old)} and after == {revision_name(new)}):
        return True
    if before == after and len(after) == 1:
        return False  # all new pods get the same revision as before
    strategy = new.spec.get("updateStrategy") or {}
    is_kept = strategy.get("type") == "NotUpdate" and old.hash != new.hash
    return is_kept or any(True for _ in _uncovered(old, new))


def _for_new_pods(
    sidecarset: SidecarSet, versions: Collection[SidecarSet], revisions: Collection[Revision]
) -> frozenset[str]:
    """The names of the revisions that new pods may get; of two, the pod decides.

    `versions` are those of the SidecarSet: Kruise stores both under their names.
    """
    current, asked = revision_name(sidecarset), _pin(sidecarset)
    name, version = asked.get("revisionName"), asked.get("customVersion")
    if not (name or version):
        return frozenset((current,))
    found = asked_revision(sidecarset, revisions)
    older = restored(sidecarset, found) if found else None
    if older:
        pinned = revision_name(older)
    else:
        own = (revision_name(item) for item in versions if custom_version_of(item) == version)
        pinned = str(name or next(own, f"version {version}"))
    strategy = sidecarset.spec.get("updateStrategy") or {}
    is_partial = sidecarset.release.partial_policy and asked.get("policy") == "Partial"
    if not is_partial or strategy.get("paused"):
        return frozenset((pinned,))
    is_for_all = not strategy.get("selector") and isinstance(strategy.get("partition", 0), int)
    return frozenset((current,) if is_for_all else (current, pinned))


def mixed_update(old: SidecarSet, new: SidecarSet, pods: str) -> Finding | None:
    """`10 pods will run log:2.0 with the volumes of the old version: ...`; `pods` is what comes before the image."""
    members = list(_uncovered(old, new))
    if not members:
        return None
    details = [text for member in members for text in _differences(member, *_values(member, old, new))]
    message = f"{pods} {', '.join(_new_images(old, new))} with the {_joined(members)} of the old version"
    return warning(Reason.MIXED_UPDATE, f"{message}: {'; '.join(details)}", ("spec", members[0]))


def _pin(sidecarset: SidecarSet) -> Object:
    """The revision that new pods get instead of the current one, as written; empty for none."""
    return (sidecarset.spec.get("injectionStrategy") or {}).get("revision") or {}


def _values(member: str, old: SidecarSet, new: SidecarSet) -> tuple[list[Object], list[Object]]:
    return old.spec.get(member) or [], new.spec.get(member) or []


def _uncovered(old: SidecarSet, new: SidecarSet) -> Iterator[str]:
    """The members of spec that differ and that the hashes leave out: initContainers count if one is native."""
    for member in _UNCOVERED:
        before, after = _values(member, old, new)
        is_covered = member == "initContainers" and any(map(is_native_sidecar, [*before, *after]))
        if before != after and not is_covered:
            yield member


def _new_images(old: SidecarSet, new: SidecarSet) -> list[str]:
    before, after = _values("containers", old, new)
    images = {item.get("name"): item.get("image") for item in before}
    return [str(item.get("image")) for item in after if images.get(item.get("name")) != item.get("image")]


def _differences(member: str, before: list[Object], after: list[Object]) -> Iterator[str]:
    """`buf is emptyDir, new pods get configMap log-v2`, for each item that differs; else that the order does."""
    if member == "patchPodMetadata":
        yield "new pods get other labels or annotations"
        return
    was, now = ({str(item.get("name")): item for item in items} for items in (before, after))
    names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    if not names:
        yield f"new pods get the {member} in another order"
    for name in names:
        if name not in now:
            yield f"new pods do not get {name}"
        elif name not in was:
            yield f"only new pods get {name}"
        else:
            yield _change(name, _source(was[name]), _source(now[name]))


def _change(name: str, before: str, after: str) -> str:
    return f"new pods get another {name}" if before == after else f"{name} is {before}, new pods get {after}"


def _source(item: Object) -> str:
    """`configMap log-v2` of a volume, the image of a container."""
    if "image" in item:
        return str(item["image"])
    return ", ".join(_named(kind, value) for kind, value in item.items() if kind != "name")


def _named(kind: str, value: Value) -> str:
    if not isinstance(value, dict):
        return kind
    keys = ("name", "secretName", "claimName", "path")
    return " ".join([kind, *(str(value[key]) for key in keys if value.get(key))])


def _joined(members: list[str]) -> str:
    return members[0] if len(members) == 1 else f"{', '.join(members[:-1])} and {members[-1]}"
