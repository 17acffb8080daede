"""Setters of kpt: comments `# kpt-set: ...`, by which its function apply-setters knows what to overwrite.

What runs a function for kpt copies comments from the items that it sent to those that it gets back, and lines lists
up by index: a container that comes to stand before another gets that one's comments, its setters included.
"""

from sidecarctl.facts.findings import warning
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.krm.orchestrators.annotations import IDS, annotations_of
from sidecarctl.krm.orchestrators.slices import slices_of
from sidecarctl.krm.resource_list import ResourceList
from sidecarctl.krm.work_results import Done
from sidecarctl.operations.transforming.documents import Attempt

_SETTER = "# kpt-set:"


def warned_of_setters(done: Done, call: ResourceList) -> Done:
    """The same, with warnings where kpt will make a sidecar's values those of an app container's setters."""
    text = call.document.text
    slices = slices_of(text, len(call.items)) if _SETTER in text else None
    if slices is None:
        return done
    attempts = (
        _warned(attempt) if _SETTER in slices.items[int(attempt.found.path[1])] else attempt
        for attempt in done.attempts
    )
    return done._replace(attempts=tuple(attempts))


def _warned(attempt: Attempt) -> Attempt:
    found, change = attempt.found, attempt.change
    if not any(key in annotations_of(found.manifest) for key in IDS):  # by these the comments are copied
        return attempt
    displaced = (edit.path[len(found.path) :] for edit in attempt.edits() if edit.action == "insert")
    path = next((path for path in displaced if value_at(found.manifest, path) is not None), None)
    if path is None:
        return attempt
    message = "kpt copies the setters (# kpt-set) of this container to the sidecar before it"
    hint = "podInjectPolicy: AfterAppContainer avoids this"
    remark = warning(Reason.SETTERS_COPIED, message, path, hint=hint)
    return attempt._replace(change=change._replace(findings=(*change.findings, remark)))
