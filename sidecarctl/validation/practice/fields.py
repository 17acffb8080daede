"""Fields that the API does not have, and values that it cannot decode: mostly slips, and forms of old manuals.

Source: docs/behaviour/api.md.
"""

from collections.abc import Iterator

from sidecarctl.api.unknown_fields import unknown_fields
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path, path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.decoding import type_of, version_of
from sidecarctl.sidecarset.sets import SidecarSet, Version
from sidecarctl.validation.rules import kubernetes, warned

UNKNOWN = warned(
    "unknown-field",
    "Every field is one that the API has.",
    why="The API server drops other fields without a word: what was meant by them does not happen. Capitals count.",
    mend="write the field as docs/behaviour/api.md has it, or delete it",
    within="container",
    fails="imagePullPolice: Always",
    passes="imagePullPolicy: Always",
)
WRONG_TYPE = kubernetes(
    "wrong-type",
    "Every value has the type of its field.",
    why="One value that cannot be decoded refuses the whole object.",
    mend="write a value of the type that the message names; texts that look like something else need quotes",
    within="container",
    fails="env: [{name: RETRIES, value: 3}]",
    passes="env: [{name: RETRIES, value: '3'}]",
)

_CASE = "field names are case-sensitive"
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
    ("containers", "upgradeType"): "write upgradeStrategy: {upgradeType: ...}",
    ("containers", "hotUpgradeEmptyImage"): "write upgradeStrategy: {hotUpgradeEmptyImage: ...}",
    ("containers", "envName"): "it belongs into an item of transferEnv",
    ("containers", "sourceContainerName"): "it belongs into an item of transferEnv",
    ("containers", "patchPodMetadata"): "it belongs to spec",
    ("transferEnv", "name"): "the name of the variable is envName",
    ("transferEnv", "env"): "the name of the variable is envName",
    ("containers", "volumes"): "it belongs to spec",
}
"""Fields that stand elsewhere, or stood there once, each with the part of the API that people write them in."""


def admitted(manifest: Value) -> SidecarSet | list[Finding]:
    """The SidecarSet that a manifest makes, or why it cannot be decoded, with the fields that there are not."""
    try:
        return admit(manifest)
    except InputError as problem:
        undecodable = [finding._replace(rule=WRONG_TYPE.id) for finding in problem.findings]
    try:
        return [*undecodable, *unknown_field_findings(manifest, version_of(manifest))]
    except InputError:
        return undecodable


def unknown_field_findings(manifest: Object, version: Version) -> Iterator[Finding]:
    """Each field that a SidecarSet of a version does not have, with the likely one."""
    for path, meant in unknown_fields(manifest, type_of(version)):
        hint = _OTHER_PLACES.get((_part(path), str(path[-1])), f"did you mean {meant}?" if meant else _CASE)
        found = UNKNOWN.at(path, f"the API has no field {path_text(path[-1:])}; it is dropped", hint)
        yield found._replace(reason=Reason.UNKNOWN_FIELD)


def _part(path: Path) -> str:
    """The list or struct that a field stands in; initContainers are containers too."""
    names = [step for step in path[:-1] if isinstance(step, str)]
    return (names[-1] if names else "").replace("initContainers", "containers")
