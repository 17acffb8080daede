"""A set as a stored revision has it.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions", Restoring.
"""

from sidecarctl.api.canonical import typed
from sidecarctl.api.decoding import check
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.sidecarset.hashes import (
    Hashes,
    annotations_of,
    hashes,
)
from sidecarctl.sidecarset.revisions.controller_revisions import Revision, as_v1beta1
from sidecarctl.sidecarset.revisions.strategic_merge import MergeError, merged
from sidecarctl.sidecarset.sets import SidecarSet

_SPEC_TYPE = "v1beta1.SidecarSetSpec"


def restored(sidecarset: SidecarSet, revision: Revision) -> SidecarSet | None:
    """A v1beta1 set with what the revision stores, without any defaults; None if it cannot be applied.

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
    computed = _carried(revision, hashes(typed_spec, spec, sidecarset.release))
    metadata = held["metadata"]
    annotations = metadata.get("annotations", {}) | annotations_of(computed)
    return sidecarset._replace(
        version="v1beta1",
        metadata=metadata | {"annotations": annotations},
        spec=typed_spec,
        hash=computed.hash,
        hash_without_image=computed.hash_without_image,
        latest_revision=revision.name,
    )


def _carried(revision: Revision, recomputed: Hashes) -> Hashes:
    return Hashes(
        revision.annotations.get(HASH) or recomputed.hash,
        revision.annotations.get(HASH_WITHOUT_IMAGE) or recomputed.hash_without_image,
    )
