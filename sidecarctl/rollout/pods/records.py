"""What is recorded on a pod about its updates, read from its annotations."""

from collections.abc import Mapping
from functools import lru_cache

from sidecarctl.sidecarset.annotations.entry_times import likened
from sidecarctl.sidecarset.annotations.inplace_update_state import States, read_states
from sidecarctl.sidecarset.annotations.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
    HashAnnotation,
    read_alike,
    read_working_containers,
)


class Records:
    """The readings of a pod's annotations; pods whose records differ only in the times of hashes share them.

    `hashes` and `hashes_without_image` have other times than the pod. `update_states` is None if it cannot be read;
    `working_containers` names the working half of each HotUpgrade container.
    """

    __slots__ = ("hashes", "hashes_without_image", "texts", "update_states", "working_containers")

    def __init__(self, hashes: str, without_image: str, states: str | None, working: str | None) -> None:
        self.texts = {
            HASH: hashes,
            HASH_WITHOUT_IMAGE: without_image,
            INPLACE_UPDATE_STATE: states,
            WORKING_CONTAINERS: working,
        }
        self.hashes: HashAnnotation = read_alike(hashes)
        self.hashes_without_image: HashAnnotation = read_alike(without_image)
        self.update_states: States | None = read_states(states)
        self.working_containers: Mapping[str, str] = read_working_containers(working)

    def changed(self, annotations: Mapping[str, str]) -> "Records":
        """The records after a change of these annotations."""
        return _changed(self, *map(annotations.get, self.texts))


_shared_records = lru_cache(maxsize=4096)(Records)


def records_of(annotations: Mapping[str, str]) -> Records:
    """The records in annotations."""
    return _shared_records(
        likened(annotations.get(HASH) or ""),
        likened(annotations.get(HASH_WITHOUT_IMAGE) or ""),
        annotations.get(INPLACE_UPDATE_STATE),
        annotations.get(WORKING_CONTAINERS),
    )


@lru_cache(maxsize=1024)  # an update writes the same on all pods that are alike
def _changed(records: Records, hashes: str | None, without_image: str | None, *others: str | None) -> Records:
    texts = (None if hashes is None else likened(hashes), None if without_image is None else likened(without_image))
    changes = zip((*texts, *others), records.texts.values(), strict=True)
    return _shared_records(*[present if new is None else new for new, present in changes])
