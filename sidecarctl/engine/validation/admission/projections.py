"""Volumes whose files Kubernetes writes: secret, configMap, downwardAPI, projected.

Source: docs/behavior/validation.md, "Volumes".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.api.text_forms import is_dns_label, is_relative, is_reserved, is_subdomain
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.admission.environment import VOLUME_FIELDS, field_findings, resource_findings
from sidecarctl.engine.validation.admission.selectors import form_findings
from sidecarctl.engine.validation.rules import kubernetes

_LARGEST_MODE = 0o777
_LEAST_LIFETIME = 600
_LONGEST_LIFETIME = 2**32

NAME = kubernetes(
    "volume-object-name",
    "Volume source without a name",
    "A secret volume has a secretName; a configMap volume and a projected source have a name.",
    why="Otherwise it is unknown what to mount.",
    mend="write secret: {secretName: NAME}, configMap: {name: NAME}; in projected sources always name",
    within="volume",
    fails="{name: keys, secret: {secretName: ''}}",
    passes="{name: keys, secret: {secretName: keys}}",
)
MODE = kubernetes(
    "volume-file-mode",
    "Invalid file mode",
    "The mode of a file is a number from 0 to 0777 octal (511 decimal).",
    why="There are no other file modes.",
    mend="write it in octal, with a leading zero, such as 0400",
    within="volume",
    fails="{name: keys, secret: {secretName: keys, defaultMode: 777}}",
    passes="{name: keys, secret: {secretName: keys, defaultMode: 0777}}",
)
PATH = kubernetes(
    "volume-file-path",
    "Invalid path of a file in a volume",
    "The path of a file in a volume is relative, contains no .. and does not begin with ..",
    why="It must lead into the volume, and the kubelet reserves names that begin with ..",
    mend="write it like conf/agent.yaml",
    within="volume",
    fails="{name: settings, configMap: {name: settings, items: [{key: agent, path: /agent.yaml}]}}",
    passes="{name: settings, configMap: {name: settings, items: [{key: agent, path: agent.yaml}]}}",
)
SOURCE = kubernetes(
    "projected-source",
    "Invalid projected source",
    "A projected source is one secret, configMap, downwardAPI, serviceAccountToken or clusterTrustBundle, complete.",
    why="An entry has one source; a token lives at least 10 minutes, and a bundle is selected by name or by signer.",
    mend="write an entry for each source",
    within="volume",
    fails="{name: all, projected: {sources: [{serviceAccountToken: {path: token, expirationSeconds: 60}}]}}",
    passes="{name: all, projected: {sources: [{serviceAccountToken: {path: token, expirationSeconds: 600}}]}}",
)
TWICE = kubernetes(
    "projected-path-twice",
    "Two projected sources write one file",
    "No two projected sources write the same file.",
    why="One of the files would be lost.",
    mend="change one of the paths",
    within="volume",
    fails="{name: all, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}, "
    "{secret: {name: b, items: [{key: k, path: p}]}}]}}",
    passes="{name: all, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}, "
    "{secret: {name: b, items: [{key: k, path: q}]}}]}}",
)
DOWNWARD = kubernetes(
    "downward-item",
    "Invalid item of a downwardAPI",
    "An item of a downwardAPI has exactly one of fieldRef and resourceFieldRef.",
    why="A file holds one value.",
    mend="write exactly one of them",
    within="volume",
    fails="{name: about, downwardAPI: {items: [{path: labels}]}}",
    passes="{name: about, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}",
)


def object_findings(source: Object, path: Path, field: str) -> Iterator[Finding]:
    """Errors in a secret or configMap volume, whose object a field names."""
    yield from _named(source, field, path)
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    yield from _items(source.get("items", ()), path)


def downward_findings(source: Object, path: Path) -> Iterator[Finding]:
    """Errors in a downwardAPI volume."""
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    yield from _downward_items(source.get("items", ()), path)


def projected_findings(source: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in a projected volume."""
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    bundle = "clusterTrustBundlePEM" if release.trust_bundle_pem_path else "clusterTrustBundle"
    seen: set[str] = set()
    for index, entry in enumerate(source.get("sources") or ()):
        where = (*path, "sources", index)
        for kind in ("secret", "configMap"):
            if kind in entry:
                yield from _named(entry[kind], "name", (*where, kind))
                yield from _items(entry[kind].get("items", ()), (*where, kind))
        yield from _downward_items(entry.get("downwardAPI", {}).get("items", ()), (*where, "downwardAPI"))
        if "serviceAccountToken" in entry:
            yield from _token(entry["serviceAccountToken"], (*where, "serviceAccountToken"), release)
        if "clusterTrustBundle" in entry:
            yield from _bundle(entry["clusterTrustBundle"], (*where, bundle), release)
        yield from _twice(entry, seen, where)
        if len(entry) > 1:
            yield SOURCE.at(where, f"one entry has {' and '.join(entry)}")


def _twice(entry: Object, seen: set[str], path: Path) -> Iterator[Finding]:
    """Files that an earlier source writes; paths of tokens are not compared, an empty path of a bundle is."""
    for kind in ("secret", "configMap", "downwardAPI"):
        for index, item in enumerate(entry.get(kind, {}).get("items", ())):
            file = item.get("path", "")
            if file and file in seen:
                yield TWICE.at((*path, kind, "items", index, "path"), f"{file} is written twice")
            seen.add(file)
    if "clusterTrustBundle" in entry:
        file = entry["clusterTrustBundle"].get("path", "")
        if file in seen:
            yield TWICE.at((*path, "clusterTrustBundle", "path"), f"{file} is written twice")
        seen.add(file)


def _named(source: Object, field: str, path: Path) -> Iterator[Finding]:
    if not source.get(field):
        yield NAME.at((*path, field), f"{field} is missing")


def _mode(mode: Value, path: Path) -> Iterator[Finding]:
    if mode is not None and not 0 <= mode <= _LARGEST_MODE:
        yield MODE.at(path, f"{mode} is not between 0 and {_LARGEST_MODE}")


def _items(items: Sequence[Object], path: Path) -> Iterator[Finding]:
    for index, item in enumerate(items):
        where = (*path, "items", index)
        if not item.get("key"):
            yield NAME.at((*where, "key"), "key is missing", "name the key to write")
        yield from _file(item.get("path", ""), (*where, "path"))
        yield from _mode(item.get("mode"), (*where, "mode"))


def _downward_items(items: Sequence[Object], path: Path) -> Iterator[Finding]:
    for index, item in enumerate(items):
        where = (*path, "items", index)
        yield from _file(item.get("path", ""), (*where, "path"))
        if "fieldRef" in item:
            yield from field_findings(item["fieldRef"], VOLUME_FIELDS, (*where, "fieldRef"))
            if "resourceFieldRef" in item:
                yield DOWNWARD.at(where, "fieldRef and resourceFieldRef exclude each other")
        elif "resourceFieldRef" in item:
            yield from resource_findings(item["resourceFieldRef"], (*where, "resourceFieldRef"), in_volume=True)
        else:
            yield DOWNWARD.at(where, "fieldRef or resourceFieldRef is required")
        yield from _mode(item.get("mode"), (*where, "mode"))


def _file(file: str, path: Path) -> Iterator[Finding]:
    if not file:
        yield PATH.at(path, "path is missing")
    elif not is_relative(file):
        yield PATH.at(path, f"{file} is not a relative path without ..")
    elif is_reserved(file):
        yield PATH.at(path, f"{file} begins with ..")


def _token(token: Object, path: Path, release: Release) -> Iterator[Finding]:
    lifetime = token.get("expirationSeconds", 0)
    if not _LEAST_LIFETIME <= lifetime <= _LONGEST_LIFETIME:
        message = f"{lifetime} seconds are not between {_LEAST_LIFETIME} and {_LONGEST_LIFETIME}"
        yield SOURCE.at((*path, "expirationSeconds"), message)
    if release.token_path_check or not token.get("path"):
        yield from _file(token.get("path", ""), (*path, "path"))


def _bundle(bundle: Object, path: Path, release: Release) -> Iterator[Finding]:
    name, signer = bundle.get("name"), bundle.get("signerName")
    if (name is None) == (signer is None):
        yield SOURCE.at(path, "exactly one of name and signerName is required")
    elif name is not None:
        if not _is_bundle(name):
            yield SOURCE.at((*path, "name"), f'"{name}" is not a valid bundle name')
        if "labelSelector" in bundle:
            yield SOURCE.at((*path, "labelSelector"), "labelSelector requires signerName")
    elif signer is not None:
        if not _is_signer(signer):
            yield SOURCE.at(
                (*path, "signerName"), f'"{signer}" is not a valid signer', "write it as example.com/signer"
            )
        yield from form_findings(bundle.get("labelSelector", {}), (*path, "labelSelector"), release)
    yield from _file(bundle.get("path", ""), (*path, "path"))


def _is_bundle(name: str) -> bool:
    """Whether a text is a bundle name: a subdomain, optionally after the signer, with `:` for `/`."""
    signer, colon, own = name.rpartition(":")
    return is_subdomain(own) and (not colon or bool(signer))


def _is_signer(name: str) -> bool:
    domain, _, path = name.partition("/")
    labels = domain.split(".")
    return (
        name.count("/") == 1
        and len(domain) <= 253
        and len(labels) >= 2
        and all(map(is_dns_label, labels))
        and all(map(is_subdomain, path.split(".")))
        and len(name) <= 571
    )
