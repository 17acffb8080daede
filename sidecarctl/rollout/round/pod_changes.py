"""The change of a pod by a patch, assembled piece by piece and applied as a whole.

Source: docs/behaviour/rollout.md, "Cold upgrade of one pod", "Hot upgrade of one pod".
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object, Value
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.round.rollout_facts import AnnotationEdit, EntryEdit, ImageChange, PodPatch, SortKey
from sidecarctl.sidecarset.annotations import metadata_patches


class _Entries(NamedTuple):
    """An annotation with an entry per SidecarSet: its text, its parsed value, the edited entries."""

    text: str
    read: Value
    edits: tuple[EntryEdit, ...]


_image_change = lru_cache(maxsize=1024)(ImageChange)
"""The pods of a workload share these."""


@lru_cache(maxsize=1024)  # so do they their images, before and after
def _with_image(images: tuple[tuple[str, str], ...], container: str, image: str) -> Mapping[str, str]:
    return {**dict(images), container: image}


class PodChange:
    """A patch under construction; the pod does not change until `apply`."""

    __slots__ = ("_annotations", "_entries", "_images", "_pod")

    def __init__(self, pod: SimulatedPod) -> None:
        self._pod = pod
        self._images: list[ImageChange] = []
        self._annotations: dict[str, str] = {}
        self._entries: dict[str, _Entries] = {}

    @property
    def containers(self) -> list[str]:
        """The containers whose image is set, possibly to the same image."""
        return [change.container for change in self._images]

    def annotation(self, key: str) -> str:
        """The new value of an annotation; empty if absent."""
        text = self._annotations.get(key)
        return text if text is not None else self._pod.annotations.get(key, "")

    def set_image(self, container: str, image: str) -> None:
        """Set the image of a container, wherever it is in the pod: initContainers are searched first."""
        before = self._pod.image_of(container)
        among: Literal["containers", "initContainers"] = (
            "initContainers" if container in self._pod.init_images else "containers"
        )
        self._images.append(_image_change(container, before, image, among))

    def annotate(self, key: str, text: str) -> None:
        """Set an annotation."""
        self._annotations[key] = text

    def annotate_entries(self, key: str, text: str, read: Value, edits: tuple[EntryEdit, ...]) -> None:
        """Set an annotation with an entry per SidecarSet; `read` is its parsed value."""
        self._annotations[key] = text
        self._entries[key] = _Entries(text, read, edits)

    def patch_metadata(self, items: Iterable[Object]) -> None:
        """Apply patchPodMetadata of a SidecarSet; ImpossibleError if it cannot be merged."""
        self._annotations = metadata_patches.apply({**self._pod.annotations, **self._annotations}, items)

    def apply(
        self, kind: Literal["upgrade", "reset"], *, was_ready: bool, sort_key: SortKey | None = None
    ) -> PodPatch:
        """Change the pod, and return what changed."""
        pod = self._pod
        edits = tuple(self._edits(pod.annotations))
        for change in self._images:
            if change.among == "containers":
                pod.images = _with_image(tuple(pod.images.items()), change.container, change.after)
            else:
                pod.init_images = _with_image(tuple(pod.init_images.items()), change.container, change.after)
        pod.annotations = {**pod.annotations, **{edit.key: edit.after for edit in edits}}
        for key, entries in self._entries.items():
            pod.remember(key, entries.text, entries.read)
        images = tuple(change for change in self._images if change.before != change.after)
        return PodPatch(pod.index, pod.name, kind, images, edits, was_ready, sort_key)

    def _edits(self, present: Mapping[str, str]) -> Iterable[AnnotationEdit]:
        for key, text in self._annotations.items():
            if present.get(key) != text:
                yield AnnotationEdit(key, present.get(key), text, self._entries_of(key, text))

    def _entries_of(self, key: str, text: str) -> tuple[EntryEdit, ...]:
        """The edited entries, unless a metadata patch replaced them."""
        entries = self._entries.get(key)
        return entries.edits if entries and entries.text == text else ()
