"""A container of a set, taken apart once so that it can be put together quickly for each of many pods.

Source: docs/behaviour/injection.md, "What is written".
"""

from collections.abc import Collection

from sidecarctl.api.canonical import typed
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.injection.containers import injected_marker as marker
from sidecarctl.injection.containers.hot_pairs import Half, pair
from sidecarctl.injection.containers.transfer_env import Transfer, transfer_of
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.containers import is_hot, is_native_sidecar

_BEFORE_ENV = ("command", "args", "workingDir", "ports", "envFrom")
_BEFORE_MOUNTS = ("resizePolicy", "restartPolicy")
_SEPARATE = {"name", "image", "env", "resources", "volumeMounts", "volumeDevices"}


class Sidecar(NamedTuple):
    """What a container of a set is made of; `path` is its own in the set.

    `head`, `middle` and `tail` are the fields that never vary, in the API's order around those that may. `env` ends
    with the mark of injection. `halves` are the containers that come of it. `policy` is its resourcesPolicy.
    `volume_names` are the volumes that it brings, in the order in which they are queued. `repeats_envs`: envs that it
    takes come at the end, also one of a name that is there.
    """

    name: str
    path: Path
    halves: tuple[Half, ...]
    goes_first: bool
    is_native: bool
    head: Object
    env: list[Object]
    resources: Object
    middle: Object
    mounts: list[Object]
    devices: list[Object]
    tail: Object
    shares_mounts: bool
    shares_devices: bool
    transfers: tuple[Transfer, ...]
    policy: Object | None
    env_names: frozenset[str]
    used_paths: frozenset[str]
    volume_names: tuple[str, ...]
    repeats_envs: bool = False

    @property
    def is_hot(self) -> bool:
        """Whether it is injected as a pair."""
        return len(self.halves) > 1

    @property
    def is_static(self) -> bool:
        """Whether it takes nothing from the pod."""
        return not (self.shares_mounts or self.shares_devices or self.transfers or self.policy)


def sidecar_of(container: Object, path: Path, release: Release = MASTER) -> Sidecar:
    """A container or initContainer of a set that a release admitted or restored; `path` says which it is."""
    sidecar = _sidecar(container, path, release)
    if path[1] != "initContainers" or release.init_injection == "like containers":
        return sidecar
    if release.init_injection == "own volumes, envs at the end":
        return sidecar._replace(shares_mounts=False, shares_devices=False, repeats_envs=True)
    return sidecar._replace(shares_mounts=False, shares_devices=False, transfers=(), volume_names=())


def _sidecar(container: Object, path: Path, release: Release) -> Sidecar:
    fields = typed(container, "core.Container", release)
    mounts, devices = fields.get("volumeMounts", []), fields.get("volumeDevices", [])
    env = [*fields.get("env", ()), marker.marking_env()]
    is_native = path[1] == "initContainers" and is_native_sidecar(container)
    transfers = container.get("transferEnv", ())
    policy = container.get("resourcesPolicy")
    counted = devices if release.volume_devices else []
    return Sidecar(
        name=fields["name"],
        path=path,
        halves=_halves(container, fields, may_be_hot=is_native or path[1] == "containers"),
        goes_first=_goes_first(container, release),
        is_native=is_native,
        head=_members(fields, _BEFORE_ENV),
        env=env,
        resources={} if policy is not None else fields.get("resources", {}),
        middle=_members(fields, _BEFORE_MOUNTS),
        mounts=mounts,
        devices=devices,
        tail=_members(fields, fields.keys() - _SEPARATE - {*_BEFORE_ENV, *_BEFORE_MOUNTS}),
        shares_mounts=_is_enabled(container, "shareVolumePolicy"),
        shares_devices=_is_enabled(container, "shareVolumeDevicePolicy"),
        transfers=tuple(transfer_of(item, (*path, "transferEnv", index)) for index, item in enumerate(transfers)),
        policy=policy,
        env_names=frozenset(entry["name"] for entry in env),
        used_paths=frozenset([*(item["mountPath"] for item in mounts), *(item["devicePath"] for item in counted)]),
        volume_names=tuple(item["name"] for item in (*mounts, *counted)),
    )


def _goes_first(container: Object, release: Release) -> bool:
    policy = container.get("podInjectPolicy")
    return policy == "BeforeAppContainer" or not (policy or release.unset_policy_goes_last)


def _halves(container: Object, fields: Object, *, may_be_hot: bool) -> tuple[Half, ...]:
    name, image = fields["name"], fields.get("image", "")
    if may_be_hot and is_hot(container):
        return pair(name, image, container["upgradeStrategy"].get("hotUpgradeEmptyImage", ""))
    return (Half(name, image),)


def _members(fields: Object, names: Collection[str]) -> Object:
    return {name: member for name, member in fields.items() if name in names}


def _is_enabled(container: Object, field: str) -> bool:
    return bool(container.get(field, {}).get("type") == "enabled")
