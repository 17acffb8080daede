"""The states of a pod compared with what its SidecarSet says."""

from enum import StrEnum


class DriftState(StrEnum):
    """The states of a pod with respect to a SidecarSet, the worst first."""

    MISSING = "Missing"
    CHANGED = "Changed"
    ORPHAN = "Orphan"
    UNKNOWN = "Unknown"
    BEHIND = "Behind"
    OUTDATED = "Outdated"
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
    DriftState.OUTDATED: "The pod has the current hash, but a pod created now would differ: no update changes that.",
    DriftState.UPDATING: "The pod was patched and is not consistent yet.",
    DriftState.IN_SYNC: "The pod runs the current revision, field by field.",
}


DRIFTED = tuple(state for state in DriftState if state is not DriftState.IN_SYNC)
"""The states that --exit-code and --fail-on any mean."""
