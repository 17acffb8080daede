"""Name, labels, annotations and the other metadata of a SidecarSet.

Source: docs/behavior/validation.md, "The set".
"""

from collections.abc import Iterator
from itertools import pairwise

from sidecarctl.engine.api.text_forms import (
    LABEL_VALUE_FORM,
    is_label_value,
    is_qualified_name,
    is_subdomain,
    is_subdomain_prefix,
)
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.validation.rules import kruise, kubernetes, warned

LARGEST_ANNOTATIONS = 262144
"""Bytes of all keys and values together."""

_NAME = lazy_pattern(r"[a-zA-Z0-9-]+")

NAME = kruise(
    "sidecarset-name",
    "Invalid name of a SidecarSet",
    "The name of a SidecarSet is a-z, 0-9 and -, at most 63 characters, with no - at either end.",
    why="Kruise uses the name in labels, and the API server requires a DNS name.",
    mend="use a name such as log-agent",
    within="set",
    fails="metadata: {name: log.agent}",
    passes="metadata: {name: log-agent}",
)
NAMESPACE = warned(
    "sidecarset-namespace",
    "SidecarSet with metadata.namespace",
    "A SidecarSet has no metadata.namespace.",
    why="SidecarSets are cluster-scoped: the API server clears the namespace, and the SidecarSet selects pods of all "
    "namespaces. kustomize writes it for `namespace:`.",
    mend="delete it; to select a namespace, write spec.namespaceSelector: "
    "{matchLabels: {kubernetes.io/metadata.name: NAME}}",
    within="set",
    fails="metadata: {name: log-agent, namespace: shop}",
    passes="metadata: {name: log-agent}",
)
LABEL = kubernetes(
    "label",
    "Invalid label",
    "The key of a label is a qualified name, its value a label value.",
    why="The API server rejects objects with any other label.",
    mend=f"a key is a name such as example.com/team; a value is {LABEL_VALUE_FORM}",
    within="set",
    fails="metadata: {name: log-agent, labels: {team: the observers}}",
    passes="metadata: {name: log-agent, labels: {team: observers}}",
)
ANNOTATION = kubernetes(
    "annotation",
    "Invalid or too large annotations",
    "The key of an annotation is a qualified name; all annotations together have at most 256 KiB.",
    why="The API server rejects objects with any other annotation.",
    mend="a key is a name such as example.com/team; move long texts to a ConfigMap",
    within="set",
    fails="metadata: {name: log-agent, annotations: {a/b/c: text}}",
    passes="metadata: {name: log-agent, annotations: {example.com/note: any text}}",
)
OWNER = kubernetes(
    "owner-reference",
    "Invalid owner reference",
    "An owner reference has apiVersion, kind, name and uid; at most one of them is the controller.",
    why="Otherwise the garbage collector cannot identify the owner.",
    mend="complete it, or delete it: owner references are usually written by controllers",
    within="set",
    fails="metadata: {name: log-agent, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner}]}",
    passes="metadata: {name: log-agent, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: '1'}]}",
)
FINALIZER = kubernetes(
    "finalizer",
    "Invalid finalizer",
    "A finalizer is a qualified name, and orphan and foregroundDeletion exclude each other.",
    why="The name of a finalizer identifies the controller that it belongs to.",
    mend="write it as example.com/guard",
    within="set",
    fails="metadata: {name: log-agent, finalizers: [my guard]}",
    passes="metadata: {name: log-agent, finalizers: [example.com/guard]}",
)


def metadata_findings(metadata: Object) -> Iterator[Finding]:
    """Errors in the metadata of a SidecarSet in typed form."""
    yield from _name(metadata.get("name", ""), metadata.get("generateName", ""))
    if "namespace" in metadata:
        message = "it has no effect: a SidecarSet is cluster-scoped, and is not limited to this namespace"
        yield NAMESPACE.at(("metadata", "namespace"), message)
    yield from label_findings(metadata.get("labels", {}), ("metadata", "labels"))
    yield from annotation_findings(metadata.get("annotations", {}), ("metadata", "annotations"))
    yield from _owners(metadata.get("ownerReferences", ()))
    yield from _finalizers(metadata.get("finalizers", ()))


def label_findings(labels: Object, path: Path) -> Iterator[Finding]:
    """Errors in the labels of any object."""
    for key, value in labels.items():
        if not is_qualified_name(key):
            yield LABEL.at((*path, key), f'the key "{key}" is not a qualified name')
        if not is_label_value(value):
            yield LABEL.at((*path, key), f'"{value}" is not a valid label value')


def annotation_findings(annotations: Object, path: Path) -> Iterator[Finding]:
    """Errors in the annotations of any object."""
    for key in annotations:
        if not is_qualified_name(key.lower()):
            yield ANNOTATION.at((*path, key), f'the key "{key}" is not a qualified name')
    if is_too_large(annotations):
        yield ANNOTATION.at(path, f"all annotations together have more than {LARGEST_ANNOTATIONS} bytes")


def is_too_large(annotations: Object) -> bool:
    """Whether keys and values together exceed the API server's limit."""
    return sum(len(text.encode()) for pair in annotations.items() for text in pair) > LARGEST_ANNOTATIONS


def _name(name: str, prefix: str) -> Iterator[Finding]:
    path = ("metadata", "name")
    if prefix and not (is_subdomain_prefix(prefix) and _NAME.fullmatch(prefix)):
        yield NAME.at(("metadata", "generateName"), f'"{prefix}" cannot begin a SidecarSet name')
    if not name and prefix:
        message = "with generateName the API server makes the name, which cannot be known; kubectl apply rejects it"
        yield NAME.at(path, message, "write metadata.name")._replace(severity=Severity.WARNING)
    elif not name:
        yield NAME.at(path, "the SidecarSet has no name")
    elif len(name) > 63:
        yield NAME.at(path, f"the name has {len(name)} characters; at most 63 are allowed")
    elif not (_NAME.fullmatch(name) and is_subdomain(name)):
        yield NAME.at(path, f'"{name}" is not a valid SidecarSet name')


def _owners(owners: list[Object]) -> Iterator[Finding]:
    path: Path = ("metadata", "ownerReferences")
    for index, owner in enumerate(owners):
        for field in ("kind", "name", "uid"):
            if not owner.get(field):
                yield OWNER.at((*path, index, field), f"{field} is missing")
        version = owner.get("apiVersion", "")
        if version.count("/") > 1 or not version.rpartition("/")[2]:
            yield OWNER.at((*path, index, "apiVersion"), f'"{version}" is not an API version')
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield OWNER.at((*path, index), "an Event cannot own anything")
    controllers = [index for index, owner in enumerate(owners) if owner.get("controller")]
    for first, index in pairwise(controllers):
        yield OWNER.at((*path, index, "controller"), f"owner reference {first} is already the controller")


def _finalizers(finalizers: list[str]) -> Iterator[Finding]:
    path: Path = ("metadata", "finalizers")
    for index, finalizer in enumerate(finalizers):
        if not is_qualified_name(finalizer):
            yield FINALIZER.at((*path, index), f'"{finalizer}" is not a qualified name')
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        yield FINALIZER.at(path, "orphan and foregroundDeletion exclude each other")
