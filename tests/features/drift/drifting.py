"""The drift of pods from SidecarSets, as objects."""

import json
from collections.abc import Iterable, Sequence
from copy import deepcopy

from sidecarctl.engine.comparing.drift import drift_report
from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.drifts import DriftFacts, PodDrift
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import select
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.inputs.world import deciding, world_of
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from sidecarctl.engine.sidecarset.world import World


def world(objects: Iterable[Object], release: Release = DEFAULT) -> World:
    """The world of what decides among some objects, as a release has it."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    found = deciding(Reader().documents_of(text), "objects.json")
    made, faults = world_of(found, release=release)
    assert not faults
    return made


def drift_of(
    world: World, pods: Iterable[Object], gates: frozenset[str] = frozenset(), ignore: Sequence[str] = ()
) -> DriftFacts:
    """The drift of pods, read as a command reads them."""
    inputs = PodInputs(world=world)
    inputs.pods = [trimmed_pod(deepcopy(pod), "default", whole_containers=True) for pod in pods]
    return drift_report(inputs, (), gates, ignore).facts


def only(facts: DriftFacts, name: str = "logs") -> PodDrift:
    """The one pod of a SidecarSet."""
    (item,) = (item for item in facts.sets if item.name == name)
    (pod,) = item.pods
    return pod


def states(pod: PodDrift) -> list[DriftState]:
    """Its states, each once."""
    return list(dict.fromkeys(each.state for each in pod.drifts))


def injected(pod: Object, *sidecarsets: Object) -> Object:
    """A running pod as Kruise injects it, ready, its statuses as its spec."""
    context = InjectionContext([*map(admit, sidecarsets)], options=InjectionOptions(timestamp="2026-01-01T00:00:00Z"))
    made: Object = deepcopy(inject(pod, select(pod, context), context).pod)
    return running(made)


def running(pod: Object) -> Object:
    """The pod with a status that shows its images."""
    statuses = [
        {"name": item["name"], "image": item["image"], "imageID": f"sha256:{item['image']}", "ready": True}
        for item in pod["spec"]["containers"]
    ]
    ready = {"type": "Ready", "status": "True"}
    status = {"phase": "Running", "conditions": [ready], "containerStatuses": statuses}
    return {**pod, "status": status}


def revision_of(sidecarset: Object, number: int = 1) -> Object:
    """The ControllerRevision that Kruise stores of a SidecarSet."""
    return new_revision(admit(sidecarset), number).manifest
