"""The containers that a sidecar becomes in a pod.

Source: docs/behaviour/injection.md, "What is written", steps 1 to 9.
"""

from collections.abc import Iterable

from sidecarctl.facts.values import Object
from sidecarctl.injection.containers.hot_pairs import Half
from sidecarctl.injection.containers.pod_view import PodView
from sidecarctl.injection.containers.shared_mounts import unused
from sidecarctl.injection.containers.sidecars import Sidecar
from sidecarctl.injection.containers.transfer_env import transferred


def static_containers(sidecar: Sidecar) -> list[Object]:
    """The containers of a sidecar that takes nothing from the pod."""
    return _assembled(sidecar, sidecar.env, sidecar.resources, sidecar.mounts, sidecar.devices)


def containers_for(sidecar: Sidecar, pod: PodView, resources: Object) -> list[Object]:
    """The containers of a sidecar in a pod, typed and in the API's field order; two for a hot one.

    `resources` are those of its policy where it has one, else its own.
    """
    mounts = _with_shared_mounts(sidecar, pod)
    return _assembled(sidecar, _env(sidecar, pod), resources, mounts, _with_shared_devices(sidecar, pod, mounts))


def _env(sidecar: Sidecar, pod: PodView) -> list[Object]:
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
