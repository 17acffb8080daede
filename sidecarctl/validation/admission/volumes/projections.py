"""Volumes of files that Kubernetes writes: secret, configMap, downwardAPI, projected.

Source: docs/behaviour/validation.md, "Volumes".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.names import is_dns_label, is_relative, is_reserved, is_subdomain
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value
from sidecarctl.validation.admission.containers.field_references import (
    VOLUME_FIELDS,
    field_findings,
    resource_findings,
)
from sidecarctl.validation.admission.selectors import form_findings
from sidecarctl.validation.rules import kubernetes

_LARGEST_MODE = 0o777
_LEAST_LIFETIME = 600
_LONGEST_LIFETIME = 2**32

NAME = kubernetes(
    "volume-object-name",
    "A secret volume has a secretName, a configMap volume or projected source a name.",
    why="Nobody could tell what to mount.",
    mend="write secret: {secretName: NAME}, configMap: {name: NAME}; in projected sources always name",
    within="volume",
    fails="{name: keys, secret: {secretName: ''}}",
    passes="{name: keys, secret: {secretName: keys}}",
)
MODE = kubernetes(
    "volume-file-mode",
    "The mode of a file is a number from 0 to 0777 octal, that is 511.",
    why="There are no other permissions.",
    mend="write 0400, with the leading zero, which makes it octal",
    within="volume",
    fails="{name: keys, secret: {secretName: keys, defaultMode: 777}}",
    passes="{name: keys, secret: {secretName: keys, defaultMode: 0777}}",
)
PATH = kubernetes(
    "volume-file-path",
    "The path of a file in a volume is relative, has no .. and does not begin with it.",
    why="It must lead into the volume, and the kubelet keeps names that begin with .. for itself.",
    mend="write it like conf/agent.yaml",
    within="volume",
    fails="{name: settings, configMap: {name: settings, items: [{key: agent, path: /agent.yaml}]}}",
    passes="{name: settings, configMap: {name: settings, items: [{key: agent, path: agent.yaml}]}}",
)
SOURCE = kubernetes(
    "projected-source",
    "A projected source is one secret, configMap, downwardAPI, serviceAccountToken or clusterTrustBundle, complete.",
    why="Each source is one thing; a token lives 10 minutes at least, a bundle is found by name or by signer.",
    mend="make an entry of its own of each",
    within="volume",
    fails="{name: all, projected: {sources: [{serviceAccountToken: {path: token, expirationSeconds: 60}}]}}",
    passes="{name: all, projected: {sources: [{serviceAccountToken: {path: token, expirationSeconds: 600}}]}}",
)
TWICE = kubernetes(
    "projected-path-twice",
    "No two projected sources write the same file.",
    why="One of them would be lost.",
    mend="give one of them another path",
    within="volume",
    fails="{name: all, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}, "
    "{secret: {name: b, items: [{key: k, path: p}]}}]}}",
    passes="{name: all, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}, "
    "{secret: {name: b, items: [{key: k, path: q}]}}]}}",
)
DOWNWARD = kubernetes(
    "downward-item",
    "An item of a downwardAPI has exactly one of fieldRef and resourceFieldRef.",
    why="A file holds one thing.",
    mend="write one of them",
    within="volume",
    fails="{name: about, downwardAPI: {items: [{path: labels}]}}",
    passes="{name: about, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}",
)


def secret_findings(source: Object, path: Path) -> Iterator[Finding]:
    """What is refused in a secret volume."""
    yield from _named(source, "secretName", path)
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    yield from _items(source.get("items", ()), path)


def config_map_findings(source: Object, path: Path) -> Iterator[Finding]:
    """What is refused in a configMap volume."""
    yield from _named(source, "name", path)
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    yield from _items(source.get("items", ()), path)


def downward_findings(source: Object, path: Path) -> Iterator[Finding]:
    """What is refused in a downwardAPI volume."""
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    yield from _downward_items(source.get("items", ()), path)


def projected_findings(source: Object, path: Path) -> Iterator[Finding]:
    """What is refused in a projected volume."""
    yield from _mode(source.get("defaultMode"), (*path, "defaultMode"))
    seen: set[str] = set()
    for index, entry in enumerate(source.get("sources") or ()):
        where = (*path, "sources", index)
        for kind in ("secret", "configMap"):
            if kind in entry:
                yield from _named(entry[kind], "name", (*where, kind))
                yield from _items(entry[kind].get("items", ()), (*where, kind))
        yield from _downward_items(entry.get("downwardAPI", {}).get("items", ()), (*where, "downwardAPI"))
        if "serviceAccountToken" in entry:
            yield from _token(entry["serviceAccountToken"], (*where, "serviceAccountToken"))
        if "clusterTrustBundle" in entry:
            yield from _bundle(entry["clusterTrustBundle"], (*where, "clusterTrustBundle"))
        yield from _twice(entry, seen, where)
        if len(entry) > 1:
            yield SOURCE.at(where, f"there are {' and '.join(entry)} in one entry")


def _twice(entry: Object, seen: set[str], path: Path) -> Iterator[Finding]:
    """Files that were written before; those of tokens are not compared, an empty path of a bundle is."""
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
            yield NAME.at((*where, "key"), "key is missing", "name the key to be written")
        yield from _file(item.get("path", ""), (*where, "path"))
        yield from _mode(item.get("mode"), (*where, "mode"))


def _downward_items(items: Sequence[Object], path: Path) -> Iterator[Finding]:
    for index, item in enumerate(items):
        where = (*path, "items", index)
        yield from _file(item.get("path", ""), (*where, "path"))
        if "fieldRef" in item:
            yield from field_findings(item["fieldRef"], VOLUME_FIELDS, (*where, "fieldRef"))
            if "resourceFieldRef" in item:
                yield DOWNWARD.at(where, "there are both fieldRef and resourceFieldRef")
        elif "resourceFieldRef" in item:
            yield from resource_findings(item["resourceFieldRef"], (*where, "resourceFieldRef"), in_volume=True)
        else:
            yield DOWNWARD.at(where, "there is neither fieldRef nor resourceFieldRef")
        yield from _mode(item.get("mode"), (*where, "mode"))


def _file(file: str, path: Path) -> Iterator[Finding]:
    if not file:
        yield PATH.at(path, "path is missing")
    elif not is_relative(file):
        yield PATH.at(path, f"{file} is no relative path without ..")
    elif is_reserved(file):
        yield PATH.at(path, f"{file} begins with ..")


def _token(token: Object, path: Path) -> Iterator[Finding]:
    lifetime = token.get("expirationSeconds", 0)
    if not _LEAST_LIFETIME <= lifetime <= _LONGEST_LIFETIME:
        message = f"{lifetime} seconds are not between {_LEAST_LIFETIME} and {_LONGEST_LIFETIME}"
        yield SOURCE.at((*path, "expirationSeconds"), message)
    yield from _file(token.get("path", ""), (*path, "path"))


def _bundle(bundle: Object, path: Path) -> Iterator[Finding]:
    name, signer = bundle.get("name"), bundle.get("signerName")
    if (name is None) == (signer is None):
        yield SOURCE.at(path, "there must be exactly one of name and signerName")
    elif name is not None:
        if not _is_bundle(name):
            yield SOURCE.at((*path, "name"), f'"{name}" cannot name a bundle')
        if "labelSelector" in bundle:
            yield SOURCE.at((*path, "labelSelector"), "labelSelector goes with signerName only")
    elif signer is not None:
        if not _is_signer(signer):
            yield SOURCE.at((*path, "signerName"), f'"{signer}" is no signer', "write it as example.com/signer")
        yield from form_findings(bundle.get("labelSelector", {}), (*path, "labelSelector"))
    yield from _file(bundle.get("path", ""), (*path, "path"))


def _is_bundle(name: str) -> bool:
    """Whether a text names a bundle: a subdomain, perhaps after the signer with `:` for `/`."""
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
