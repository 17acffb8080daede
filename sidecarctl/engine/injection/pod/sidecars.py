"""A container of a SidecarSet: analyzed once, built for each pod, as two containers if it is hot.

Source: docs/behavior/injection.md, "What is written" and "Hot containers at injection".
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.pod.pod_view import PodView, Transfer, marking_env, transfer_of, transferred, unused
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.pod_annotations import VERSION_ALT_PREFIX, VERSION_PREFIX
from sidecarctl.engine.sidecarset.sets import is_hot, is_native_sidecar, pair_names

VERSION_ENV, VERSION_ALT_ENV = "SIDECARSET_VERSION", "SIDECARSET_VERSION_ALT"
"""The envs that tell a half of a hot pair its version."""


class Half(NamedTuple):
    """One container of a hot pair, or the one container of a cold sidecar, with the envs that only it has."""

    name: str
    image: str
    version_envs: tuple[Object, ...] = ()


def pair(name: str, image: str, empty_image: str) -> tuple[Half, Half]:
    """The two halves of a hot container."""
    working, waiting = pair_names(name)
    return Half(working, image, _version_envs(working)), Half(waiting, empty_image, _version_envs(waiting))


def version_annotations(names: Iterable[str]) -> dict[str, str]:
    """The version annotations of all halves of the hot containers of these names."""
    annotations = {}
    for name in names:
        for half, version, alternative in zip(pair_names(name), "10", "01", strict=True):
            annotations[VERSION_PREFIX + half] = version
            annotations[VERSION_ALT_PREFIX + half] = alternative
    return annotations


def working_containers(names: Iterable[str]) -> dict[str, str]:
    """Each hot container with its working one."""
    return {name: pair_names(name)[0] for name in names}


def _version_envs(half: str) -> tuple[Object, ...]:
    return (
        _annotation_env(VERSION_ENV, VERSION_PREFIX + half),
        _annotation_env(VERSION_ALT_ENV, VERSION_ALT_PREFIX + half),
    )


def _annotation_env(name: str, key: str) -> Object:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{key}']"}}}


_BEFORE_ENV = ("command", "args", "workingDir", "ports", "envFrom")
_BEFORE_MOUNTS = ("resizePolicy", "restartPolicy")
_SEPARATE = {"name", "image", "env", "resources", "volumeMounts", "volumeDevices"}


class Sidecar(NamedTuple):
    """The parts of a container of a set; `path` is its path in the set.

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


def sidecar_of(container: Object, path: Path, release: Release = DEFAULT) -> Sidecar:
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
    env = [*fields.get("env", ()), marking_env()]
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


def static_containers(sidecar: Sidecar) -> list[Object]:
    """The containers of a sidecar that takes nothing from the pod."""
    return _assembled(sidecar, sidecar.env, sidecar.resources, sidecar.mounts, sidecar.devices)


def containers_for(sidecar: Sidecar, pod: PodView, resources: Object) -> list[Object]:
    """The containers of a sidecar in a pod, typed and in the API's field order; two for a hot one.

    `resources` are those of its policy where it has one, else its own.
    """
    mounts = _with_shared_mounts(sidecar, pod)
    return _assembled(sidecar, env_in(sidecar, pod), resources, mounts, _with_shared_devices(sidecar, pod, mounts))


def env_in(sidecar: Sidecar, pod: PodView) -> list[Object]:
    """The env of a sidecar in a pod, with what it takes from there."""
    extras = [env for transfer in sidecar.transfers for env in transferred(transfer, pod)]
    if sidecar.shares_mounts:
        extras += pod.path_envs()
    if sidecar.repeats_envs:
        return sidecar.env + extras
    return _with_new_names(sidecar, extras) if extras else sidecar.env


def _with_new_names(sidecar: Sidecar, extras: Iterable[Object]) -> list[Object]:
    present = set(sidecar.env_names)
    env = list(sidecar.env)
    for extra in extras:
        if extra["name"] not in present:
            present.add(extra["name"])
            env.append(extra)
    return env


def _with_shared_mounts(sidecar: Sidecar, pod: PodView) -> list[Object]:
    if not sidecar.shares_mounts:
        return sidecar.mounts
    return sidecar.mounts + unused(pod.mounts(), "mountPath", sidecar.used_paths)


def _with_shared_devices(sidecar: Sidecar, pod: PodView, mounts: list[Object]) -> list[Object]:
    if not sidecar.shares_devices:
        return sidecar.devices
    used = sidecar.used_paths.union(mount["mountPath"] for mount in mounts)
    return sidecar.devices + unused(pod.devices(), "devicePath", used)


def _assembled(
    sidecar: Sidecar, env: list[Object], resources: Object, mounts: list[Object], devices: list[Object]
) -> list[Object]:
    varying: Object = {"resources": resources} if resources else {}
    varying |= sidecar.middle
    if mounts:
        varying["volumeMounts"] = mounts
    if devices:
        varying["volumeDevices"] = devices
    return [_container(half, sidecar, env, varying) for half in sidecar.halves]


def _container(half: Half, sidecar: Sidecar, env: list[Object], varying: Object) -> Object:
    image = {"image": half.image} if half.image else {}
    own_env = [*env, *half.version_envs] if half.version_envs else env
    return {"name": half.name, **image, **sidecar.head, "env": own_env, **varying, **sidecar.tail}
