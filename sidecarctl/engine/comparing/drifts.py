"""The drift of pods from their SidecarSets, and of a cluster's SidecarSets from those of files: states and causes."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.set_changes import changed
from sidecarctl.engine.field_changes import FieldChange
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.statuses import PodStatus, SetStatus
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.engine.sidecarset.revisions.controller_revisions import (
    KRUISE_NAMESPACE,
    SET_NAME_LABEL,
    own_revisions,
)
from sidecarctl.engine.sidecarset.world import World

_COUNTERS = ("matchedPods", "updatedPods", "readyPods", "updatedReadyPods")


class Whose(StrEnum):
    """Where a SidecarSet is."""

    FILES = "OnlyInFiles"
    CLUSTER = "OnlyInCluster"
    DIFFERENT = "Different"


class SetDifference(NamedTuple):
    """A SidecarSet that differs between files and cluster; `fields`: before is the cluster, after the files."""

    name: str
    whose: Whose
    fields: tuple[FieldChange, ...] = ()


class Lag(NamedTuple):
    """What the status of a SidecarSet in the cluster says, and the actual value."""

    name: str
    field: str
    recorded: int
    actual: int


class ClusterSets(NamedTuple):
    """How files and cluster differ, where the controller lags behind, and revisions of no SidecarSet."""

    differences: tuple[SetDifference, ...] = ()
    lags: tuple[Lag, ...] = ()
    orphaned_revisions: tuple[str, ...] = ()


def cluster_sets(world: World, live: World, statuses: Sequence[SetStatus]) -> ClusterSets:
    """The findings about SidecarSets; `live` are those of the cluster, also the ones that files replace."""
    differences = tuple(_differences(world, live))
    other = {item.name for item in differences}
    lags = (lag for status in statuses if status.sidecarset.name not in other for lag in _lags(status, live))
    return ClusterSets(differences, tuple(lags), tuple(_orphaned(world, live)))


def _differences(world: World, live: World) -> Iterator[SetDifference]:
    there = live.by_name
    in_files = [
        name for name in world.by_name if name not in there or world.sources[name].file != live.sources[name].file
    ]
    if not (there and in_files):
        return
    for sidecarset in world.sidecarsets:
        name = sidecarset.name
        if name not in there:
            yield SetDifference(name, Whose.FILES)
        elif name not in in_files:
            yield SetDifference(name, Whose.CLUSTER)
        else:
            written = live.sources[name].manifest, world.sources[name].manifest
            if fields := changed(there[name], sidecarset, written).fields:
                yield SetDifference(name, Whose.DIFFERENT, fields)


def _lags(status: SetStatus, live: World) -> Iterator[Lag]:
    """The counters of the manifest that the cluster has; of files only those with a status, as of a dump."""
    name = status.sidecarset.name
    manifest = live.sources[name].manifest if name in live.sources else None
    recorded = (manifest.get("status") if manifest else status.recorded) or {}
    metadata = manifest.get("metadata") or {} if manifest else status.sidecarset.metadata
    if not recorded:
        return
    generation = metadata.get("generation")
    seen = recorded.get("observedGeneration") or 0
    if generation is not None and seen < generation:
        yield Lag(name, "observedGeneration", seen, generation)
    for field in _COUNTERS:
        if (recorded.get(field) or 0) != (status.status.get(field) or 0):
            yield Lag(name, field, recorded.get(field) or 0, status.status.get(field) or 0)


def _orphaned(world: World, live: World) -> Iterator[str]:
    """The stored revisions whose SidecarSet does not exist, or is another one of the same name."""
    every = {**world.by_name, **live.by_name}
    owned = {revision.name for item in every.values() for revision in own_revisions(item, world.revisions)}
    for revision in world.revisions:
        is_stored = revision.namespace == KRUISE_NAMESPACE and bool(revision.created)
        if is_stored and revision.labels.get(SET_NAME_LABEL) and revision.name not in owned:
            yield revision.name


class Drift(NamedTuple):
    """One state of a pod, its cause, and the fields that differ: `now` is what runs, `new` what is recorded."""

    state: DriftState
    why: str = ""
    fields: tuple[FieldDifference, ...] = ()


class PodDrift(NamedTuple):
    """A pod at a SidecarSet; `drifts`, the worst first.

    `hash`, `revision` and `since` (the time of injection or of the last update, None if unknown) are recorded on the
    pod; `version` is the custom version of that revision. `runs` and `wanted` are the images of the sidecars, by
    container: those that run, and those that the SidecarSet has now. `standing`: its place in the rollout, None
    for a pod that takes no part.
    """

    pod: PodName
    drifts: tuple[Drift, ...]
    hash: str = ""
    revision: str = ""
    version: str = ""
    since: str | None = None
    runs: Mapping[str, str] = {}
    wanted: Mapping[str, str] = {}
    standing: PodStatus | None = None

    @property
    def state(self) -> DriftState:
        """The worst state."""
        return self.drifts[0].state


class SetDrift(NamedTuple):
    """The pods of a SidecarSet, in pod order; `status` is None for one that does not exist, and for no set at all.

    `left_out`: the pods that are not compared, such as ended ones, by reason.
    """

    name: str
    status: SetStatus | None
    pods: Sequence[PodDrift]
    left_out: Mapping[str, int] = {}

    @property
    def counts(self) -> dict[DriftState, int]:
        """The pods by their worst state, the worst state first; without states that none is in."""
        number = dict.fromkeys(DriftState, 0)
        for pod in self.pods:
            number[pod.state] += 1
        return {state: count for state, count in number.items() if count}


class DriftFacts(NamedTuple):
    """The drift from each SidecarSet, the feature gates in force, and the fields ignored: how often each.

    `cluster`: how the SidecarSets of files and cluster differ, and what the controller has yet to do.
    """

    sets: Sequence[SetDrift]
    gates: frozenset[str]
    ignored: Mapping[str, int] = {}
    cluster: ClusterSets = ClusterSets()
