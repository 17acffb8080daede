"""Taking the metadata patches of sets back out of a pod's annotations.

Source: docs/behaviour/injection.md, "Pod metadata first", of which this is the inverse.
"""

from collections.abc import Iterable, Sequence

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.patched_metadata import made_alone, patched_keys
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.injection.remove.record_removal import Changes
from sidecarctl.injection.remove.removal_scope import Scope


def without_patches(annotations: Object, scope: Scope) -> tuple[Changes, list[Finding]]:
    """The annotations that change, and a warning for each that a patch overwrote or merged and that stays.

    An annotation that is what the patches make where there was none is taken to be theirs.
    """
    going = [plan for plan in scope.patched_by if scope.is_asked_for(plan)]
    made = made_alone(_patches(scope.patched_by))
    rest = made_alone(_patches(plan for plan in scope.patched_by if not scope.is_asked_for(plan)))
    overwritten = _overwritten(annotations, going)
    changes: Changes = {}
    findings = []
    for key, only_added in patched_keys(_patches(going)).items():
        if key not in annotations:
            continue
        if (annotations[key] or "") == made.get(key) or (scope.force and not only_added):
            changes[key] = rest.get(key)
            if key in overwritten:
                message = f"the annotation {key} had overwritten the pod's own; nothing brings that back"
                findings.append(warning(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key)))
        elif not only_added:
            message = f"annotation {key} is kept: a metadata patch may have replaced or merged its original value"
            findings.append(warning(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key)))
    return changes, findings


def _overwritten(annotations: Object, going: Sequence[SetPlan]) -> set[str]:
    """The annotations that a patch overwrote: injection puts new ones behind the pod's own.

    Sorted ones, as the API server writes them, tell nothing by their places.
    """
    items = [item for plan in going for item in plan.patches if item.get("patchPolicy") == "Overwrite"]
    written = {key for item in items for key in item.get("annotations") or ()}
    names, patched = list(annotations), patched_keys(_patches(going))
    own = [place for place, key in enumerate(names) if key not in patched and not _is_record(key)]
    if not own or names == sorted(names):
        return set()
    return {key for key in written & annotations.keys() if names.index(key) < own[-1]}


def _is_record(key: str) -> bool:
    return "kruise.io/" in key


def _patches(plans: Iterable[SetPlan]) -> list[tuple[Object, ...]]:
    return [plan.patches for plan in plans]
