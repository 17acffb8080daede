"""Fields that the API does not have, and values that it cannot decode: typos, mostly, and fields of old manuals.

Source: docs/behaviour/api.md.
"""

from collections.abc import Iterator

from sidecarctl.api.unknown_fields import unknown_fields
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path, path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.decoding import type_of, version_of
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.rules import kubernetes, warned

UNKNOWN = warned(
    "unknown-field",
    "Every field exists in the API.",
    why="The API server silently drops other fields, so they have no effect. Case matters.",
    mend="correct or delete the field; sidecarctl schema prints all that exist",
    within="container",
    fails="imagePullPolice: Always",
    passes="imagePullPolicy: Always",
)
WRONG_TYPE = kubernetes(
    "wrong-type",
    "Every value has the type of its field.",
    why="The API server rejects an object with a value that it cannot decode.",
    mend="write a value of the type that the message names; strings that look like another type need quotes",
    within="container",
    fails="env: [{name: RETRIES, value: 3}]",
    passes="env: [{name: RETRIES, value: '3'}]",
)

_OTHER_PLACES = {
    ("spec", "strategy"): "the field is updateStrategy",
    ("spec", "podSelector"): "the field is selector",
    ("spec", "matchLabels"): "write selector: {matchLabels: ...}",
    ("spec", "sidecarContainers"): "the field is containers",
    ("spec", "paused"): "write updateStrategy: {paused: true} or injectionStrategy: {paused: true}",
    ("spec", "partition"): "write updateStrategy: {partition: ...}",
    ("spec", "maxUnavailable"): "write updateStrategy: {maxUnavailable: ...}",
    ("spec", "namespace"): "in v1beta1 write namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}",
    ("spec", "customVersion"): "in v1alpha1 write the label apps.kruise.io/sidecarset-custom-version",
    ("spec", "injectRevision"): "write injectionStrategy: {revision: ...}",
    ("spec", "podInjectPolicy"): "it belongs in each container",
    ("spec", "shareVolumePolicy"): "it belongs in each container",
    ("spec", "transferEnv"): "it belongs in each container",
    ("spec", "upgradeStrategy"): "it belongs in each container; a SidecarSet has updateStrategy",
    ("containers", "updateStrategy"): "it belongs to spec; a container has upgradeStrategy",
    ("containers", "mountPath"): "it belongs in an item of volumeMounts",
    ("containers", "subPath"): "it belongs in an item of volumeMounts",
    ("containers", "containerPort"): "it belongs in an item of ports",
    ("containers", "valueFrom"): "it belongs in an item of env",
    ("containers", "upgradeType"): "write upgradeStrategy: {upgradeType: ...}",
    ("containers", "hotUpgradeEmptyImage"): "write upgradeStrategy: {hotUpgradeEmptyImage: ...}",
    ("containers", "envName"): "it belongs in an item of transferEnv",
    ("containers", "sourceContainerName"): "it belongs in an item of transferEnv",
    ("containers", "patchPodMetadata"): "it belongs to spec",
    ("transferEnv", "name"): "the name of the variable is envName",
    ("transferEnv", "env"): "the name of the variable is envName",
    ("containers", "volumes"): "it belongs to spec",
}
"""Fields that are, or once were, elsewhere, with the part of the API in which people write them."""


def admitted(manifest: Value, release: Release = MASTER) -> SidecarSet | list[Finding]:
    """The SidecarSet of a manifest, or why it cannot be decoded, and its unknown fields."""
    try:
        return admit(manifest, release)
    except InputError as problem:
        undecodable = [finding._replace(rule=WRONG_TYPE.id) for finding in problem.findings]
    try:
        return [*undecodable, *unknown_field_findings(manifest, release)]
    except InputError:
        return undecodable


def unknown_field_findings(manifest: Object, release: Release) -> Iterator[Finding]:
    """Each field of a SidecarSet that no release knows, nor this one, with the likely correction.

    `release_gaps.gaps` finds what only this release does not know.
    """
    kind = type_of(version_of(manifest))
    unknown = list(unknown_fields(manifest, kind))
    if unknown and release is not MASTER:
        dropped = dict(unknown_fields(manifest, kind, release=release))
        unknown = [item for item in unknown if item[0] in dropped]  # some releases had fields that are gone
    for path, meant in unknown:
        hint = _OTHER_PLACES.get((_part(path), str(path[-1])), f"did you mean {meant}?" if meant else "")
        found = UNKNOWN.at(path, f"unknown field {path_text(path[-1:])}; the API server drops it", hint)
        yield found._replace(reason=Reason.UNKNOWN_FIELD)


def _part(path: Path) -> str:
    """The list or struct that contains a field; initContainers are containers too."""
    names = [step for step in path[:-1] if isinstance(step, str)]
    return (names[-1] if names else "").replace("initContainers", "containers")
