"""Removes the containers of sets from a pod, and what the sets recorded and patched in its annotations.

The functions for annotations return those that change: the new text, or None for one that is removed.

Source: docs/behavior/injection.md, "Hot containers at injection", for the names of a pair; "Annotations written on
the pod" and "Pod metadata first"; this is the inverse.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.facts.findings import Finding, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.pod.injected_pod import HASHES, PodBranches, entries_of
from sidecarctl.engine.injection.pod.pod_plan import made_alone, name_of, patched_keys
from sidecarctl.engine.injection.pod.pod_view import is_injected, is_marked
from sidecarctl.engine.injection.pod.set_plan import SetPlan
from sidecarctl.engine.injection.pod.sidecars import version_annotations
from sidecarctl.engine.injection.removal_scope import RemovalScope
from sidecarctl.engine.sidecarset.inplace_update_state import read_states, write_states
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
    injected_sets,
    read_hashes,
    read_working_containers,
    write_hashes,
    write_working_containers,
)
from sidecarctl.engine.sidecarset.sets import pair_names


def replacement_warnings(
    field: str, containers: Sequence[Value], gone: Collection[int], first_names: Collection[str], order: Sequence[str]
) -> Iterator[Finding]:
    """A warning for each removed container that is not where injection puts a new one; a note if no others are left.

    `gone` are the places of the removed ones; `first_names` are injected in front of the pod's own, the others behind
    them, in `order` (empty if it is not known). One that replaced the last of the pod's may look like a new one.
    """
    own = [place for place, container in enumerate(containers) if not is_marked(container or {})]
    if not own and gone:
        message = "the pod has no other container; if one of that name was replaced, it cannot be restored"
        yield note(Reason.NOT_REVERSIBLE, message, ("spec", field, min(gone)))
        return
    for place in sorted(gone):
        name = name_of(containers[place])
        is_first = name in first_names
        later = [name_of(containers[other]) for other in gone if other > place]
        is_early = not is_first and any(before in later for before in order[: _rank(name, order)])
        if (is_first and own[0] < place) or (not is_first and own[-1] > place) or is_early:
            message = f"container {name} replaced an app container, which cannot be restored"
            yield warning(Reason.NOT_REVERSIBLE, message, ("spec", field, place))


def _rank(name: str, order: Sequence[str]) -> int:
    return order.index(name) if name in order else 0


FIELDS = ("initContainers", "containers")


class KeptContainers(NamedTuple):
    """The kept containers, the removed containers, each with the name of its list, and the findings."""

    lists: dict[str, list[Value]]
    gone: list[tuple[str, Object]]
    findings: list[Finding]


def without_containers(parts: PodBranches, scope: RemovalScope) -> KeptContainers:
    """A pod without the containers of the sets that go; what is not marked as injected always stays."""
    kept = KeptContainers({}, [], [])
    for field in FIELDS:
        going = {*_planned(scope.going, field), *_recorded(parts, scope.going_names)}
        staying = {*_planned(scope.staying, field), *_recorded(parts, scope.staying_names)}
        kept.lists[field] = []
        containers = parts.spec.get(field) or ()
        gone: list[int] = []
        for index, container in enumerate(containers):
            goes, why = _fate(container or {}, going, staying, scope)
            if goes:
                kept.gone.append((field, container))
                gone.append(index)
            else:
                kept.lists[field].append(container)
            if why:
                message = f"container {name_of(container)} is kept: {why}"
                kept.findings.append(warning(Reason.NOT_REVERSIBLE, message, ("spec", field, index)))
        kept.findings.extend(_replaced(field, containers, gone, scope))
    return kept


def _replaced(field: str, containers: Sequence[Value], gone: list[int], scope: RemovalScope) -> Iterator[Finding]:
    """Warnings about app containers that are lost, as far as their positions show it."""
    if field == "initContainers" and not all(plan.sidecarset.release.init_containers_replace for plan in scope.going):
        return  # such a release only appends them
    sidecars = [
        sidecar
        for plan in scope.going
        for sidecar in (plan.init_sidecars if field == "initContainers" else plan.sidecars)
    ]
    sides = [(half.name, sidecar.goes_first) for sidecar in sidecars for half in sidecar.halves]
    first = {name for name, goes_first in sides if goes_first}
    after = {name for name, goes_first in sides if not goes_first}
    of_one_side = first ^ after  # SidecarSets may inject a container of one name on either side of the pod's own
    known = [place for place in gone if name_of(containers[place]) in of_one_side]
    if field == "containers" or any(not is_marked(container or {}) for container in containers):
        order = [name for name, _ in sides if name in after] if len(scope.going) == 1 else []
        in_order = sorted(order) if field == "initContainers" else order  # these are queued by name
        yield from replacement_warnings(field, containers, known, first, in_order)


def _fate(container: Object, going: set[str], staying: set[str], scope: RemovalScope) -> tuple[bool, str]:
    """Whether a container goes; where it stays though it might have been injected, why."""
    name = name_of(container)
    if scope.everything and is_injected(container):
        return True, ""
    if name in going:
        if not is_marked(container):
            return False, ""
        if name in staying and not scope.force:
            return False, "a SidecarSet that is kept also injects a container of that name"
        return True, ""
    if is_injected(container) and name not in staying and not scope.is_partial and not scope.left:
        return False, "it is marked as injected, but none of the given SidecarSets injects it"
    return False, ""


def _planned(plans: Iterable[SetPlan], field: str) -> Iterator[str]:
    """The names of the containers that sets inject into a list."""
    for plan in plans:
        for sidecar in plan.init_sidecars if field == "initContainers" else plan.sidecars:
            yield from (half.name for half in sidecar.halves)


def _recorded(parts: PodBranches, set_names: set[str]) -> Iterator[str]:
    """The names of the containers that the pod records of sets, in whichever list they are."""
    entries = read_hashes(parts.annotations.get(HASH)).entries
    working = read_working_containers(parts.annotations.get(WORKING_CONTAINERS))
    for set_name in set_names & entries.keys():
        for name in entries[set_name].sidecar_list or ():
            yield from pair_names(name) if name in working else (name,)


_NO_ENTRIES = "{}"
"""What Kruise 1.4 records of sets that inject only initContainers (docs/behavior/releases.md, `hash_entries`)."""

Changes: TypeAlias = dict[str, str | None]


def without_records(annotations: Object, containers: KeptContainers, scope: RemovalScope) -> Changes:
    """The recorded hashes, names, hot containers and update states without those of the sets that go."""
    changes: Changes = {key: _hashes(annotations.get(key), scope) for key in HASHES}
    changes[INJECTED_LIST] = _injected_list(annotations.get(INJECTED_LIST), scope)
    changes[INPLACE_UPDATE_STATE] = _update_states(annotations.get(INPLACE_UPDATE_STATE), scope)
    changes |= _hot_records(annotations, containers, scope)
    return {key: text for key, text in changes.items() if key in annotations and text != annotations[key]}


def _hashes(text: str | None, scope: RemovalScope) -> str | None:
    entries = entries_of(read_hashes(text))
    if entries is None:
        return None if scope.everything else text
    if text == _NO_ENTRIES and scope.going_names and not scope.staying_names:
        return None
    rest = {name: entry for name, entry in entries.items() if not scope.goes(name)}
    return _rewritten(text, entries, rest, write_hashes(rest))


def _injected_list(text: str | None, scope: RemovalScope) -> str | None:
    names = injected_sets(text)
    rest = [name for name in names if not scope.goes(name)]
    return _rewritten(text, names, rest, ",".join(rest))


def _update_states(text: str | None, scope: RemovalScope) -> str | None:
    states = read_states(text)
    if states is None:
        return None if scope.everything else text
    rest = {name: state for name, state in states.items() if not scope.goes(name)}
    return _rewritten(text, states, rest, write_states(rest))


def _hot_records(annotations: Object, containers: KeptContainers, scope: RemovalScope) -> Changes:
    text = annotations.get(WORKING_CONTAINERS)
    working = read_working_containers(text)
    gone = {name_of(container) for _, container in containers.gone}
    rest = {name: container for name, container in working.items() if gone.isdisjoint(pair_names(name))}
    changes: Changes = {WORKING_CONTAINERS: _rewritten(text, working, rest, write_working_containers(rest))}
    planned = {name for plan in scope.going for name in plan.hot_names if not gone.isdisjoint(pair_names(name))}
    return changes | dict.fromkeys(version_annotations(planned | (working.keys() - rest.keys())))


def _rewritten(text: str | None, before: Sized, after: Sized, written: str) -> str | None:
    """The text itself if nothing went, None if nothing is left."""
    if len(after) == len(before):
        return text
    return written if after else None


def without_patches(annotations: Object, scope: RemovalScope) -> tuple[Changes, list[Finding]]:
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
                message = f"annotation {key} replaced the pod's own value, which cannot be restored"
                findings.append(warning(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key)))
            elif not only_added:  # behind all others it may be new, or the pod's last
                message = f"annotation {key} is removed; if the pod had a value of its own, it cannot be restored"
                findings.append(note(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key)))
        elif not only_added:
            message = f"annotation {key} is kept: a metadata patch may have replaced or merged its original value"
            findings.append(warning(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key)))
    return changes, findings


def _overwritten(annotations: Object, going: Sequence[SetPlan]) -> set[str]:
    """The annotations that a patch overwrote: injection puts new ones behind the pod's own.

    The positions of sorted annotations, as the API server writes them, show nothing.
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
