"""Two patches of a pod in one round, reported as one: old releases reset and upgrade a hot pair in the same round.

Source: docs/behaviour/releases.md, `reset_ends_round`.
"""

from collections.abc import Iterable, Sequence

from sidecarctl.rollout.round.rollout_facts import AnnotationEdit, EntryEdit, ImageChange, PodPatch


def one_a_pod(resets: Sequence[PodPatch], upgrades: Sequence[PodPatch]) -> list[PodPatch]:
    """The patches of a round in their order; a pod that was reset and upgraded has one, at the place of the first."""
    if not (resets and upgrades):
        return [*resets, *upgrades]
    later = {patch.pod_index: patch for patch in upgrades}
    both = [_combined(patch, later.pop(patch.pod_index)) if patch.pod_index in later else patch for patch in resets]
    return [*both, *later.values()]


def _combined(first: PodPatch, second: PodPatch) -> PodPatch:
    return second._replace(
        images=tuple(_images([*first.images, *second.images])),
        annotations=tuple(_annotations([*first.annotations, *second.annotations])),
    )


def _images(changes: Iterable[ImageChange]) -> Iterable[ImageChange]:
    found: dict[tuple[str, str], ImageChange] = {}
    for change in changes:
        key = (change.among, change.container)
        found[key] = change._replace(before=found[key].before) if key in found else change
    return (change for change in found.values() if change.before != change.after)


def _annotations(edits: Iterable[AnnotationEdit]) -> Iterable[AnnotationEdit]:
    found: dict[str, AnnotationEdit] = {}
    for edit in edits:
        before = found.get(edit.key)
        if before:
            entries = tuple(_entries([*before.entries, *edit.entries]))
            edit = edit._replace(before=before.before, entries=entries)  # noqa: PLW2901 - it is the same edit
        found[edit.key] = edit
    return (edit for edit in found.values() if edit.before != edit.after)


def _entries(edits: Iterable[EntryEdit]) -> Iterable[EntryEdit]:
    found: dict[str, EntryEdit] = {}
    for edit in edits:
        before = found.get(edit.set_name)
        found[edit.set_name] = edit._replace(is_new=before.is_new) if before else edit
    return found.values()
