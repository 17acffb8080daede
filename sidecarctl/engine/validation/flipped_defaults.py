"""Containers whose default pull policy changes with the tag of their image."""

from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value

FIELD = "imagePullPolicy"


def flipped(before: Value, after: Value, index: int) -> Finding:
    """The warning about a container whose default pull policy changes with its tag, by the container's index."""
    message = f"the default of {FIELD} changes from {before} to {after} with the image tag"
    hint = (
        f"write {FIELD}: {before} to keep the update in place; the default counts for kubectl apply and Helm, while "
        f"kubectl edit and kubectl patch keep the stored value"
    )
    return warning(Reason.DEFAULT_FLIPPED, message, ("spec", "containers", index, FIELD), hint=hint)
