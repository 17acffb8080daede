"""Volumes: each has a unique name and one source; the volumeClaimTemplate of an ephemeral one.

emptyDir, which most volumes of sidecars are, is checked here; `volume_sources` has the other kinds.

Source: docs/behavior/validation.md, "Volumes".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.api.quantities import parse_quantity
from sidecarctl.engine.api.text_forms import DNS_LABEL_FORM, is_dns_label, is_subdomain
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.admission.metadata import annotation_findings, label_findings
from sidecarctl.engine.validation.admission.selectors import form_findings
from sidecarctl.engine.validation.rules import kubernetes

_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_ALONE = "ReadWriteOncePod"
_IN_TEMPLATES = {"labels", "annotations"}

CLAIM = kubernetes(
    "volume-claim-template",
    "Invalid claim of an ephemeral volume",
    "An ephemeral volume has a claim with access modes and a storage request above 0.",
    why="A claim is created from it for each pod.",
    mend="write volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
    within="volume",
    fails="{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}",
    passes="{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], "
    "resources: {requests: {storage: 1Gi}}}}}}",
)


def ephemeral_findings(source: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in an ephemeral volume."""
    where = (*path, "volumeClaimTemplate")
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield CLAIM.at(where, "volumeClaimTemplate is missing")
        return
    yield from _metadata(template.get("metadata", {}), (*where, "metadata"))
    spec, at = template.get("spec", {}), (*where, "spec")
    yield from _modes(spec.get("accessModes", ()), (*at, "accessModes"))
    yield from form_findings(spec.get("selector", {}), (*at, "selector"), release)
    yield from _storage(spec.get("resources", {}).get("requests", {}), (*at, "resources", "requests", "storage"))
    yield from _class_and_mode(spec, at)
    yield from _data_sources(spec, at)


def _metadata(metadata: Object, path: Path) -> Iterator[Finding]:
    yield from annotation_findings(metadata.get("annotations", {}), (*path, "annotations"))
    yield from label_findings(metadata.get("labels", {}), (*path, "labels"))
    for field, value in metadata.items():
        if field not in _IN_TEMPLATES and value:
            hint = "a template has only labels and annotations"
            yield CLAIM.at(path, f"{field} cannot be set here", hint)


def _modes(modes: list[str], path: Path) -> Iterator[Finding]:
    if not modes:
        yield CLAIM.at(path, "accessModes are missing")
    for index, mode in enumerate(modes):
        if mode not in _MODES:
            yield CLAIM.at((*path, index), f'unknown access mode "{mode}"', f"write one of {', '.join(_MODES)}")
    if _ALONE in modes and any(mode in _MODES and mode != _ALONE for mode in modes):
        yield CLAIM.at(path, f"{_ALONE} excludes all other access modes")


def _storage(requests: Object, path: Path) -> Iterator[Finding]:
    if "storage" not in requests:
        yield CLAIM.at(path, "the request of storage is missing")
    elif parse_quantity(requests["storage"]).nanos <= 0:
        yield CLAIM.at(path, f"the request of storage, {requests['storage']}, is not above 0")


def _class_and_mode(spec: Object, path: Path) -> Iterator[Finding]:
    name = spec.get("storageClassName")
    if name and not is_subdomain(name):
        yield CLAIM.at((*path, "storageClassName"), f'"{name}" is not a valid storage class name')
    if spec.get("volumeMode", "Block") not in {"Block", "Filesystem"}:
        yield CLAIM.at((*path, "volumeMode"), f'unknown volumeMode "{spec["volumeMode"]}"')


def _data_sources(spec: Object, path: Path) -> Iterator[Finding]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    for field in ("dataSource", "dataSourceRef"):
        if field in spec:
            yield from _data_source(spec[field], (*path, field))
    if source is None or reference is None:
        return
    keys = ("apiGroup", "kind", "name")
    if reference.get("namespace"):
        yield CLAIM.at(path, "dataSource and a dataSourceRef with a namespace exclude each other")
    elif [source.get(key) for key in keys] != [reference.get(key) for key in keys]:
        yield CLAIM.at(path, "dataSource and dataSourceRef differ")


def _data_source(source: Object, path: Path) -> Iterator[Finding]:
    for field in ("name", "kind"):
        if not source.get(field):
            yield CLAIM.at((*path, field), f"{field} is missing")
    group = source.get("apiGroup")
    if not group and source.get("kind") != "PersistentVolumeClaim":
        yield CLAIM.at(path, "a source without apiGroup is a PersistentVolumeClaim")
    if group and not is_subdomain(group):
        yield CLAIM.at((*path, "apiGroup"), f'"{group}" is not an API group')
    namespace = source.get("namespace")
    if namespace and not is_dns_label(namespace):
        yield CLAIM.at((*path, "namespace"), f'"{namespace}" is not a valid namespace name')


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
    from sidecarctl.engine.validation.admission.volume_sources import sources  # few SidecarSets have other volumes

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
            yield SOURCE.at(where, f"{release.behavior} rejects serviceAccountToken", "remove it")


def _name(name: str, sound: dict[str, Object], path: Path) -> Iterator[Finding]:
    if not is_dns_label(name):
        yield NAME.at(path, f'"{name}" is not a valid volume name' if name else "the volume has no name")
    if name in sound:
        yield NAME.at(path, f'two volumes are named "{name}"')
