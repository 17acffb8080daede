"""A SidecarSet as everything after admission sees it."""

from typing import Literal

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import MASTER, Release

GROUP = "apps.kruise.io"

Version = Literal["v1alpha1", "v1beta1"]


class NamespacedName(NamedTuple):
    """Which object of a kind."""

    namespace: str
    name: str


WHITELIST = NamespacedName("kruise-system", "kruise-configuration")
"""The ConfigMap that lists the annotations that SidecarSets may patch."""


class SidecarSet(NamedTuple):
    """A set after defaults, in its own API version and typed form (unknown and empty fields are gone).

    `hash` and `hash_without_image` are those of docs/behaviour/hash-and-revisions.md. `latest_revision` and
    `collision_count` are `status.latestRevision` and `status.collisionCount` as given, else empty and 0.
    `release` is the Kruise that admitted it: all that is computed of the set is asked of that.
    """

    name: str
    version: Version
    metadata: Object
    spec: Object
    hash: str
    hash_without_image: str
    latest_revision: str = ""
    collision_count: int = 0
    release: Release = MASTER

    @property
    def manifest(self) -> Object:
        """The set as an object of its API version, without status."""
        return {
            "apiVersion": f"{GROUP}/{self.version}",
            "kind": "SidecarSet",
            "metadata": self.metadata,
            "spec": self.spec,
        }
