"""What the app containers of a pod share with sidecars: mounts, devices, and the envs that mounts name.

Source: docs/behaviour/injection.md, "What is written", steps 2, 6 and 8.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from sidecarctl.api.canonical import typed
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import MASTER, Release

_REFERENCE = r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)"


def shared_mounts(containers: Iterable[Object], release: Release = MASTER) -> list[Object]:
    """Every volumeMount of the containers in the typed form of a release, the first of each mountPath."""
    return _first_of_each(containers, "volumeMounts", "core.VolumeMount", "mountPath", release)


def shared_devices(containers: Iterable[Object]) -> list[Object]:
    """Every volumeDevice of the containers in typed form, the first of each devicePath."""
    return _first_of_each(containers, "volumeDevices", "core.VolumeDevice", "devicePath", MASTER)


def path_envs(containers: Iterable[Object]) -> list[Object]:
    """The envs that `$(NAME)` in a subPathExpr of any mount stands for, in typed form, in order of appearance."""
    return [env_entry(env) for container in containers for env in _envs_named_in_mounts(container)]


def env_entry(env: Object) -> Object:
    """An env of the pod in typed form."""
    if env.get("valueFrom") is not None:
        entry: Object = typed(env, "core.EnvVar")
        return entry
    name, value = env.get("name") or "", env.get("value")  # by far the most: not worth a walk through the type
    return {"name": name, "value": value} if value else {"name": name}


def unused(shared: Iterable[Object], field: str, used: Collection[str]) -> list[Object]:
    """The shared mounts or devices whose path, in `field`, a sidecar does not use itself."""
    return [item for item in shared if item[field] not in used]


def _first_of_each(
    containers: Iterable[Object], field: str, item_type: str, path_field: str, release: Release
) -> list[Object]:
    found: dict[str, Object] = {}
    for container in containers:
        for item in container.get(field) or ():
            path = (item or {}).get(path_field) or ""
            if path not in found:
                found[path] = typed(item or {}, item_type, release)
    return list(found.values())


def _envs_named_in_mounts(container: Object) -> Iterator[Object]:
    for mount in container.get("volumeMounts") or ():
        expression = mount.get("subPathExpr") if mount else None
        for name in re.findall(_REFERENCE, expression) if expression else ():
            env = next((env for env in container.get("env") or () if (env or {}).get("name") == name), None)
            if env is not None:
                yield env
