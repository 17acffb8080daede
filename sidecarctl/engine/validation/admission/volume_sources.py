"""The requirements of each kind of volume source: a table of the kinds.

Source: docs/behavior/validation.md, "Volumes".
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from sidecarctl.engine.api.text_forms import SUBDOMAIN_FORM, has_backsteps, is_dns_label, is_relative, is_subdomain
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.admission.projections import downward_findings, object_findings, projected_findings
from sidecarctl.engine.validation.admission.volumes import empty_dir_findings, ephemeral_findings
from sidecarctl.engine.validation.rules import kubernetes

Check = Callable[[Object, Path], Iterator[Finding]]

_HOST_PATH_TYPES = (
    "",
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
)
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_INITIATORS = {
    "iqn": lazy_pattern(r"iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\t\n\f\r ]+\Z"),
    "eui": lazy_pattern(r"\Aeui.[A-Za-z0-9]{16}\Z"),
    "naa": lazy_pattern(r"\Anaa.[A-Za-z0-9]{32}\Z"),
}

FIELD = kubernetes(
    "volume-field",
    "Missing or invalid field of a volume source",
    "A volume source has its required fields, with valid values.",
    why="Otherwise the volume cannot be found or mounted.",
    mend="complete it as the Kubernetes documentation of this volume type describes",
    within="volume",
    fails="{name: claim, persistentVolumeClaim: {claimName: ''}}",
    passes="{name: claim, persistentVolumeClaim: {claimName: spool}}",
)
HOST_PATH = kubernetes(
    "volume-host-path",
    "Invalid hostPath",
    "A hostPath has a path without .. and a known type.",
    why="It gives access to the files of the node.",
    mend="write hostPath: {path: /var/log, type: Directory}",
    within="volume",
    fails="{name: logs, hostPath: {path: /var/log, type: Folder}}",
    passes="{name: logs, hostPath: {path: /var/log, type: Directory}}",
)
IMAGE = kubernetes(
    "volume-image",
    "Invalid image volume",
    "An image volume has a reference and a pullPolicy.",
    why="Kruise does not fill in the pullPolicy of image volumes, as the API server does in pods.",
    mend="write pullPolicy: IfNotPresent",
    within="volume",
    fails="{name: rules, image: {reference: 'rules:1'}}",
    passes="{name: rules, image: {reference: 'rules:1', pullPolicy: IfNotPresent}}",
)


def _host_path(source: Object, path: Path) -> Iterator[Finding]:
    if not source.get("path"):
        yield HOST_PATH.at((*path, "path"), "path is missing")
        return
    if has_backsteps(source["path"]):
        yield HOST_PATH.at((*path, "path"), f"{source['path']} contains ..")
    if source.get("type", "") not in _HOST_PATH_TYPES:
        yield HOST_PATH.at((*path, "type"), f'unknown type "{source["type"]}"')


def _needs(*fields: str) -> Check:
    """A source with fields that must not be empty; nothing else is checked."""

    def check(source: Object, path: Path) -> Iterator[Finding]:
        for field in fields:
            if not source.get(field):
                yield FIELD.at((*path, field), f"{field} is missing")

    return check


def _disk(name: str) -> Check:
    """A disk with a name and a partition."""

    def check(source: Object, path: Path) -> Iterator[Finding]:
        yield from _needs(name)(source, path)
        if not 0 <= source.get("partition", 0) <= 255:
            yield FIELD.at((*path, "partition"), f"{source['partition']} is not between 0 and 255")

    return check


def _with_secret(check: Check) -> Check:
    """A source with an optional reference to a Secret, which needs a name."""

    def check_both(source: Object, path: Path) -> Iterator[Finding]:
        yield from check(source, path)
        if "secretRef" in source and not source["secretRef"].get("name"):
            yield FIELD.at((*path, "secretRef", "name"), "the secret has no name")

    return check_both


def _git_repo(source: Object, path: Path) -> Iterator[Finding]:
    yield from _needs("repository")(source, path)
    if not is_relative(source.get("directory", "")):
        yield FIELD.at((*path, "directory"), f"{source['directory']} is not a relative path without ..")


def _nfs(source: Object, path: Path) -> Iterator[Finding]:
    yield from _needs("server")(source, path)
    if not source.get("path", "").startswith("/"):
        yield FIELD.at((*path, "path"), "path is missing, or not absolute")


def _iscsi(source: Object, path: Path) -> Iterator[Finding]:
    yield from _needs("targetPortal")(source, path)
    for field in ("iqn", "initiatorName"):
        if (field == "iqn" or field in source) and not _is_initiator(source.get(field, "")):
            name = "initiatorname" if field == "initiatorName" else field
            yield FIELD.at(
                (*path, name), f'"{source.get(field, "")}" is not of the form iqn.YYYY-MM.NAME:..., eui. or naa.'
            )
    if not 0 <= source.get("lun", 0) <= 255:
        yield FIELD.at((*path, "lun"), f"{source['lun']} is not between 0 and 255")
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and "secretRef" not in source:
        yield FIELD.at((*path, "secretRef"), "CHAP needs a secretRef")


def _is_initiator(name: str) -> bool:
    form = _INITIATORS.get(name[:3])
    return form is not None and form.search(name) is not None


def _fc(source: Object, path: Path) -> Iterator[Finding]:
    names = source.get("targetWWNs")
    if bool(names) == bool(source.get("wwids")):
        yield FIELD.at((*path, "targetWWNs"), "exactly one of targetWWNs and wwids is required")
    if names and "lun" not in source:
        yield FIELD.at((*path, "lun"), "lun is missing")
    elif names and not 0 <= source["lun"] <= 255:
        yield FIELD.at((*path, "lun"), f"{source['lun']} is not between 0 and 255")


def _flex(source: Object, path: Path) -> Iterator[Finding]:
    yield from _needs("driver")(source, path)
    for key in source.get("options", {}):
        namespace = f".{key.partition('/')[0].lower()}" if "/" in key else f".{key.lower()}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            yield FIELD.at((*path, "options", key), f"the option {key} is reserved by Kubernetes")


def _azure_disk(source: Object, path: Path) -> Iterator[Finding]:
    yield from _needs("diskName", "diskURI")(source, path)
    if source.get("cachingMode", "None") not in {"None", "ReadOnly", "ReadWrite"}:
        yield FIELD.at((*path, "cachingMode"), f'unknown cachingMode "{source["cachingMode"]}"')
    kind = source.get("kind")
    if kind is not None and kind not in {"Shared", "Dedicated", "Managed"}:
        yield FIELD.at((*path, "kind"), f'unknown kind "{kind}"')
    beginning = "/subscriptions/" if kind == "Managed" else "https://"
    if kind is not None and not source.get("diskURI", "").startswith(beginning):
        yield FIELD.at((*path, "diskURI"), f"the diskURI of this kind begins with {beginning}")


def _storage_os(source: Object, path: Path) -> Iterator[Finding]:
    for field in ("volumeName", "volumeNamespace"):
        name = source.get(field, "")
        if not is_dns_label(name) and (name or field == "volumeName"):
            yield FIELD.at((*path, field), f'"{name}" is not a valid volume name')


def _csi(source: Object, path: Path, release: Release) -> Iterator[Finding]:
    driver = source.get("driver", "")
    if len(driver) > 63 or not is_subdomain(driver.lower()):
        yield FIELD.at((*path, "driver"), f'"{driver}" is not a valid driver name', SUBDOMAIN_FORM)
    if "nodePublishSecretRef" not in source:
        return
    name = source["nodePublishSecretRef"].get("name", "")
    if not name:
        # Up to 1.4 the path has a space, as recorded.
        field = "nodePublishSecretRef" if release.csi_secret_path else "nodePublishSecretRef "
        yield FIELD.at((*path, field, "name"), "the secret has no name")
    elif not is_subdomain(name):
        yield FIELD.at((*path, "name"), f'"{name}" is not a valid Secret name', SUBDOMAIN_FORM)


def _image(source: Object, path: Path) -> Iterator[Finding]:
    policy = source.get("pullPolicy", "")
    if policy not in _PULL_POLICIES:
        yield IMAGE.at((*path, "pullPolicy"), f'unknown pullPolicy "{policy}"' if policy else "pullPolicy is missing")


@cache
def sources(release: Release) -> Mapping[str, Check]:
    """The kinds, in the order in which Kubernetes checks them: only the first one of a volume is checked.

    Kinds that no cluster has had for years (flocker, quobyte, photonPersistentDisk, scaleIO) have no rules.
    """
    return {
        "emptyDir": empty_dir_findings,
        "hostPath": _host_path,
        "gitRepo": _git_repo,
        "gcePersistentDisk": _disk("pdName"),
        "awsElasticBlockStore": _disk("volumeID"),
        "secret": partial(object_findings, field="secretName"),
        "nfs": _nfs,
        "iscsi": _iscsi,
        "glusterfs": _needs("endpoints", "path"),
        "flocker": _needs(),
        "persistentVolumeClaim": _needs("claimName"),
        "rbd": _needs("monitors", "image"),
        "cinder": _with_secret(_needs("volumeID")),
        "cephfs": _needs("monitors"),
        "quobyte": _needs(),
        "downwardAPI": downward_findings,
        "fc": _fc,
        "flexVolume": _flex,
        "configMap": partial(object_findings, field="name"),
        "azureFile": _needs("secretName", "shareName"),
        "vsphereVolume": _needs("volumePath"),
        "photonPersistentDisk": _needs(),
        "portworxVolume": _needs("volumeID"),
        "azureDisk": _azure_disk,
        "storageos": _with_secret(_storage_os),
        "projected": partial(projected_findings, release=release),
        "scaleIO": _needs(),
        "csi": partial(_csi, release=release),
        "ephemeral": partial(ephemeral_findings, release=release),
        "image": _image,
    }
