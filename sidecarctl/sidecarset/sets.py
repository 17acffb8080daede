"""A SidecarSet as everything after admission sees it."""

from dataclasses import dataclass
from typing import Literal

from sidecarctl.facts.values import Object


@dataclass(frozen=True, slots=True)
class SidecarSet:
    """A set after defaults, in its own API version and typed form (unknown and empty fields are gone).

    `hash` and `hash_without_image` are those of docs/behaviour/hash-and-revisions.md. `latest_revision` is
    `status.latestRevision` as given, empty when unknown.
    """

    name: str
    version: Literal["v1alpha1", "v1beta1"]
    metadata: Object
    spec: Object
    hash: str
    hash_without_image: str
    latest_revision: str = ""
