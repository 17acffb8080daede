"""What one set injects into any pod, worked out once.

Source: docs/behaviour/injection.md, "What is written" and "Annotations written on the pod".
"""

from collections.abc import Iterator
from functools import cached_property

from sidecarctl.api.canonical import typed
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.injection.containers.sidecars import Sidecar, sidecar_of
from sidecarctl.sidecarset.annotations.pod_annotations import HashEntry
from sidecarctl.sidecarset.containers import sidecar_list
from sidecarctl.sidecarset.sets import GROUP, SidecarSet


class SetPlan:
    """A set as admitted, or as restored from a revision, and what comes of it.

    `volumes` are those that a sidecar of the set mounts, in the order in which they are queued, each name once.
    """

    def __init__(self, sidecarset: SidecarSet) -> None:
        spec = sidecarset.spec
        self.sidecarset = sidecarset
        self.init_sidecars = _sidecars(spec, "initContainers")
        self.sidecars = _sidecars(spec, "containers")
        self.volumes = tuple(_mounted_volumes(spec, self.all_sidecars))
        self.pull_secrets: tuple[Object, ...] = tuple(
            typed(spec.get("imagePullSecrets") or [], "[]core.LocalObjectReference")
        )
        self.patches: tuple[Object, ...] = tuple(spec.get("patchPodMetadata") or ())

    @property
    def name(self) -> str:
        """The set's name."""
        return self.sidecarset.name

    @cached_property
    def reference(self) -> ObjectReference:
        """The set, for findings about its fields."""
        return reference_to(self.sidecarset)

    @cached_property
    def all_sidecars(self) -> tuple[Sidecar, ...]:
        """The initContainers, then the containers."""
        return self.init_sidecars + self.sidecars

    @cached_property
    def hot_names(self) -> tuple[str, ...]:
        """The names of the hot containers."""
        return tuple(sidecar.name for sidecar in self.all_sidecars if sidecar.is_hot)

    @cached_property
    def hash_entries(self) -> tuple[HashEntry, HashEntry] | None:
        """What the two hash annotations record of the set, without a time; nothing of a set without containers."""
        if not self.all_sidecars:
            return None
        given, sidecars = self.sidecarset, sidecar_list(self.sidecarset.spec)
        return (
            HashEntry(None, given.hash, given.name, sidecars, given.latest_revision),
            HashEntry(None, given.hash_without_image, given.name, sidecars),
        )


def reference_to(sidecarset: SidecarSet) -> ObjectReference:
    """A set as the subject of findings."""
    return ObjectReference(f"{GROUP}/{sidecarset.version}", "SidecarSet", "", sidecarset.name)


def _sidecars(spec: Object, field: str) -> tuple[Sidecar, ...]:
    return tuple(
        sidecar_of(container, ("spec", field, index)) for index, container in enumerate(spec.get(field) or ())
    )


def _mounted_volumes(spec: Object, sidecars: tuple[Sidecar, ...]) -> Iterator[Object]:
    declared = {volume["name"]: volume for volume in typed(spec.get("volumes") or [], "[]core.Volume")}
    for sidecar in sidecars:
        for name in sidecar.volume_names:
            if name in declared:
                yield declared.pop(name)
