"""The volumeClaimTemplate of an ephemeral volume.

Source: docs/behaviour/validation.md, "Volumes".
"""

from collections.abc import Iterator

from sidecarctl.api.quantities import parse_quantity
from sidecarctl.api.text_forms import is_dns_label, is_subdomain
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object, Path
from sidecarctl.releases.release import Release
from sidecarctl.validation.admission.metadata import annotation_findings, label_findings
from sidecarctl.validation.admission.selectors import form_findings
from sidecarctl.validation.rules import kubernetes

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
