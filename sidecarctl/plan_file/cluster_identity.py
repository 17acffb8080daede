"""Which cluster a plan is for."""

from typing import NamedTuple

from sidecarctl.facts.values import Object


class ClusterIdentity(NamedTuple):
    """The uid of the Namespace kube-system, which no other cluster has, and Kruise's version; empty where unknown."""

    uid: str = ""
    kruise: str = ""

    def document(self) -> Object:
        """The same as a plan records it, without what is not known."""
        known = {"uid": self.uid, "kruiseVersion": self.kruise}
        return {key: value for key, value in known.items() if value}
