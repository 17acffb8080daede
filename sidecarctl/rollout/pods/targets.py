"""The target of a rollout: a SidecarSet, with everything that pods are compared with."""

from collections.abc import Callable

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.sidecarset.annotations.pod_annotations import HashEntry
from sidecarctl.sidecarset.containers import is_hot, names_in_pods, pair_names, sidecar_list
from sidecarctl.sidecarset.sets import SidecarSet


class SidecarContainer(NamedTuple):
    """A container of the SidecarSet; `empty_image` is that of the idle half of a HotUpgrade container."""

    name: str
    image: str
    hot: bool
    empty_image: str

    @property
    def halves(self) -> tuple[str, str]:
        """The names of the two halves of a HotUpgrade container in the pod."""
        return pair_names(self.name)


class Target(NamedTuple):
    """A SidecarSet as a rollout needs it.

    `names` are those of its containers in the pods; `hash_entry` is what an update at the time `now`
    (RFC 3339, None for no time) records; `canaries` are the names of its canaries. `raises_versions`: a hot upgrade
    never writes a version below those that the pod records, though Kruise would write an older `resource_version`.

    `only`: the pods that may be updated, None for all. `rolls_back`: the hash that a rollback takes back; else empty.
    """

    name: str
    hash: str
    hash_without_image: str
    now: str | None
    hash_entry: HashEntry
    resource_version: str
    containers: tuple[SidecarContainer, ...]
    hot: tuple[SidecarContainer, ...]
    names: frozenset[str]
    metadata_patches: tuple[Object, ...]
    sidecar_set: SidecarSet
    canaries: tuple[str, ...] = ()
    raises_versions: bool = False
    only: Callable[[SimulatedPod], bool] | None = None
    rolls_back: str = ""

    @property
    def release(self) -> Release:
        """The Kruise that does it."""
        return self.sidecar_set.release

    @property
    def strategy(self) -> Object:
        """The set's updateStrategy."""
        return self.sidecar_set.spec.get("updateStrategy") or {}


def target_of(
    sidecar_set: SidecarSet,
    revision: str,
    *,
    now: str | None = None,
    resource_version: str = "",
    canaries: tuple[str, ...] = (),
) -> Target:
    """The target of a SidecarSet.

    `revision` is the name of its ControllerRevision, `now` the time to record (RFC 3339, None for no time);
    `resource_version` stands in for an absent metadata.resourceVersion, which a hot upgrade writes on pods.
    """
    spec = sidecar_set.spec
    containers = tuple(_container(item) for item in spec.get("containers") or ())
    return Target(
        name=sidecar_set.name,
        hash=sidecar_set.hash,
        hash_without_image=sidecar_set.hash_without_image,
        now=now,
        hash_entry=HashEntry(now, sidecar_set.hash, sidecar_set.name, _sidecar_list(sidecar_set), revision),
        resource_version=sidecar_set.metadata.get("resourceVersion") or resource_version,
        containers=containers,
        hot=tuple(container for container in containers if container.hot),
        names=frozenset(name for item in spec.get("containers") or () for name in names_in_pods(item)),
        metadata_patches=tuple(spec.get("patchPodMetadata") or ()),
        sidecar_set=sidecar_set,
        canaries=canaries,
    )


def _container(item: Object) -> SidecarContainer:
    strategy = item.get("upgradeStrategy") or {}
    return SidecarContainer(
        name=item.get("name") or "",
        image=item.get("image") or "",
        hot=is_hot(item),
        empty_image=strategy.get("hotUpgradeEmptyImage") or "",
    )


def _sidecar_list(sidecar_set: SidecarSet) -> tuple[str, ...]:
    return sidecar_list(sidecar_set.spec, every=sidecar_set.release.lists_plain_init_containers)
