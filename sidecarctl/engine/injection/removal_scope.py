"""Which sets are removed from a pod, which are kept, and what is known about them."""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.injected_pod import PodBranches, recorded_sets
from sidecarctl.engine.injection.pod.set_plan import SetPlan
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HashEntry, read_hashes
from sidecarctl.engine.sidecarset.sets import SidecarSet


class RemovalRequest(NamedTuple):
    """What to remove from pods.

    - `only`: the names of sets; None for all.
    - `force`: whether what may have been the pod's own goes as well.
    """

    only: frozenset[str] | None = None
    force: bool = False


class RemovalScope(NamedTuple):
    """The sets of a pod in injection order; each that was given, as it was injected.

    - `going`, `staying`: given sets that the pod records.
    - `patched_by`: all given sets that patched its metadata, also one without containers, which leaves no
      record when it applies alone; it is assumed to have done so where it applies now.
    - `blind`: the names of sets that are removed but were not given; `left`: of those that are kept.
    - `everything`: whether all that is marked as injected goes; `force`: what may have been the pod's own as well.
    - `only`: the names of the sets that were asked for; None for all.
    """

    going: tuple[SetPlan, ...]
    staying: tuple[SetPlan, ...]
    patched_by: tuple[SetPlan, ...]
    blind: frozenset[str]
    left: frozenset[str]
    everything: bool
    force: bool
    only: frozenset[str] | None

    @property
    def is_partial(self) -> bool:
        """Whether only some sets were asked for."""
        return self.only is not None

    def is_asked_for(self, plan: SetPlan) -> bool:
        """Whether a set was asked for."""
        return self.only is None or plan.name in self.only

    @property
    def going_names(self) -> set[str]:
        """The names of all sets that go."""
        return {*self.blind, *(plan.name for plan in self.going)}

    @property
    def staying_names(self) -> set[str]:
        """The names of all sets that stay."""
        return {*self.left, *(plan.name for plan in self.staying)}

    def goes(self, set_name: str) -> bool:
        """Whether the records of a set are removed."""
        return self.everything or set_name in self.going_names


def removal_scope(
    parts: PodBranches, context: InjectionContext, request: RemovalRequest, identity: Identity
) -> RemovalScope:
    """The sets of a pod, divided into those to remove and those to keep."""
    recorded = recorded_sets(parts.annotations) - {""}
    unknown = recorded - context.rules.keys()
    held = tuple(context.plan(sidecarset) for sidecarset in _sets_in(parts, recorded, context, identity))
    only = request.only
    everything = only is None and (request.force or not context.rules)
    asked = unknown if everything else unknown & (only or frozenset())
    return RemovalScope(
        going=tuple(plan for plan in held if plan.name in recorded and (only is None or plan.name in only)),
        staying=tuple(plan for plan in held if plan.name in recorded and only is not None and plan.name not in only),
        patched_by=held,
        blind=frozenset(asked),
        left=frozenset(unknown - asked),
        everything=everything,
        force=request.force,
        only=only,
    )


def _sets_in(
    parts: PodBranches, recorded: set[str], context: InjectionContext, identity: Identity
) -> Iterator[SidecarSet]:
    """The given sets that changed a pod, each as it was at that time, as far as that can be known."""
    selected = {sidecarset.name: sidecarset for sidecarset in _selected(parts.pod, context, identity)}
    entries = read_hashes(parts.annotations.get(HASH)).entries
    for rule in context.rules_in(identity.namespace).rules:
        latest = rule.sidecarset
        chosen = selected.get(latest.name, latest)
        if latest.name in recorded:
            yield _as_injected(chosen, latest, entries.get(latest.name), context)
        elif latest.name in selected and not context.plan(chosen).all_sidecars:
            yield chosen


def _selected(pod: Object, context: InjectionContext, identity: Identity) -> tuple[SidecarSet, ...]:
    try:
        return select(pod, context, identity).sidecarsets
    except ImpossibleError:
        return ()


def _as_injected(
    chosen: SidecarSet, latest: SidecarSet, entry: HashEntry | None, context: InjectionContext
) -> SidecarSet:
    """The set at the revision that the pod's record names, as far as that is known and the hash agrees."""
    if entry is None:
        return chosen
    named = context.restored(latest, entry.controller_revision)
    candidates = [chosen, latest, *([named] if named else [])]
    return max(
        candidates,
        key=lambda sidecarset: (
            sidecarset.hash == entry.hash,
            sidecarset.latest_revision == entry.controller_revision,
        ),
    )
