"""The head of every sidecarctl document: version, kind, the computed behaviour."""

from collections.abc import Collection

from sidecarctl import BEHAVIOUR
from sidecarctl.facts.values import Object

API_VERSION = "sidecarctl.dev/v1alpha1"


def document_head(kind: str, feature_gates: Collection[str] = (), behaviour: str = BEHAVIOUR) -> Object:
    """The members that a document of a kind begins with; `behaviour` names the Kruise that was computed."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "behaviour": behaviour,
        "featureGates": sorted(feature_gates),
    }
