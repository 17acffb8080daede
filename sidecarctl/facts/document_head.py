"""What every document of ours begins with: version, kind, the behaviour that was computed."""

from collections.abc import Collection

from sidecarctl import BEHAVIOUR
from sidecarctl.facts.values import Object

API_VERSION = "sidecarctl.dev/v1alpha1"


def document_head(kind: str, feature_gates: Collection[str] = ()) -> Object:
    """The members that a document of a kind begins with."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "behaviour": BEHAVIOUR,
        "featureGates": sorted(feature_gates),
    }
