"""Hashes that a manifest carries."""

from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.recorded_hashes import stale_hashes, with_recorded_hashes
from tests.sidecarset.manifests import sidecarset

HASH, WITHOUT_IMAGE = "kruise.io/sidecarset-hash", "kruise.io/sidecarset-hash-without-image"


def test_a_hash_that_differs_is_reported_stale() -> None:
    right = admit(sidecarset())
    manifest = sidecarset(metadata={"annotations": {HASH: "old", WITHOUT_IMAGE: right.hash_without_image}})
    [finding] = stale_hashes(manifest, admit(manifest))
    assert str(finding) == (
        f'metadata.annotations[{HASH}]: the recorded hash "old" differs from the computed hash {right.hash} '
        "(it is stale, or another Kruise version wrote it)"
    )
    assert list(stale_hashes(sidecarset(), right)) == []


def test_recorded_hashes_are_taken_where_there_are_some() -> None:
    manifest = sidecarset(metadata={"annotations": {HASH: "old", WITHOUT_IMAGE: ""}})
    admitted = admit(manifest)
    trusted = with_recorded_hashes(manifest, admitted)
    assert (trusted.hash, trusted.hash_without_image) == ("old", admitted.hash_without_image)
    assert trusted.metadata["annotations"][HASH] == "old"
    assert with_recorded_hashes({}, admitted) == admitted
