"""The drift of pods from their SidecarSets: states with causes and fields."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.operations.drifting.cluster_sets import ClusterSets
from sidecarctl.operations.status import PodStatus, SetStatus
from sidecarctl.rollout.simulated_pods import PodName
from sidecarctl.rollout.summary.sidecar_comparison import FieldDifference


class DriftState(StrEnum):
    """How a pod stands to a SidecarSet, the worst first."""

    MISSING = "Missing"
    CHANGED = "Changed"
    ORPHAN = "Orphan"
    UNKNOWN = "Unknown"
    BEHIND = "Behind"
    UPDATING = "Updating"
    IN_SYNC = "InSync"

    @property
    def sentence(self) -> str:
        """What it means."""
        return _SENTENCES[self]


_SENTENCES = {
    DriftState.MISSING: "The SidecarSet selects the pod, but its sidecar is not in it.",
    DriftState.CHANGED: "A sidecar differs from the revision that the pod records.",
    DriftState.ORPHAN: "The pod has sidecars or records of a SidecarSet that is not responsible for it.",
    DriftState.UNKNOWN: "The pod's records or revision are missing, so the drift cannot be decided.",
    DriftState.BEHIND: "The pod runs an older revision, field by field.",
    DriftState.UPDATING: "The pod was patched and is not consistent yet.",
    DriftState.IN_SYNC: "The pod runs the current revision, field by field.",
}

DRIFTED = tuple(state for state in DriftState if state is not DriftState.IN_SYNC)
"""The states that --exit-code and --fail-on any mean."""


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
