"""volumeMounts and volumeDevices of a container.

Source: docs/behavior/validation.md, "Containers".
"""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.api.text_forms import has_backsteps, is_relative
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.rules import kubernetes

Volumes = Mapping[str, Object]
"""The valid volumes of a SidecarSet, by name."""

_PROPAGATIONS = ("None", "HostToContainer", "Bidirectional")
_DEVICES = ("persistentVolumeClaim", "ephemeral")
_OLD_DEVICES = ("persistentVolumeClaim",)
_RECURSIVE = ("Disabled", "IfPossible", "Enabled")

VOLUME = kubernetes(
    "mount-volume",
    "Mount of an undeclared volume",
    "A container mounts volumes that its SidecarSet declares.",
    why="Kruise checks the SidecarSet on its own, without any pod: even a volume that every pod has must be "
    "declared. A declared volume that is invalid itself does not count.",
    mend="declare it under spec.volumes, or correct its declaration there; to share the mounts of the app containers "
    "use shareVolumePolicy: {type: enabled}",
    fails="volumeMounts: [{name: logs, mountPath: /logs}]",
    passes="volumeMounts: [{name: spool, mountPath: /spool}]",
)
PATH = kubernetes(
    "mount-path",
    "Missing or repeated mountPath",
    "A mount has a mountPath that is unique in its container.",
    why="Two volumes cannot be mounted at the same path.",
    mend="give each volume a path of its own",
    fails="volumeMounts: [{name: spool, mountPath: /spool}, {name: spool, mountPath: /spool}]",
    passes="volumeMounts: [{name: spool, mountPath: /spool}, {name: spool, mountPath: /spool-again}]",
)
SUB_PATH = kubernetes(
    "mount-sub-path",
    "Invalid subPath",
    "A subPath or subPathExpr is a relative path without .., not both, and absent for an image volume.",
    why="The path must lead into the volume.",
    mend="write it like logs/today",
    fails="volumeMounts: [{name: spool, mountPath: /spool, subPath: /logs}]",
    passes="volumeMounts: [{name: spool, mountPath: /spool, subPath: logs}]",
)
PROPAGATION = kubernetes(
    "mount-propagation",
    "Invalid mountPropagation",
    "mountPropagation is None, HostToContainer, or, in privileged containers, Bidirectional.",
    why="A bidirectional mount changes the node.",
    mend="write None or HostToContainer, or make the container privileged",
    fails="volumeMounts: [{name: spool, mountPath: /spool, mountPropagation: Bidirectional}]",
    passes="volumeMounts: [{name: spool, mountPath: /spool, mountPropagation: HostToContainer}]",
)
RECURSIVE = kubernetes(
    "mount-recursive-read-only",
    "Invalid recursiveReadOnly",
    "recursiveReadOnly is Disabled, or IfPossible or Enabled on a read-only mount without propagation.",
    why="It extends readOnly to the mounts below.",
    mend="add readOnly: true, and remove mountPropagation",
    fails="volumeMounts: [{name: spool, mountPath: /spool, recursiveReadOnly: Enabled}]",
    passes="volumeMounts: [{name: spool, mountPath: /spool, readOnly: true, recursiveReadOnly: Enabled}]",
)
DEVICE = kubernetes(
    "volume-device",
    "Invalid volumeDevice",
    "A volumeDevice has a path and names a declared persistentVolumeClaim or ephemeral volume; nothing "
    "else uses either.",
    why="Only claims can be block devices, and a volume is either mounted or used as a device.",
    mend="name a volume of the right kind, and a path that contains no .. element",
    fails="volumeDevices: [{name: spool, devicePath: /dev/spool}]",
    passes="volumeDevices: [{name: disk, devicePath: /dev/disk}]",
)


_LACKS = "the SidecarSet declares no valid volume"


def mount_findings(
    container: Object, volumes: Volumes, path: Path, release: Release, lacks: str = _LACKS
) -> Iterator[Finding]:
    """Errors in volumeMounts and volumeDevices of a container; `lacks` says that a volume is not there."""
    mounts, devices = container.get("volumeMounts", ()), container.get("volumeDevices", ())
    seen: set[str] = set()
    for index, mount in enumerate(mounts):
        where = (*path, "volumeMounts", index)
        yield from _volume(mount, volumes, devices, where, lacks)
        yield from _mount_path(mount, seen, devices, where)
        yield from _sub_path(mount, volumes, where)
        yield from _propagation(mount, container.get("securityContext") or {}, where)
        yield from _recursive(mount, where)
    kinds = _DEVICES if release.ephemeral_devices else _OLD_DEVICES
    yield from _devices(container, volumes, kinds, (*path, "volumeDevices"), lacks)


def _volume(mount: Object, volumes: Volumes, devices: list[Object], path: Path, lacks: str) -> Iterator[Finding]:
    name = mount.get("name", "")
    if not name:
        yield VOLUME.at((*path, "name"), "the mount names no volume")
    elif name not in volumes:
        yield VOLUME.at((*path, "name"), f'{lacks} "{name}"')
    if any(device.get("name", "") == name for device in devices):
        yield DEVICE.at((*path, "name"), f'the volume "{name}" is already used as a volumeDevice')


def _mount_path(mount: Object, seen: set[str], devices: list[Object], path: Path) -> Iterator[Finding]:
    mount_path = mount.get("mountPath", "")
    if not mount_path:
        yield PATH.at((*path, "mountPath"), "mountPath is missing", "write mountPath: /logs, for example")
    if mount_path in seen:
        yield PATH.at((*path, "mountPath"), f"two volumes are mounted at {mount_path}")
    if any(device.get("devicePath", "") == mount_path for device in devices):
        yield DEVICE.at((*path, "mountPath"), f"{mount_path} is already the path of a volumeDevice")
    seen.add(mount_path)


def _sub_path(mount: Object, volumes: Volumes, path: Path) -> Iterator[Finding]:
    is_image = "image" in volumes.get(mount.get("name", ""), {})
    given = [field for field in ("subPath", "subPathExpr") if mount.get(field)]
    for field in given:
        if is_image:
            yield SUB_PATH.at((*path, field), f"an image volume cannot be mounted with {field}")
        if not is_relative(mount[field]):
            yield SUB_PATH.at((*path, field), f"{mount[field]} is not a relative path without ..")
    if len(given) == 2:
        yield SUB_PATH.at((*path, "subPathExpr"), "subPath and subPathExpr exclude each other")


def _propagation(mount: Object, context: Object, path: Path) -> Iterator[Finding]:
    mode = mount.get("mountPropagation")
    if mode is not None and mode not in _PROPAGATIONS:
        yield PROPAGATION.at((*path, "mountPropagation"), f'unknown mountPropagation "{mode}"')
    if mode == "Bidirectional" and not context.get("privileged"):
        yield PROPAGATION.at((*path, "mountPropagation"), "Bidirectional needs a privileged container")


def _recursive(mount: Object, path: Path) -> Iterator[Finding]:
    mode, where = mount.get("recursiveReadOnly"), (*path, "recursiveReadOnly")
    if mode is None or mode == "Disabled":
        return
    if mode not in _RECURSIVE:
        yield RECURSIVE.at(where, f'unknown recursiveReadOnly "{mode}"')
        return
    if not mount.get("readOnly"):
        yield RECURSIVE.at(where, f"{mode} needs readOnly: true")
    if mount.get("mountPropagation", "None") != "None":
        yield RECURSIVE.at(where, f"{mode} and mountPropagation exclude each other")


def _devices(container: Object, volumes: Volumes, kinds: Sequence[str], path: Path, lacks: str) -> Iterator[Finding]:
    mounts = container.get("volumeMounts", ())
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(container.get("volumeDevices", ())):
        name, device_path = device.get("name", ""), device.get("devicePath", "")
        for problem in (*_volume_problems(name, volumes, kinds, lacks), *_name_problems(name, names, mounts)):
            yield DEVICE.at((*path, index, "name"), problem)
        for problem in _path_problems(device_path, paths, mounts):
            yield DEVICE.at((*path, index, "devicePath"), problem)


def _volume_problems(name: str, volumes: Volumes, kinds: Sequence[str], lacks: str) -> Iterator[str]:
    if not name:
        yield "the device names no volume"
    elif name not in volumes:
        yield f'{lacks} "{name}"'
    elif volumes[name].keys().isdisjoint(kinds):
        yield f'the source of the volume "{name}" is not {" or ".join(kinds)}'


def _name_problems(name: str, names: set[str], mounts: list[Object]) -> Iterator[str]:
    if name and name in names:
        yield f'two devices use the volume "{name}"'
    if any(mount.get("name", "") == name for mount in mounts):
        yield f'the volume "{name}" is already mounted'
    names.add(name)


def _path_problems(device_path: str, paths: set[str], mounts: list[Object]) -> Iterator[str]:
    if not device_path:
        yield "devicePath is missing"
    if device_path in paths:
        yield f"two devices are at {device_path}"
    if has_backsteps(device_path):
        yield f"{device_path} contains .."
    else:
        paths.add(device_path)
    if any(mount.get("mountPath", "") == device_path for mount in mounts):
        yield f"{device_path} is already the path of a mount"
