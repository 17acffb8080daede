"""The times that patches record: the plan has none, unless it was given one."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.facts.findings import Finding, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.plan_file.reading import PlannedAnnotation, PlannedPatch
from sidecarctl.engine.sidecarset.pod_annotations import INPLACE_UPDATE_STATE

NOW = "@time-of-the-patch@"
"""The placeholder for the time at which a patch is sent."""


def with_times(patches: Sequence[PlannedPatch]) -> Iterator[PlannedPatch]:
    """The patches with NOW as the time of what they record without one.

    Only the last patch of each annotation of a pod has it: the next one tests the text that the one before it wrote.
    """
    last = {(patch.pod, item.key): id(patch) for patch in patches for item in patch.annotations}
    written: defaultdict[tuple[object, str], list[str]] = defaultdict(list)
    for patch in patches:
        annotations = []
        for item in patch.annotations:
            at = patch.pod, item.key
            written[at] += [patch.set_name] if _records_time(item, patch.set_name) else []
            is_last = last[at] == id(patch)
            annotations.append(item._replace(after=_timed(item.after, written[at])) if is_last else item)
        yield patch._replace(annotations=tuple(annotations))


def times_left_out(patches: Iterable[PlannedPatch]) -> list[Finding]:
    """A note if patches record no time, and how to give it."""
    if not any(
        _records_time(item, patch.set_name) and _timed(item.after, [patch.set_name]) != item.after
        for patch in patches
        for item in patch.annotations
    ):
        return []
    message = "updateTimestamp is null in the patches: nobody can see later since when a pod has its version"
    hint = "plan --timestamp now; -o kubectl writes the time of each patch"
    return [note(Reason.TIME_LEFT_OUT, message)._replace(hint=hint)]


def _records_time(item: PlannedAnnotation, set_name: str) -> bool:
    """Whether the patch writes a time: an update state that is there already keeps its own."""
    return item.key != INPLACE_UPDATE_STATE or f'"{set_name}":{{' not in (item.before or "")


def _timed(text: str, names: Iterable[str]) -> str:
    for name in names:
        entry = rf'("{re.escape(name)}":\{{(?:"revision":"[^"]*",)?"updateTimestamp":)null'
        text = re.sub(entry, lambda found: f'{found[1]}"{NOW}"', text)
    return text
