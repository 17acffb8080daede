"""Advice on recreating running pods, for every command: only if new pods get the current version.

Source: docs/behavior/hash-and-revisions.md, "Choosing a revision at pod creation".
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.new_pods import RECREATE, NewPod, NewPods
from sidecarctl.engine.injection.selection import Identity
from sidecarctl.engine.rollout.recorded_sets import recorded_sets
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_injection_paused
from sidecarctl.engine.sidecarset.webhook_scope import with_gates
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.updates import refusal_of_change


class Recreation:
    """The advice about the pods of one world; nothing is computed before it is asked."""

    def __init__(self, world: World, gates: frozenset[str] = frozenset()) -> None:
        self._world = world
        self._gates = gates

    @cached_property
    def _new_pods(self) -> NewPods:
        world = self._world
        context = InjectionContext(
            world.sidecarsets,
            namespaces=world.namespaces,
            revisions=world.revisions,
            options=InjectionOptions(feature_gates=self._gates),
            release=world.release,
            webhook=with_gates(world.webhook, self._gates),
        )
        return NewPods(context)

    def new_pod(self, set_name: str, identity: Identity, labels: Labels) -> NewPod:
        """What a SidecarSet gives a pod that is created now with this identity and these labels."""
        return self._new_pods.of(set_name, identity, labels)

    def _advice(self, set_name: str, identity: Identity, labels: Labels) -> str:
        """`recreate it`; or, if new pods do not get the current version, what they get, and what helps."""
        return self._sentence(
            self._world.by_name[set_name], self.new_pod(set_name, identity, labels), identity, labels
        )

    def of_any_pod(self, set_name: str) -> str:
        """The advice where no pod is known: about a new one that all selectors of the SidecarSet select."""
        sidecarset = self._world.by_name[set_name]
        if is_injection_paused(sidecarset.spec):
            return NewPod(Reason.INJECTION_PAUSED, "injectionStrategy.paused is true").recreation
        nobody, selecting = Identity("", ""), with_strategy(sidecarset.spec, {"selector": None})
        found = self._new_pods.with_change(sidecarset._replace(spec=selecting), nobody, {})
        return self._sentence(sidecarset, found, nobody, {})

    def _sentence(self, sidecarset: SidecarSet, found: NewPod, identity: Identity, labels: Labels) -> str:
        if found.odds or not found.older:
            return found.recreation
        helpful = [item for item in _unpinned(sidecarset) if self._helps(sidecarset, item, identity, labels)]
        refusal = refused(sidecarset, helpful[0].spec, self._world) if helpful else None
        if refusal:
            return f"{found.recreation}; Kruise rejects a change of that: {refusal.message}"
        said = ", or ".join(item.words for item in helpful)
        return f"{found.recreation}: {said}" if said else found.recreation

    def of(self, set_name: str) -> Callable[[SimulatedPod], str]:
        """The advice about the pods of one SidecarSet."""
        return lambda pod: self._loss(pod, set_name) or self._advice(set_name, Identity(*pod.name), pod.labels)

    def of_orphan(self, pod: SimulatedPod, set_name: str) -> str:
        """The advice about a pod with sidecars that a new one does not get: `recreate it`, or what else it loses."""
        found = self._new_pods.rejected(Identity(*pod.name), pod.labels)
        return self._loss(pod, set_name) or (found.recreation if found else RECREATE)

    def _loss(self, pod: SimulatedPod, set_name: str) -> str:
        """What a new pod would lack that this one has of the other SidecarSets; empty for nothing."""
        others = (self._world.by_name.get(name) for name in recorded_sets(pod) if name != set_name)
        paused = [item.name for item in others if item and is_injection_paused(item.spec)]
        return f"a new pod would have no sidecar of {paused[0]}: injectionStrategy.paused is true" if paused else ""

    def _helps(self, sidecarset: SidecarSet, change: "_Change", identity: Identity, labels: Labels) -> bool:
        changed = sidecarset._replace(spec=change.spec)
        return self._new_pods.with_change(changed, identity, labels).is_current


class _Change(NamedTuple):
    """A change of a SidecarSet in words, and its spec afterward."""

    words: str
    spec: Object


def _unpinned(sidecarset: SidecarSet) -> Iterator[_Change]:
    """The changes after which new pods may get the current version."""
    spec, strategy = sidecarset.spec, sidecarset.spec["injectionStrategy"]
    partial = {**strategy, "revision": {**strategy["revision"], "policy": "Partial"}}
    yield _Change("write policy: Partial", {**spec, "injectionStrategy": partial})
    without = {key: value for key, value in strategy.items() if key != "revision"}
    yield _Change("remove it", {**spec, "injectionStrategy": without})


def refused(sidecarset: SidecarSet, spec: Object, world: World) -> Finding | None:
    """Why Kruise rejects another spec of a SidecarSet; None if it accepts it."""
    return refusal_of_change(sidecarset, sidecarset._replace(spec=spec), world)


def with_strategy(spec: Object, members: Mapping[str, object]) -> Object:
    """A spec with other members of updateStrategy; None removes one."""
    strategy = {**(spec.get("updateStrategy") or {}), **members}
    return {**spec, "updateStrategy": {key: value for key, value in strategy.items() if value is not None}}
