"""Volumes: each has a unique name and one source.

emptyDir, which most volumes of sidecars are, is checked here; `volume_sources` has the other kinds.

Source: docs/behaviour/validation.md, "Volumes".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.quantities import parse_quantity
from sidecarctl.api.text_forms import DNS_LABEL_FORM, is_dns_label
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object, Path
from sidecarctl.releases.release import Release
from sidecarctl.validation.rules import kubernetes

EMPTY_DIR = kubernetes(
    "volume-size-limit",
    "Negative sizeLimit",
    "The sizeLimit of an emptyDir is not negative.",
    why="Otherwise nothing could be written.",
    mend="write sizeLimit: 1Gi",
    within="volume",
    fails="{name: buffer, emptyDir: {sizeLimit: -1Gi}}",
    passes="{name: buffer, emptyDir: {sizeLimit: 1Gi}}",
)


def empty_dir_findings(source: Object, path: Path) -> Iterator[Finding]:
    """Errors in the source of an emptyDir."""
    if parse_quantity(source.get("sizeLimit", "0")).nanos < 0:
        yield EMPTY_DIR.at((*path, "sizeLimit"), f"{source['sizeLimit']} is negative")


NAME = kubernetes(
    "volume-name",
    "Invalid or repeated volume name",
    "The name of a volume is a-z, 0-9 and -, at most 63 characters, and unique.",
    why="Containers mount it by that name; dots are not allowed either.",
    mend=f"a name is {DNS_LABEL_FORM}",
    within="volume",
    fails="{name: nginx.conf, configMap: {name: nginx}}",
    passes="{name: nginx-conf, configMap: {name: nginx}}",
)
SOURCE = kubernetes(
    "volume-source",
    "Volume without exactly one source",
    "A volume has one source.",
    why="Without any source it is an emptyDir.",
    mend="split it into two volumes, or use a projected volume",
    within="volume",
    fails="{name: settings, secret: {secretName: keys}, configMap: {name: settings}}",
    passes="{name: settings, configMap: {name: settings}}",
)


def volume_findings(volumes: Sequence[Object], release: Release) -> tuple[list[Finding], dict[str, Object]]:
    """Errors in volumes, defaults applied, and the volumes that can be mounted, by name."""
    findings: list[Finding] = []
    sound: dict[str, Object] = {}
    for index, volume in enumerate(volumes):
        path: Path = ("spec", "volumes", index)
        found = [*_sources(volume, path, release), *_name(volume.get("name", ""), sound, (*path, "name"))]
        findings += found
        if not found:
            sound[volume["name"]] = volume
        findings += _tokens(volume, path, release)
    return findings, sound


def _sources(volume: Object, path: Path, release: Release) -> Iterator[Finding]:
    if volume.keys() == {"name", "emptyDir"}:
        yield from empty_dir_findings(volume["emptyDir"], (*path, "emptyDir"))
        return
    from sidecarctl.validation.admission.volume_sources import sources  # few SidecarSets have other volumes

    checks = sources(release)
    present = [kind for kind in checks if kind in volume]
    for kind in present[:1]:
        yield from checks[kind](volume[kind], (*path, kind))
    for kind in present[1:]:
        yield SOURCE.at((*path, kind), f"{present[0]} is already set")
    iscsi = volume.get("iscsi", {})
    if "initiatorName" in iscsi and len(f"{volume.get('name', '')}:{iscsi.get('targetPortal', '')}".encode()) > 64:
        message = "with initiatorName, volume name and targetPortal together have at most 63 characters"
        yield NAME.at((*path, "name"), message)


def _tokens(volume: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors about tokens, in releases without them; the volume can still be mounted."""
    if release.token_volumes:
        return
    for index, source in enumerate(volume.get("projected", {}).get("sources") or ()):
        if "serviceAccountToken" in source:
            where = (*path, "projected", "sources", index, "serviceAccountToken")
            yield SOURCE.at(where, f"{release.behaviour} rejects serviceAccountToken", "remove it")


def _name(name: str, sound: dict[str, Object], path: Path) -> Iterator[Finding]:
    if not is_dns_label(name):
        yield NAME.at(path, f'"{name}" is not a valid volume name' if name else "the volume has no name")
    if name in sound:
        yield NAME.at(path, f'two volumes are named "{name}"')
