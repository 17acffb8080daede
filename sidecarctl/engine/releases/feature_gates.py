"""The feature gates of Kruise that decide about pods, by name, and which of them are on in a release.

Source: docs/behavior/pod-webhook.md, "Releases".
"""

from collections.abc import Collection, Mapping

from sidecarctl.engine.releases.release import DEFAULT, Release

SORTS_CONTAINERS = "EnableSortSidecarContainerByName"
"""The feature gate under which containers, not only initContainers, are queued by name."""

METADATA_DEFAULTS = "SidecarSetPatchPodMetadataDefaultsAllowed"
READINESS_GATE = "KruisePodReadinessGate"
ENHANCED_LIVENESS = "EnhancedLivenessProbe"
PROBE_MARKERS = "EnablePodProbeMarkerOnServerless"
BUDGETS_FOR_UPDATES = "PodUnavailableBudgetUpdateGate"
BUDGETS_FOR_DELETIONS = "PodUnavailableBudgetDeleteGate"
WORKLOAD_SPREADS = "WorkloadSpread"
KRUISE_DAEMON = "KruiseDaemon"
POD_WEBHOOK = "PodWebhook"
TERMINATES_SIDECARS = "SidecarTerminator"

GATES = {
    SORTS_CONTAINERS: False,
    METADATA_DEFAULTS: False,
    READINESS_GATE: False,
    ENHANCED_LIVENESS: False,
    PROBE_MARKERS: False,
    BUDGETS_FOR_UPDATES: False,
    BUDGETS_FOR_DELETIONS: True,
    WORKLOAD_SPREADS: True,
    KRUISE_DAEMON: True,
    POD_WEBHOOK: True,
    TERMINATES_SIDECARS: False,
}
"""The gates with their defaults in the newest releases."""

OTHERS = frozenset(
    {
        "CloneSetEventHandlerOptimization",
        "CloneSetPartitionRollback",
        "CloneSetShortHash",
        "DaemonSetPruneIneligibleNodes",
        "DaemonWatchingPod",
        "DefaultHostNetworkHostPortsInPodTemplates",
        "DeletionProtectionForCRDCascadingGate",
        "EnableExternalCerts",
        "ForceDeleteTimeoutExpectationGate",
        "ImagePullJobGate",
        "InPlacePodVerticalScaling",
        "InPlaceUpdateEnvFromMetadata",
        "InPlaceWorkloadVerticalScaling",
        "PodIndexLabel",
        "PodProbeMarkerGate",
        "PreDownloadImageForDaemonSetUpdate",
        "PreDownloadImageForInPlaceUpdate",
        "PreparingUpdateAsUpdate",
        "RecreatePodWhenChangeVCTInCloneSetGate",
        "ResourceDistributionGate",
        "ResourcesDeletionProtection",
        "StatefulSetAutoDeletePVC",
        "StatefulSetAutoResizePVCGate",
        "StatefulSetStartOrdinal",
        "TemplateNoDefaults",
    }
)
"""Kruise's other gates, which decide nothing that is computed here."""

_OFF_AT_FIRST = (BUDGETS_FOR_DELETIONS, WORKLOAD_SPREADS)


ALL_ALPHA, ALL_BETA = "AllAlpha", "AllBeta"
STAGES = {ALL_ALPHA: False, ALL_BETA: True}
"""Names that stand for all gates of a stage, which all have one default: for those that nothing names itself."""


def _of_stages(gates: Mapping[str, bool | None]) -> Mapping[str, bool | None]:
    """Gate by gate, without the groups; `AllAlpha` stays, since a release ignores what it does not have of those."""
    asked = {name: on for name, on in gates.items() if on is not None}
    stages = [(asked[stage], default) for stage, default in STAGES.items() if stage in asked]
    said = {gate: on for on, default in stages for gate in GATES if GATES[gate] is default}
    if asked.get(ALL_BETA) is not False:  # else they are off: by their later stage, or as their first default
        said = {gate: on for gate, on in said.items() if gate not in _OFF_AT_FIRST}
        said |= dict.fromkeys(_OFF_AT_FIRST, True) if asked.get(ALL_ALPHA) else {}
    return {**said, **asked}


def gates_that_differ(gates: Mapping[str, bool | None]) -> frozenset[str]:
    """The gates that differ from their defaults: `NAME` for one that is on, `NAME=false` for one that is off.

    Those that decide nothing here are left out. One whose default is not the same in all releases always differs, so
    that it can be on if that is not the default.
    """
    return frozenset(
        gate if on else f"{gate}=false"
        for gate, on in _of_stages(gates).items()
        if (gate in GATES and (on is not GATES[gate] or gate in _OFF_AT_FIRST)) or (gate == ALL_ALPHA and on)
    )


def is_known(gate: str) -> bool:
    """Whether Kruise has a gate, or a name for several."""
    return gate in GATES or gate in OTHERS or gate in STAGES


def is_on(gate: str, gates: Collection[str], release: Release = DEFAULT) -> bool:
    """Whether a gate is on in a release; `gates` are those that differ from their defaults."""
    if gate in gates or f"{gate}=false" in gates:
        return gate in gates
    return GATES[gate] and (release.new_gates_are_on or gate not in _OFF_AT_FIRST)
