"""What a rollout brings the pods to: one SidecarSet, with everything that each pod is compared with."""

from collections.abc import Iterable
from typing import NamedTuple

from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.sets import SidecarSet


class SidecarContainer(NamedTuple):
    """A container of the set; `empty_image` is that of the idle half of a hot one."""

    name: str
    image: str
    hot: bool
    empty_image: str

    @property
    def halves(self) -> tuple[str, str]:
        """The names of a hot container's two halves in the pod."""
        return f"{self.name}-1", f"{self.name}-2"


class Target(NamedTuple):
    """A set as a rollout needs it; `names` are those of its containers in the pods, `revision` is its own."""

    name: str
    hash: str
    hash_without_image: str
    revision: str
    resource_version: str
    containers: tuple[SidecarContainer, ...]
    hot: tuple[SidecarContainer, ...]
    names: frozenset[str]
    sidecar_list: tuple[str, ...]
    metadata_patches: tuple[Object, ...]
    sidecar_set: SidecarSet

    @property
    def strategy(self) -> Object:
        """The set's updateStrategy."""
        return self.sidecar_set.spec.get("updateStrategy") or {}


def target_of(sidecar_set: SidecarSet, revision: str, resource_version: str = "") -> Target:
    """The target that a set is.

    `revision` is the name of its ControllerRevision; `resource_version` stands in for an absent
    metadata.resourceVersion, which a hot upgrade writes on the pods.
    """
    spec = sidecar_set.spec
    containers = tuple(_container(item) for item in spec.get("containers") or ())
    return Target(
        name=sidecar_set.name,
        hash=sidecar_set.hash,
        hash_without_image=sidecar_set.hash_without_image,
        revision=revision,
        resource_version=sidecar_set.metadata.get("resourceVersion") or resource_version,
        containers=containers,
        hot=tuple(container for container in containers if container.hot),
        names=frozenset(_names_in_pods(containers)),
        sidecar_list=_sidecar_list(spec),
        metadata_patches=tuple(spec.get("patchPodMetadata") or ()),
        sidecar_set=sidecar_set,
    )


def _container(item: Object) -> SidecarContainer:
    strategy = item.get("upgradeStrategy") or {}
    return SidecarContainer(
        name=item.get("name") or "",
        image=item.get("image") or "",
        hot=strategy.get("upgradeType") == "HotUpgrade",
        empty_image=strategy.get("hotUpgradeEmptyImage") or "",
    )


def _names_in_pods(containers: Iterable[SidecarContainer]) -> Iterable[str]:
    for container in containers:
        yield from container.halves if container.hot else (container.name,)


def _sidecar_list(spec: Object) -> tuple[str, ...]:
    """Containers and native sidecars by name; a hot container under its own."""
    native = [item for item in spec.get("initContainers") or () if item.get("restartPolicy") == "Always"]
    return tuple(sorted(item.get("name") or "" for item in [*(spec.get("containers") or ()), *native]))
