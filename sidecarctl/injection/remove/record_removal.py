"""Taking what sets recorded on a pod out of its annotations.

Each function answers with the annotations that change: the new text, or None for one that goes.

Source: docs/behaviour/injection.md, "Annotations written on the pod", of which this is the inverse.
"""

from collections.abc import Sized
from typing import TypeAlias

from sidecarctl.facts.values import Object
from sidecarctl.injection.build.injection_records import HASHES, entries_of
from sidecarctl.injection.build.pod_lists import name_of
from sidecarctl.injection.containers.hot_pairs import version_annotations
from sidecarctl.injection.remove.container_removal import Kept
from sidecarctl.injection.remove.removal_scope import Scope
from sidecarctl.sidecarset.annotations.inplace_update_state import read_states, write_states
from sidecarctl.sidecarset.annotations.pod_annotations import (
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
    injected_sets,
    read_hashes,
    read_working_containers,
    write_hashes,
    write_working_containers,
)
from sidecarctl.sidecarset.containers import pair_names

_NO_ENTRIES = "{}"
"""What Kruise 1.4 records of sets that inject only initContainers (docs/behaviour/releases.md, `hash_entries`)."""

Changes: TypeAlias = dict[str, str | None]


def without_records(annotations: Object, containers: Kept, scope: Scope) -> Changes:
    """The recorded hashes, names, hot containers and update states without those of the sets that go."""
    changes: Changes = {key: _hashes(annotations.get(key), scope) for key in HASHES}
    changes[INJECTED_LIST] = _injected_list(annotations.get(INJECTED_LIST), scope)
    changes[INPLACE_UPDATE_STATE] = _update_states(annotations.get(INPLACE_UPDATE_STATE), scope)
    changes |= _hot_records(annotations, containers, scope)
    return {key: text for key, text in changes.items() if key in annotations and text != annotations[key]}


def _hashes(text: str | None, scope: Scope) -> str | None:
    entries = entries_of(read_hashes(text))
    if entries is None:
        return None if scope.everything else text
    if text == _NO_ENTRIES and scope.going_names and not scope.staying_names:
        return None
    rest = {name: entry for name, entry in entries.items() if not scope.goes(name)}
    return _rewritten(text, entries, rest, write_hashes(rest))


def _injected_list(text: str | None, scope: Scope) -> str | None:
    names = injected_sets(text)
    rest = [name for name in names if not scope.goes(name)]
    return _rewritten(text, names, rest, ",".join(rest))


def _update_states(text: str | None, scope: Scope) -> str | None:
    states = read_states(text)
    if states is None:
        return None if scope.everything else text
    rest = {name: state for name, state in states.items() if not scope.goes(name)}
    return _rewritten(text, states, rest, write_states(rest))


def _hot_records(annotations: Object, containers: Kept, scope: Scope) -> Changes:
    text = annotations.get(WORKING_CONTAINERS)
    working = read_working_containers(text)
    gone = {name_of(container) for _, container in containers.gone}
    rest = {name: container for name, container in working.items() if gone.isdisjoint(pair_names(name))}
    changes: Changes = {WORKING_CONTAINERS: _rewritten(text, working, rest, write_working_containers(rest))}
    planned = {name for plan in scope.going for name in plan.hot_names if not gone.isdisjoint(pair_names(name))}
    return changes | dict.fromkeys(version_annotations(planned | (working.keys() - rest.keys())))


def _rewritten(text: str | None, before: Sized, after: Sized, written: str) -> str | None:
    """The text itself where nothing went, None if nothing is left."""
    if len(after) == len(before):
        return text
    return written if after else None
