"""The fields that only sidecars have: where they are injected, what they share, which env they take over.

Source: docs/behaviour/validation.md, "Sidecar fields". Kruise checks none of this on initContainers.
"""

from collections.abc import Iterator

from sidecarctl.api.qualified_names import is_qualified_name
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.validation.admission.containers.field_references import subscripted
from sidecarctl.validation.rules import kruise

INJECT_POLICY = kruise(
    "pod-inject-policy",
    "podInjectPolicy is BeforeAppContainer or AfterAppContainer.",
    why="It decides whether the sidecar is injected before or after the app containers of the pod.",
    mend="write BeforeAppContainer or AfterAppContainer, or omit it",
    fails="podInjectPolicy: BeforeApp",
    passes="podInjectPolicy: BeforeAppContainer",
)
SHARE_POLICY = kruise(
    "share-volume-policy",
    "shareVolumePolicy.type is enabled or disabled.",
    why="It decides whether the sidecar mounts the volumes of the app containers. Manuals show both words as "
    "a choice.",
    mend="write shareVolumePolicy: {type: enabled}",
    fails="shareVolumePolicy: {type: enabled | disabled}",
    passes="shareVolumePolicy: {type: enabled}",
)
TRANSFER_FIELD = kruise(
    "transfer-env-field-ref",
    "A fieldRef of transferEnv names a label or an annotation of the pod.",
    why="The value of that label or annotation is the name of the container to copy from.",
    mend="write fieldPath: metadata.labels['main-container'], or sourceContainerName instead",
    fails="transferEnv: [{sourceContainerNameFrom: {fieldRef: {fieldPath: metadata.name}}, envName: HOME}]",
    passes="transferEnv: [{envName: HOME, sourceContainerNameFrom: "
    "{fieldRef: {fieldPath: \"metadata.labels['main']\"}}}]",
)


def sidecar_findings(container: Object, path: Path) -> Iterator[Finding]:
    """Errors in the sidecar fields of a container (not of an initContainer)."""
    policy = container.get("podInjectPolicy", "")
    if policy not in {"BeforeAppContainer", "AfterAppContainer"}:
        yield INJECT_POLICY.at((*path, "podInjectPolicy"), f'unknown podInjectPolicy "{policy}"')
    kind = container.get("shareVolumePolicy", {}).get("type", "")
    if kind not in {"enabled", "disabled"}:
        yield SHARE_POLICY.at((*path, "shareVolumePolicy", "type"), f'unknown type "{kind}"')
    for index, transfer in enumerate(container.get("transferEnv", ())):
        source = transfer.get("sourceContainerNameFrom", {})
        if "fieldRef" in source:
            where = (*path, "transferEnv", index, "sourceContainerNameFrom", "fieldRef")
            yield from _field(source["fieldRef"], where)


def _field(reference: Object, path: Path) -> Iterator[Finding]:
    text, where = reference.get("fieldPath", ""), (*path, "fieldPath")
    base, key = subscripted(text)
    if not text:
        yield TRANSFER_FIELD.at(where, "fieldPath is missing")
    elif reference.get("apiVersion") != "v1":
        message = f'the API version of a pod is v1, not "{reference.get("apiVersion")}"'
        yield TRANSFER_FIELD.at(where, message, "omit apiVersion")
    elif base not in {"metadata.labels", "metadata.annotations"}:
        yield TRANSFER_FIELD.at(where, f'"{text}" is neither a label nor an annotation')
    elif not is_qualified_name(key.lower() if base == "metadata.annotations" else key):
        yield TRANSFER_FIELD.at(where, f'"{key}" is not a valid label or annotation key')
