"""The manifest of a SidecarSet as a stored revision has it, to be applied again.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions".
"""

from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.revisions.controller_revisions import (
    HASH_LABEL,
    SET_NAME_LABEL,
    STORED_FIELDS,
    Revision,
    as_v1beta1,
)
from sidecarctl.sidecarset.revisions.revision_restoring import restored
from sidecarctl.sidecarset.sets import GROUP, SidecarSet

_OF_REVISIONS = (HASH_LABEL, SET_NAME_LABEL, CUSTOM_VERSION_LABEL)
_COMPUTED = (HASH, HASH_WITHOUT_IMAGE, "kubectl.kubernetes.io/last-applied-configuration")


def restored_manifest(sidecarset: SidecarSet, revision: Revision) -> Object | None:
    """A v1beta1 manifest with the revision's content; None if its data cannot be applied.

    What no revision stores (selector, namespaces, strategies) is that of the set as it is now, as are its labels and
    annotations; the custom version is the revision's own.
    """
    older = restored(sidecarset, revision)
    if older is None:
        return None
    held = as_v1beta1(sidecarset)
    kept = {key: value for key, value in held["spec"].items() if key not in {*STORED_FIELDS, "customVersion"}}
    stored = {key: older.spec[key] for key in STORED_FIELDS if key in older.spec}
    version = revision.labels.get(CUSTOM_VERSION_LABEL)
    return {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "SidecarSet",
        "metadata": _metadata(held["metadata"], sidecarset.name),
        "spec": kept | stored | ({"customVersion": version} if version else {}),
    }


def _metadata(held: Object, name: str) -> Object:
    labels = _without(held.get("labels", {}), _OF_REVISIONS)
    annotations = _without(held.get("annotations", {}), _COMPUTED)
    members: Object = {"name": name, "labels": labels, "annotations": annotations}
    return {key: value for key, value in members.items() if value}


def _without(members: Object, keys: tuple[str, ...]) -> Object:
    return {key: value for key, value in members.items() if key not in keys}
