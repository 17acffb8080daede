"""The change of a pod by a patch, assembled piece by piece and applied as a whole.

Source: docs/behaviour/rollout.md, "Cold upgrade of one pod", "Hot upgrade of one pod".
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod, shared_mapping
from sidecarctl.rollout.round.rollout_facts import AnnotationEdit, EntryEdit, ImageChange, PodPatch, SortKey
from sidecarctl.sidecarset.annotations import metadata_patches


class _Entries(NamedTuple):
    """An annotation with an entry per SidecarSet: its text, the edited entries."""

    text: str
    edits: tuple[EntryEdit, ...]


class _Replaced(NamedTuple):
    """The images that a change replaces by others, and those of the pod afterwards."""

    changes: tuple[ImageChange, ...]
    images: Mapping[str, str]
    init_images: Mapping[str, str]


_image_change = lru_cache(maxsize=1024)(ImageChange)
"""The pods of a workload share these."""


class PodChange:
    """A patch under construction; the pod does not change until `apply`."""

    __slots__ = ("_pod", "annotations", "entries", "images", "replaced")

    def __init__(self, pod: SimulatedPod) -> None:
        self._pod = pod
        self.images: list[ImageChange] = []
        self.annotations: dict[str, str] = {}
        self.entries: dict[str, _Entries] = {}
        self.replaced: _Replaced | None = None

    @property
    def containers(self) -> list[str]:
        """The containers whose image is set, possibly to the same image."""
        return [change.container for change in self.images]

    def annotation(self, key: str) -> str:
        """The new value of an annotation; empty if absent."""
        text = self.annotations.get(key)
        return text if text is not None else self._pod.annotations.get(key, "")

    def set_image(self, container: str, image: str) -> None:
        """Set the image of a container, wherever it is in the pod: initContainers are searched first."""
        before = self._pod.image_of(container)
        among: Literal["containers", "initContainers"] = (
            "initContainers" if container in self._pod.init_images else "containers"
        )
        self.images.append(_image_change(container, before, image, among))

    def annotate(self, key: str, text: str) -> None:
        """Set an annotation."""
        self.annotations[key] = text

    def annotate_entries(self, key: str, text: str, edits: tuple[EntryEdit, ...]) -> None:
        """Set an annotation with an entry per SidecarSet."""
        self.annotations[key] = text
        self.entries[key] = _Entries(text, edits)

    def take_over(self, alike: "PodChange") -> None:
        """Add the changes of a pod that is alike, whose images are complete."""
        self.replaced = alike.replaced
        self.annotations |= alike.annotations
        self.entries |= alike.entries

    def patch_metadata(self, items: Iterable[Object]) -> None:
        """Apply patchPodMetadata of a SidecarSet; ImpossibleError if it cannot be merged."""
        self.annotations = metadata_patches.apply({**self._pod.annotations, **self.annotations}, items)

    def apply(
        self, kind: Literal["upgrade", "reset"], *, was_ready: bool, sort_key: SortKey | None = None
    ) -> PodPatch:
        """Change the pod, and return what changed."""
        pod = self._pod
        edits = tuple(self._edits(pod.annotations))
        changes, pod.images, pod.init_images = self.replaced or self.complete_images()
        pod.annotate({edit.key: edit.after for edit in edits})
        return PodPatch(pod.index, pod.name, kind, changes, edits, was_ready, sort_key)

    def complete_images(self) -> _Replaced:
        """The images afterwards; none is set any more."""
        images, init_images = dict(self._pod.images), dict(self._pod.init_images)
        for change in self.images:
            (images if change.among == "containers" else init_images)[change.container] = change.after
        changes = tuple([change for change in self.images if change.before != change.after])
        self.replaced = _Replaced(changes, shared_mapping(images.items()), shared_mapping(init_images.items()))
        return self.replaced

    def _edits(self, present: Mapping[str, str]) -> Iterable[AnnotationEdit]:
        for key, text in self.annotations.items():
            if present.get(key) != text:
                yield AnnotationEdit(key, present.get(key), text, self._entries_of(key, text))

    def _entries_of(self, key: str, text: str) -> tuple[EntryEdit, ...]:
        """The edited entries, unless a metadata patch replaced them."""
        entries = self.entries.get(key)
        return entries.edits if entries and entries.text == text else ()
