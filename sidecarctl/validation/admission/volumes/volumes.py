"""Volumes: their names, and that each has one source.

Source: docs/behaviour/validation.md, "Volumes".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.names import DNS_LABEL_FORM, is_dns_label
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.validation.rules import kubernetes

NAME = kubernetes(
    "volume-name",
    "The name of a volume is a-z, 0-9 and -, at most 63 characters, and is there once.",
    why="Containers mount it by that name; no other form is allowed, also no dots.",
    mend=f"a name is {DNS_LABEL_FORM}",
    within="volume",
    fails="{name: nginx.conf, configMap: {name: nginx}}",
    passes="{name: nginx-conf, configMap: {name: nginx}}",
)
SOURCE = kubernetes(
    "volume-source",
    "A volume has one source.",
    why="It holds one thing. Without any source it is an emptyDir.",
    mend="make two volumes of it, or use a projected volume",
    within="volume",
    fails="{name: settings, secret: {secretName: keys}, configMap: {name: settings}}",
    passes="{name: settings, configMap: {name: settings}}",
)


def volume_findings(volumes: Sequence[Object]) -> tuple[list[Finding], dict[str, Object]]:
    """What is refused in volumes after defaults, and those by name that can be mounted."""
    findings: list[Finding] = []
    sound: dict[str, Object] = {}
    for index, volume in enumerate(volumes):
        path: Path = ("spec", "volumes", index)
        found = [*_sources(volume, path), *_name(volume.get("name", ""), sound, (*path, "name"))]
        findings += found
        if not found:
            sound[volume["name"]] = volume
    return findings, sound


def _sources(volume: Object, path: Path) -> Iterator[Finding]:
    from sidecarctl.validation.admission.volumes.volume_sources import SOURCES  # many SidecarSets have no volumes

    present = [kind for kind in SOURCES if kind in volume]
    for kind in present[:1]:
        yield from SOURCES[kind](volume[kind], (*path, kind))
    for kind in present[1:]:
        yield SOURCE.at((*path, kind), f"there is {present[0]} already")
    iscsi = volume.get("iscsi", {})
    if "initiatorName" in iscsi and len(f"{volume.get('name', '')}:{iscsi.get('targetPortal', '')}".encode()) > 64:
        message = "volume name and targetPortal have more than 63 characters, which initiatorName does not allow"
        yield NAME.at((*path, "name"), message)


def _name(name: str, sound: dict[str, Object], path: Path) -> Iterator[Finding]:
    if not is_dns_label(name):
        yield NAME.at(path, f'"{name}" cannot name a volume' if name else "the volume has no name")
    if name in sound:
        yield NAME.at(path, f'there are two volumes named "{name}"')
