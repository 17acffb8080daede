"""What a patch changes on a pod: images, the hashes and earlier images that it records, the upgradable condition.

A change is assembled piece by piece and applied as a whole.

Source: docs/behavior/rollout.md, "Cold upgrade of one pod", "Hot upgrade of one pod", "The condition".
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from sidecarctl.engine.api.canonical import compact
from sidecarctl.engine.facts.errors import ImpossibleError, impossible
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.pod.pod_plan import patched_annotations
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.rollout.facts import AnnotationEdit, ConditionChange, EntryEdit, ImageChange, PodPatch, SortKey
from sidecarctl.engine.rollout.simulated_pods import SharedMapping, SimulatedPod, UpgradableCondition, shared_mapping
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.engine.sidecarset.inplace_update_state import UpdateState, read_states, write_states
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    HashAnnotation,
    HashEntry,
    HashFormat,
    parsed_annotation,
    write_hashes,
)


class _Replaced(NamedTuple):
    """The images that a change replaces by others, and those of the pod afterward."""

    changes: tuple[ImageChange, ...]
    images: SharedMapping[str]
    init_images: SharedMapping[str]


_image_change = lru_cache(maxsize=1024)(ImageChange)
"""The pods of a workload share these."""


class PodChange:
    """A patch under construction; the pod does not change until `apply`.

    `entries`: of annotations with an entry per SidecarSet, the text and the edited entries; they no longer hold where
    a metadata patch has replaced the text.
    """

    __slots__ = ("_pod", "annotations", "entries", "images", "replaced")

    def __init__(self, pod: SimulatedPod) -> None:
        self._pod = pod
        self.images: list[ImageChange] = []
        self.annotations: dict[str, str] = {}
        self.entries: dict[str, tuple[str, tuple[EntryEdit, ...]]] = {}
        self.replaced: _Replaced | None = None

    @property
    def containers(self) -> list[str]:
        """The containers whose image is set, possibly to the same image."""
        return [change.container for change in self.images]

    @property
    def changes_spec(self) -> bool:
        """Whether any image differs afterward; annotations alone are metadata."""
        return bool((self.replaced or self.complete_images()).changes)

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
        self.entries[key] = text, edits

    def take_over(self, alike: "PodChange") -> None:
        """Add the changes of an equal pod, whose images are complete."""
        self.replaced = alike.replaced
        self.annotations |= alike.annotations
        self.entries |= alike.entries

    def patch_metadata(self, items: Iterable[Object]) -> None:
        """Apply patchPodMetadata of a SidecarSet; ImpossibleError if it cannot be merged."""
        self.annotations = patched_annotations({**self._pod.annotations, **self.annotations}, [items])

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
        """The images afterward; none is set anymore."""
        images, init_images = dict(self._pod.images), dict(self._pod.init_images)
        for change in self.images:
            (images if change.among == "containers" else init_images)[change.container] = change.after
        changes = tuple([change for change in self.images if change.before != change.after])
        self.replaced = _Replaced(changes, shared_mapping(images.items()), shared_mapping(init_images.items()))
        return self.replaced

    def _edits(self, present: Mapping[str, str]) -> Iterable[AnnotationEdit]:
        for key, text in self.annotations.items():
            if present.get(key) != text:
                written, entries = self.entries.get(key, ("", ()))
                yield AnnotationEdit(key, present.get(key), text, entries if written == text else ())


def record_hashes(change: PodChange, target: Target, pod: SimulatedPod) -> None:
    """Record the hash of the target, always in the new format."""
    present = pod.records.hashes
    if present.format is not HashFormat.NEW:
        _upgrade_hashes_without_image(change, target, present, pod.records.hashes_without_image)
    if present.format is HashFormat.OLD:
        entries = {**upgrade_of_manifests(target, present.strings), target.name: target.hash_entry}
        _write_upgraded(change, HASH, present.strings, entries, target.release)
    else:
        _write_entry(change, target, pod)


def record_images(change: PodChange, target: Target, pod: SimulatedPod, containers: Iterable[str]) -> None:
    """Record the current imageID of each of these containers; an entry keeps its revision and time."""
    image_ids = tuple((name, _image_id(pod, name)) for name in containers)
    present = pod.annotations.get(INPLACE_UPDATE_STATE)
    text, edit = _with_images(present, target.name, target.hash, target.now, image_ids)
    change.annotate_entries(INPLACE_UPDATE_STATE, text, (edit,))


@lru_cache(maxsize=1024)  # the pods of one set alone all get the same text
def _with_entry(others: tuple[tuple[str, HashEntry], ...], name: str, entry: HashEntry, release: Release) -> str:
    return write_hashes({**dict(others), name: entry}, release)


@lru_cache(maxsize=1024)  # so do those of one workload, the first time
def _with_images(
    text: str | None, name: str, revision: str, now: str | None, image_ids: tuple[tuple[str, str], ...]
) -> tuple[str, EntryEdit]:
    states = read_states(text) or {}
    state = states.get(name) or UpdateState(revision, now)
    updated = state._replace(last_image_ids={**(state.last_image_ids or {}), **dict(image_ids)})
    return write_states({**states, name: updated}), EntryEdit(name, updated, is_new=states.get(name) is None)


def _upgrade_hashes_without_image(
    change: PodChange, target: Target, hashes: HashAnnotation, without_image: HashAnnotation
) -> None:
    """Convert this annotation to the new format too, with the names that only the other one has."""
    if without_image.is_plain:
        entries = upgrade_of_manifests(target, {**hashes.strings, **without_image.strings})
        _write_upgraded(change, HASH_WITHOUT_IMAGE, without_image.strings, entries, target.release)


def upgrade_of_manifests(target: Target, strings: Mapping[str, str]) -> dict[str, HashEntry]:
    """Entries for plain hashes; Kruise gives all of them the name of the SidecarSet being updated."""
    return {name: HashEntry(target.now, text, target.name) for name, text in strings.items()}


def _write_upgraded(
    change: PodChange, key: str, strings: Mapping[str, str], entries: Mapping[str, HashEntry], release: Release
) -> None:
    """Convert an annotation from the old format to the new one."""
    text = write_hashes(entries, release)
    edits = tuple(EntryEdit(name, entry, is_new=name not in strings) for name, entry in entries.items())
    change.annotate_entries(key, text, edits)


def _write_entry(change: PodChange, target: Target, pod: SimulatedPod) -> None:
    entries = {} if is_alone(target, pod) else pod.hashes.entries
    others = tuple(item for item in entries.items() if item[0] != target.name)
    text = _with_entry(others, target.name, target.hash_entry, target.release)
    edit = EntryEdit(target.name, target.hash_entry, is_new=target.name not in pod.records.hashes.entries)
    change.annotate_entries(HASH, text, (edit,))


def is_alone(target: Target, pod: SimulatedPod) -> bool:
    """Whether the hash annotation has no entry of another SidecarSet, which an update keeps with its time."""
    return pod.records.hashes.entries.keys() <= {target.name}


def _image_id(pod: SimulatedPod, container: str) -> str:
    status = pod.statuses.get(container)
    return status.image_id if status else ""


TYPE = "SidecarSetUpgradable"


def mark(pod: SimulatedPod, set_name: str, *, upgradable: bool) -> ConditionChange | None:
    """Record whether a SidecarSet can update the pod, if that changes the condition.

    Raises ImpossibleError (ConditionUnreadable) for a condition whose message is not a JSON object.
    """
    before = pod.condition
    after = _with(before.message if before else "", set_name, upgradable)
    if after == before:
        return None
    pod.condition = after
    return ConditionChange(pod.index, pod.name, before, after)


@lru_cache(maxsize=1024)  # the pods of a set mostly have the same condition
def _with(message: str, set_name: str, upgradable: bool) -> UpgradableCondition:  # noqa: FBT001 - private
    said = {**_read(message), set_name: upgradable}
    refused = any(value is False for value in said.values())
    return UpgradableCondition(
        "False" if refused else "True",
        "UpdateImmutableField" if refused else "AllSidecarsetUpgradable",
        compact(said, sort_keys=True),
    )


def _read(message: str) -> Object:
    if not message:
        return {}
    try:
        value = parsed_annotation(message)
    except ValueError as problem:
        raise _unreadable(str(problem)) from problem
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _unreadable("it is not an object")
    return value


def _unreadable(why: str) -> ImpossibleError:
    return impossible(
        Reason.CONDITION_UNREADABLE,
        f"the message of condition {TYPE} is not valid JSON: {why}",
        ("status", "conditions"),
        hint="expected a JSON object: SidecarSet name to true or false",
    )
