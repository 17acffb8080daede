"""What is recorded on a pod about its updates, read from its annotations."""

from collections.abc import Mapping
from functools import lru_cache

from sidecarctl.sidecarset.annotations.entry_times import without_times
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

    __slots__ = ("_texts", "hashes", "hashes_without_image", "update_states", "working_containers")

    def __init__(self, hashes: str, without_image: str, states: str | None, working: str | None) -> None:
        self._texts = {
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
        texts = {key: _kept(key, annotations[key]) for key in self._texts if key in annotations}
        return _shared_records(*{**self._texts, **texts}.values()) if texts else self


_shared_records = lru_cache(maxsize=4096)(Records)


def records_of(annotations: Mapping[str, str]) -> Records:
    """The records in annotations."""
    return _shared_records(
        without_times(annotations.get(HASH) or "").text,
        without_times(annotations.get(HASH_WITHOUT_IMAGE) or "").text,
        annotations.get(INPLACE_UPDATE_STATE),
        annotations.get(WORKING_CONTAINERS),
    )


@lru_cache(maxsize=1024)  # an update writes the same on every pod
def _kept(key: str, text: str) -> str:
    return without_times(text).text if key in (HASH, HASH_WITHOUT_IMAGE) else text
