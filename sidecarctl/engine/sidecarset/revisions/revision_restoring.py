"""Restores a set from a stored revision, or from each whose hash pods record.

Source: docs/behavior/hash-and-revisions.md, "ControllerRevisions", Restoring.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.admission import hash_annotations, recorded_hashes
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.engine.sidecarset.revisions.controller_revisions import (
    HASH_LABEL,
    SET_NAME_LABEL,
    STORED_FIELDS,
    Revision,
    as_v1beta1,
    custom_version_of,
    own_revisions,
)
from sidecarctl.engine.sidecarset.sets import GROUP, SidecarSet

MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "env": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
}
"""The lists that are merged item by item, with the member that names an item; all others are replaced."""


class MergeError(ValueError):
    """A patch that cannot be applied."""


def merged(original: Object, patch: Object, *, by_name: bool = True) -> Object:
    """An object with a patch applied: objects merge, null removes, `$patch` replaces or empties.

    Lists merge item by item, or are replaced as a whole where not `by_name`.

    MergeError at another directive, or at an item of a merged list that lacks its key.
    """
    directive = patch.get("$patch")
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    if directive == "delete":
        return {}
    if any(key.startswith("$") for key in patch):
        raise MergeError("the patch has an unknown directive")
    changed = {key: _merged_value(key, original.get(key), value, by_name=by_name) for key, value in patch.items()}
    return {key: value for key, value in (original | changed).items() if key not in patch or value is not None}


def _merged_value(key: str, original: Value, patch: Value, *, by_name: bool) -> Value:
    if isinstance(original, dict) and isinstance(patch, dict):
        return merged(original, patch, by_name=by_name)
    if by_name and isinstance(original, list) and isinstance(patch, list) and key in MERGE_KEYS:
        return _merged_list(MERGE_KEYS[key], original, patch)
    return patch


def _merged_list(key: str, original: list[Value], patch: list[Value]) -> list[Value]:
    """The items of both: those of the patch in its order, each after the ones that it followed before.

    An item of the patch is merged into the first item of its key, be that an earlier one of the patch. Items of one
    key end up together.
    """
    if not all(isinstance(item, dict) and isinstance(item.get(key), str | int) for item in original + patch):
        raise MergeError(f"an item of a list that is merged by {key} has no {key}")
    if any("$patch" in item for item in patch):
        raise MergeError("directives inside lists are not supported")
    places, order = _first_places(key, original), _first_places(key, patch)
    items = list(original)
    for item in patch:
        found = next((index for index, other in enumerate(items) if other[key] == item[key]), None)
        if found is None:
            items.append(item)
        else:
            items[found] = merged(items[found], item)
    kept = sorted((item for item in items if item[key] not in order), key=lambda item: places[item[key]])
    result: list[Value] = []
    for item in sorted((item for item in items if item[key] in order), key=lambda item: order[item[key]]):
        place = places.get(item[key])
        while kept and place is not None and places[kept[0][key]] < place:
            result.append(kept.pop(0))
        result.append(item)
    return result + kept


def _first_places(key: str, items: list[Value]) -> dict[Value, int]:
    return {item[key]: index for index, item in reversed(list(enumerate(items)))}


_SPEC_TYPE = "v1beta1.SidecarSetSpec"


def restored(sidecarset: SidecarSet, revision: Revision) -> SidecarSet | None:
    """A v1beta1 set with the content of the revision, without any defaults; None if it cannot be applied.

    Its hashes are those that the revision carries, else those of the stored fields as they are.
    """
    held = as_v1beta1(sidecarset)
    data = {"spec": {}} if revision.data is None else revision.data  # nothing is merged over the set as it is
    stored = data.get("spec") if isinstance(data, dict) else None
    if not isinstance(stored, dict):
        return None
    try:
        spec = merged(held["spec"], stored, by_name=sidecarset.release.restores_by_name)
    except MergeError:
        return None
    if check(spec, _SPEC_TYPE, release=sidecarset.release):
        return None
    typed_spec = typed(spec, _SPEC_TYPE, sidecarset.release)
    hashes = hash_annotations(typed_spec, spec, sidecarset.release) | recorded_hashes(revision.annotations)
    metadata = held["metadata"]
    return sidecarset._replace(
        version="v1beta1",
        metadata=metadata | {"annotations": metadata.get("annotations", {}) | hashes},
        spec=typed_spec,
        hash=hashes[HASH],
        hash_without_image=hashes[HASH_WITHOUT_IMAGE],
        latest_revision=revision.name,
    )


class KnownRevision(NamedTuple):
    """A SidecarSet as a revision has it, the name of the revision, and its custom version; empty if unknown."""

    sidecarset: SidecarSet
    name: str
    version: str = ""


def known_revisions(
    sidecarset: SidecarSet,
    latest: str,
    revisions: Collection[Revision],
    others: Iterable[SidecarSet] = (),
    recorded: Collection[str] = (),
) -> Mapping[str, KnownRevision]:
    """The SidecarSet as it is, revision `latest`; then `others` of its name; then what its revisions store.

    Of two revisions with one hash, which differ in what no pod is updated for, the later one counts. Revisions of
    other SidecarSets, which injectionStrategy.revision can name, are looked at for hashes that pods have `recorded`.
    """
    known = {sidecarset.hash: KnownRevision(sidecarset, latest, custom_version_of(sidecarset))}
    own = own_revisions(sidecarset, revisions)
    for item in versions_of(sidecarset, revisions, others):
        known.setdefault(item.sidecarset.hash, item)
    unknown = set(recorded) - {*known, *(revision.annotations.get(HASH) for revision in own)}
    foreign = [revision for revision in revisions if unknown and revision.annotations.get(HASH) in unknown]
    for item in _restored_all(sidecarset, foreign):
        known.setdefault(item.sidecarset.hash, item)
    return known


def versions_of(
    sidecarset: SidecarSet, revisions: Collection[Revision], others: Iterable[SidecarSet] = ()
) -> Iterator[KnownRevision]:
    """The `others` of its name, then what its revisions store, the latest first; several may have one hash."""
    for other in others:
        if other.name == sidecarset.name:
            yield KnownRevision(other, other.latest_revision, custom_version_of(other))
    yield from _restored_all(sidecarset, reversed(own_revisions(sidecarset, revisions)))


def _restored_all(sidecarset: SidecarSet, revisions: Iterable[Revision]) -> Iterator[KnownRevision]:
    for revision in revisions:
        if older := restored(sidecarset, revision):
            yield KnownRevision(older, revision.name, revision.labels.get(CUSTOM_VERSION_LABEL, ""))


_OF_REVISIONS = (HASH_LABEL, SET_NAME_LABEL, CUSTOM_VERSION_LABEL)
_COMPUTED = (HASH, HASH_WITHOUT_IMAGE, "kubectl.kubernetes.io/last-applied-configuration")


def restored_manifest(sidecarset: SidecarSet, revision: Revision) -> Object | None:
    """A manifest in the set's API version with the revision's content; None if its data cannot be applied.

    What no revision stores (selector, namespaces, strategies) is that of the set as it is now, as are its labels and
    annotations; the custom version is the revision's own.
    """
    older = restored(sidecarset, revision)
    if older is None:
        return None
    kept = {key: value for key, value in sidecarset.spec.items() if key not in {*STORED_FIELDS, "customVersion"}}
    stored = {key: older.spec[key] for key in STORED_FIELDS if key in older.spec}
    version = revision.labels.get(CUSTOM_VERSION_LABEL)
    has_field = sidecarset.version == "v1beta1"
    return {
        "apiVersion": f"{GROUP}/{sidecarset.version}",
        "kind": "SidecarSet",
        "metadata": _metadata(
            sidecarset.metadata, sidecarset.name, {CUSTOM_VERSION_LABEL: version} if version and not has_field else {}
        ),
        "spec": kept | stored | ({"customVersion": version} if version and has_field else {}),
    }


def _metadata(held: Object, name: str, version: Object) -> Object:
    labels = _without(held.get("labels", {}), _OF_REVISIONS) | version
    annotations = _without(held.get("annotations", {}), _COMPUTED)
    members: Object = {"name": name, "labels": labels, "annotations": annotations}
    return {key: value for key, value in members.items() if value}


def _without(members: Object, keys: tuple[str, ...]) -> Object:
    return {key: value for key, value in members.items() if key not in keys}
