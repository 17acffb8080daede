"""Taking the containers of sets out of a pod.

Source: docs/behaviour/injection.md, "Hot containers at injection", for the names of a pair.
"""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.build.pod_branches import PodBranches
from sidecarctl.injection.build.pod_lists import name_of
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.injection.containers.injected_marker import is_injected, is_marked
from sidecarctl.injection.remove.removal_scope import Scope
from sidecarctl.injection.remove.replaced_containers import replacement_warnings
from sidecarctl.sidecarset.annotations.pod_annotations import (
    HASH,
    WORKING_CONTAINERS,
    read_hashes,
    read_working_containers,
)
from sidecarctl.sidecarset.containers import pair_names

FIELDS = ("initContainers", "containers")


class Kept(NamedTuple):
    """The kept containers, the removed containers, each with the name of its list, and the findings."""

    lists: dict[str, list[Value]]
    gone: list[tuple[str, Object]]
    findings: list[Finding]


class _Claims(NamedTuple):
    """Names of containers in one list: of sets that go, of sets that stay."""

    going: set[str]
    staying: set[str]


class _Fate(NamedTuple):
    """Whether a container goes; where it stays though it might have been injected, why."""

    goes: bool
    why: str = ""


_STAYS, _GOES = _Fate(goes=False), _Fate(goes=True)


def without_containers(parts: PodBranches, scope: Scope) -> Kept:
    """A pod without the containers of the sets that go; what is not marked as injected always stays."""
    kept = Kept({}, [], [])
    for field in FIELDS:
        claims = _claims(parts, scope, field)
        kept.lists[field] = []
        containers = parts.spec.get(field) or ()
        gone: list[int] = []
        for index, container in enumerate(containers):
            fate = _fate(container or {}, claims, scope)
            if fate.goes:
                kept.gone.append((field, container))
                gone.append(index)
            else:
                kept.lists[field].append(container)
            if fate.why:
                message = f"container {name_of(container)} is kept: {fate.why}"
                kept.findings.append(warning(Reason.NOT_REVERSIBLE, message, ("spec", field, index)))
        kept.findings.extend(_replaced(field, containers, gone, scope))
    return kept


def _replaced(field: str, containers: Sequence[Value], gone: list[int], scope: Scope) -> Iterator[Finding]:
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


def _fate(container: Object, claims: _Claims, scope: Scope) -> _Fate:
    name = name_of(container)
    if scope.everything and is_injected(container):
        return _GOES
    if name in claims.going:
        if not is_marked(container):
            return _STAYS
        if name in claims.staying and not scope.force:
            return _Fate(goes=False, why="a SidecarSet that is kept also injects a container of that name")
        return _GOES
    if is_injected(container) and name not in claims.staying and not scope.is_partial and not scope.left:
        return _Fate(goes=False, why="it is marked as injected, but none of the given SidecarSets injects it")
    return _STAYS


def _claims(parts: PodBranches, scope: Scope, field: str) -> _Claims:
    return _Claims(
        {*_planned(scope.going, field), *_recorded(parts, scope.going_names)},
        {*_planned(scope.staying, field), *_recorded(parts, scope.staying_names)},
    )


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
