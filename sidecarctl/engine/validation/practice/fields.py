"""Typos and outdated fields: what the API does not have or cannot decode, almost SidecarSets, a name used twice.

Source: docs/behavior/api.md.
"""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.api.field_table import has_field, likely_field, null_members, unknown_fields
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, first_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, path_text, value_at
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.conversion import type_of, version_of
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.validation.rules import kubernetes, warned

UNKNOWN = warned(
    "unknown-field",
    "Unknown field",
    "Every field exists in the API.",
    why="The API server silently drops other fields, so they have no effect. Case matters.",
    mend="correct or delete the field; sidecarctl schema prints all that exist",
    within="container",
    fails="imagePullPolice: Always",
    passes="imagePullPolicy: Always",
)
WRONG_TYPE = kubernetes(
    "wrong-type",
    "Value of the wrong type",
    "Every value has the type of its field.",
    why="The API server rejects an object with a value that it cannot decode.",
    mend="write a value of the type that the message names; strings that look like another type need quotes",
    within="container",
    fails="env: [{name: RETRIES, value: 3}]",
    passes="env: [{name: RETRIES, value: '3'}]",
)
NULL_MEMBER = warned(
    "null-member",
    "Null member of a map",
    "No member of a map is null.",
    why='Kruise reads null as "", or as the quantity "0": limits with cpu: and no value forbid any CPU.',
    mend="write the value, or delete the key; a Helm value may be blank",
    within="container",
    fails="resources: {limits: {cpu: null}}",
    passes="resources: {limits: {cpu: 100m}}",
)

_OTHER_PLACES = {
    ("spec", "strategy"): "the field is updateStrategy, and it has maxUnavailable and partition itself",
    ("spec", "template"): "a SidecarSet has no template: write containers and volumes into spec",
    ("updateStrategy", "rollingUpdate"): "write its fields into updateStrategy: {maxUnavailable: ...}",
    ("upgradeStrategy", "type"): "the field is upgradeType",
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
    ("transferEnv", "name"): "the name of the variable is envName",
    ("transferEnv", "env"): "the name of the variable is envName",
}
"""Fields that are, or once were, elsewhere, with the part of the API in which people write them."""


_OF_PODS = {"spec": "core.PodSpec", "containers": "core.PodSpec", "securityContext": "core.PodSecurityContext"}
"""The parts in which people write fields of pods, with the type of pods that has them."""


def admitted(manifest: Value, release: Release = DEFAULT) -> SidecarSet | list[Finding]:
    """The SidecarSet of a manifest, or why it cannot be decoded, and its unknown fields."""
    try:
        return admit(manifest, release)
    except InputError as problem:
        undecodable = [finding._replace(rule=WRONG_TYPE.id) for finding in problem.findings]
    try:
        return [*undecodable, *unknown_field_findings(manifest, release)]
    except InputError:
        return undecodable


def corrected(manifest: Object, wrong: Iterable[Finding]) -> tuple[Object, list[Path]]:
    """A manifest in which text is quoted, and other values of wrong types are left out; the paths of the latter.

    Items of lists stay where they are. It is for findings about the rest, not to be written.
    """
    left_out = []
    for path in (finding.path for finding in wrong):
        value = value_at(manifest, path)
        if isinstance(value, bool | int | float):
            quoted = _with(manifest, path, str(value).lower())
            if isinstance(admitted(quoted), SidecarSet) or _is_text(quoted, path):
                manifest = quoted
                continue
        member = _member(path)
        manifest = _with(manifest, member, None) if member else manifest
        left_out.append(member)
    return manifest, left_out


def _member(path: Path) -> Path:
    """The member of an object that a path is in: items of lists cannot be left out."""
    return path if not path or isinstance(path[-1], str) else _member(path[:-1])


def _is_text(manifest: Object, path: Path) -> bool:
    """Whether a text is right at a path."""
    found = admitted(manifest)
    return isinstance(found, list) and path not in [finding.path for finding in found]


def _with(value: Value, path: Path, new: Value) -> Value:
    """The value with another member at a path; null, which counts as absent, for a member that is left out."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return value | {step: _with(value.get(step), rest, new)}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [*value[:step], _with(value[step], rest, new), *value[step + 1 :]]
    return value


def beside(left_out: Sequence[Path], findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings that cannot come from values that were left out: neither within them nor around them."""
    for finding in findings:
        if not any(_is_within(finding.path, path) or _is_within(path, finding.path) for path in left_out):
            yield finding


def _is_within(path: Path, other: Path) -> bool:
    return path[: len(other)] == other


def null_member_findings(manifest: Object) -> list[Finding]:
    """Warnings for the null members of the maps of a decoded SidecarSet."""
    found = sorted(null_members(manifest, type_of(version_of(manifest))), key=str)
    return first_of(iter(found), _null_member, "more null members")


def _null_member(member: tuple[Path, str]) -> Finding:
    path, zero = member
    return NULL_MEMBER.at(path, f"{path[-1]} is null, which Kruise reads as {zero}")


def unknown_field_findings(manifest: Object, release: Release) -> list[Finding]:
    """The fields of a SidecarSet that no release knows, nor this one, with the likely corrections.

    `release_gaps.gaps` finds what only this release does not know.
    """
    kind = type_of(version_of(manifest))
    unknown = unknown_fields(manifest, kind)
    if release is not MASTER:
        dropped = {path for path, _ in unknown_fields(manifest, kind, release=release)}
        unknown = (item for item in unknown if item[0] in dropped)  # some releases had fields that are gone
    return first_of(unknown, _unknown, "more unknown fields")


def _unknown(field: tuple[Path, str]) -> Finding:
    path, within = field
    name, part = str(path[-1]), _part(path)
    hint = _OTHER_PLACES.get((part, name)) or _elsewhere(part, name)
    if not hint and (meant := likely_field(name, within)):
        hint = f"did you mean {meant}?"
    found = UNKNOWN.at(path, f"unknown field {path_text(path[-1:])}; the API server drops it", hint)
    return found._replace(reason=Reason.UNKNOWN_FIELD)


def _elsewhere(part: str, name: str) -> str:
    """Where a field is that a part of a SidecarSet does not have: in its spec, or in pods; empty if nowhere."""
    if part == "containers" and has_field("v1beta1.SidecarSetSpec", name, MASTER):
        return "it belongs to spec"
    if part in _OF_PODS and has_field(_OF_PODS[part], name, MASTER):
        return "a SidecarSet cannot set it: it is a field of pods, which keep their own"
    return ""


def _part(path: Path) -> str:
    """The list or struct that contains a field; initContainers are containers too."""
    names = [step for step in path[:-1] if isinstance(step, str)]
    return (names[-1] if names else "").replace("initContainers", "containers")


HEADER = warned(
    "near-header",
    "Almost a SidecarSet",
    "A document that is meant to be a SidecarSet has its apiVersion and kind.",
    why="With another spelling it is another kind of object, and injects nothing.",
    mend="write apiVersion: apps.kruise.io/v1beta1 and kind: SidecarSet",
    within="stream",
    fails="""\
apiVersion: apps:kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: agent}
""",
    passes="""\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: agent}
spec: {selector: {matchLabels: {app: web}}, containers: [{name: agent, image: 'agent:1.2'}]}
""",
)

_SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {app}}}}}
  containers: [{{name: agent, image: 'agent:1.2'}}]
"""
_PAIR = "{}---\n{}"

TWICE = warned(
    "sidecarset-twice",
    "Two SidecarSets of one name",
    "SidecarSets have different names.",
    why="SidecarSets have no namespace: of two manifests with the same name, a cluster has the one that was applied "
    "last.",
    mend="rename one of them, or leave the files of other clusters out with --exclude",
    within="stream",
    fails=_PAIR.format(_SET.format(name="agent", app="web"), _SET.format(name="agent", app="shop")),
    passes=_PAIR.format(_SET.format(name="web-agent", app="web"), _SET.format(name="shop-agent", app="shop")),
)


def duplicate_finding(name: str, manifest: Object, first: Object, where: str) -> Finding | None:
    """The warning about the second SidecarSet of a name, unless it is the same; `where` is the first one's place."""
    if manifest == first or not name:
        return None
    message = f"duplicate SidecarSet {name} (also {where}): a cluster has only one of them"
    return TWICE.at(("metadata", "name"), message)._replace(reason=Reason.DUPLICATE_SET)
