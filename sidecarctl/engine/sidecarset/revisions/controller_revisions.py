"""ControllerRevisions: which part of a set is stored, and under which name.

Source: docs/behavior/hash-and-revisions.md, "ControllerRevisions".
"""

from collections.abc import Iterable
from typing import NamedTuple

from sidecarctl.engine.api.canonical import compact, encoded, typed
from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.admission import safely_encoded
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL, to_v1beta1
from sidecarctl.engine.sidecarset.sets import GROUP, SidecarSet

KRUISE_NAMESPACE = "kruise-system"
"""Where Kruise keeps revisions, and the only place where it looks for them."""

SET_NAME_LABEL = "kruise.io/sidecarset-name"
HASH_LABEL = "controller.kubernetes.io/hash"
STORED_FIELDS = {
    "volumes": "[]core.Volume",
    "containers": "[]v1beta1.SidecarContainer",
    "initContainers": "[]v1beta1.SidecarContainer",
    "imagePullSecrets": "[]core.LocalObjectReference",
    "patchPodMetadata": "[]v1beta1.SidecarSetPatchPodMetadata",
}
"""The fields of a spec that a revision keeps, with their types."""


class Revision(NamedTuple):
    """A ControllerRevision; `created` is its time of creation as text, empty if unknown."""

    name: str
    namespace: str
    labels: dict[str, str]
    annotations: dict[str, str]
    data: Value
    number: int
    created: str = ""
    owners: tuple[Object, ...] = ()

    @property
    def data_text(self) -> str:
        """The bytes that Kruise compares and hashes."""
        return compact(self.data, sort_keys=True)

    @property
    def manifest(self) -> Object:
        """The revision as an object; members that are empty are left out."""
        metadata = {
            "name": self.name,
            "namespace": self.namespace,
            "creationTimestamp": self.created,
            "labels": self.labels,
            "annotations": self.annotations,
            "ownerReferences": list(self.owners),
        }
        return {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {key: metadata[key] for key in metadata if metadata[key]},
            "data": self.data,
            "revision": self.number,
        }


def read_revision(manifest: Value) -> Revision:
    """The revision that a manifest holds; InputError with a finding for each value that cannot be decoded."""
    if not isinstance(manifest, dict) or manifest.get("kind") != "ControllerRevision":
        raise input_error(Reason.WRONG_TYPE, "not a ControllerRevision", ("kind",))
    if problems := check(manifest, "apps.ControllerRevision"):
        raise InputError(*problems)
    held = typed(manifest, "apps.ControllerRevision")
    metadata = held["metadata"]
    return Revision(
        name=metadata.get("name", ""),
        namespace=metadata.get("namespace", ""),
        labels=metadata.get("labels", {}),
        annotations=metadata.get("annotations", {}),
        data=held.get("data"),
        number=held["revision"],
        created=metadata.get("creationTimestamp", ""),
        owners=tuple(metadata.get("ownerReferences", ())),
    )


def new_revision(sidecarset: SidecarSet, number: int) -> Revision:
    """The revision that Kruise stores of a set, under its number."""
    held = as_v1beta1(sidecarset)
    metadata, data = held["metadata"], _data(held["spec"], sidecarset.release)
    code = _code(sidecarset, data)
    version = custom_version_of(sidecarset)
    labels = metadata.get("labels", {}) | {HASH_LABEL: code, SET_NAME_LABEL: sidecarset.name}
    owner = {
        "apiVersion": f"{GROUP}/{'v1beta1' if sidecarset.release.serves_v1beta1 else 'v1alpha1'}",
        "kind": "SidecarSet",
        "name": sidecarset.name,
        "uid": metadata.get("uid", ""),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return Revision(
        name=f"{sidecarset.name}-{code}",
        namespace=KRUISE_NAMESPACE,
        labels=labels | ({CUSTOM_VERSION_LABEL: version} if version else {}),
        annotations=metadata.get("annotations", {}),
        data=data,
        number=number,
        owners=(owner,),
    )


def replaces_fields(revision: Revision) -> bool:
    """Whether the data of a revision say that they replace what a set has, as 1.5.1 and newer write it."""
    stored = revision.data.get("spec") if isinstance(revision.data, dict) else None
    return isinstance(stored, dict) and stored.get("$patch") == "replace"


def as_v1beta1(sidecarset: SidecarSet) -> Object:
    """The set as an object of v1beta1, in whose form Kruise stores it."""
    return to_v1beta1(sidecarset.manifest) if sidecarset.version == "v1alpha1" else sidecarset.manifest


def custom_version_of(sidecarset: SidecarSet) -> str:
    """The custom version of the set; empty if it has none."""
    return str(as_v1beta1(sidecarset)["spec"].get("customVersion", ""))


def revision_name(sidecarset: SidecarSet) -> str:
    """The name of the revision that Kruise stores of a set, unless another one already has it."""
    return f"{sidecarset.name}-{_code(sidecarset, _data(as_v1beta1(sidecarset)['spec'], sidecarset.release))}"


def revision_hash(data_text: str, collision_count: int) -> str:
    """The suffix of a revision's name."""
    value = 0x811C9DC5  # FNV-1 of 32 bits
    for byte in f"{data_text}{collision_count}".encode():
        value = value * 0x01000193 & 0xFFFFFFFF ^ byte
    return safely_encoded(str(value))


def _code(sidecarset: SidecarSet, data: Object) -> str:
    return revision_hash(compact(data, sort_keys=True), sidecarset.collision_count)


def _data(spec: Object, release: Release) -> Object:
    # An empty list is as absent as none: the API writes neither, so both are stored as null.
    stored = {
        name: encoded(spec[name], type_name, release) if spec.get(name) else None
        for name, type_name in STORED_FIELDS.items()
        if name != "patchPodMetadata" or release.stores_metadata_patches
    }
    return {"spec": {"$patch": "replace"} | stored if release.patch_marker else stored}


def own_revisions(sidecarset: SidecarSet, revisions: Iterable[Revision]) -> list[Revision]:
    """The revisions of a set, the latest at the end."""
    own = [revision for revision in revisions if _is_of(revision, sidecarset)]
    return sorted(own, key=lambda revision: (revision.number, revision.created, revision.name))


def _is_of(revision: Revision, sidecarset: SidecarSet) -> bool:
    if revision.namespace != KRUISE_NAMESPACE or revision.labels.get(SET_NAME_LABEL) != sidecarset.name:
        return False
    controllers = [owner for owner in revision.owners if owner.get("controller")]
    uid = sidecarset.metadata.get("uid")
    if not controllers or uid is None:  # a manifest that never was in a cluster has no uid
        return True
    return bool(controllers[0]["uid"] == uid)
