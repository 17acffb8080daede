"""The cluster that a plan is for."""

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object


class ClusterIdentity(NamedTuple):
    """The uid of the Namespace kube-system, unique to a cluster, and the Kruise version; empty if unknown."""

    uid: str = ""
    kruise: str = ""

    def document(self) -> Object:
        """The identity as a plan records it, without unknown parts."""
        known = {"uid": self.uid, "kruiseVersion": self.kruise}
        return {key: value for key, value in known.items() if value}
