"""Fields of a SidecarSet that a release of Kubernetes does not have yet: the API server drops them from every pod.

Source: https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/, which lists for each feature
gate since which release there is one, and since which it is on by default.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.sidecarset.sets import is_native_sidecar
from sidecarctl.engine.validation.admission.spec import placed
from sidecarctl.engine.validation.rules import Rule, warned

_GATES = "https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/"
_OPTION = "The rule needs --live, or the option --kubernetes with the release of the cluster, such as 1.27."

NATIVE = Rule(
    "native-sidecar-release",
    "Native sidecar in an old Kubernetes",
    "A SidecarSet has native sidecars only for Kubernetes from 1.28 on, with the feature gate SidecarContainers.",
    why="Before 1.28, and in 1.28 while the gate is off, its default, the API server drops restartPolicy from an "
    f"initContainer: the pod waits for the sidecar to end, and never gets beyond Init. {_OPTION}",
    mend="make it a container, or upgrade Kubernetes to 1.29",
    source="https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/",
    within="spec",
    fails="{initContainers: [{name: proxy, image: 'proxy:1', restartPolicy: Always}], "
    "updateStrategy: {type: NotUpdate}}",
    passes="containers: [{name: proxy, image: 'proxy:1'}]",
)
FIELD = warned(
    "kubernetes-release",
    "Field that an old Kubernetes drops",
    "The fields of a SidecarSet are in the release of Kubernetes of the cluster.",
    why="The API server drops fields that it does not know, and those whose feature gate is off, from every pod: a "
    "preStop with sleep is left without an action and rejected (an error), an image volume becomes an emptyDir, and "
    f"containers run without their profile. {_OPTION}",
    mend="leave the field out, or upgrade Kubernetes",
    source=_GATES,
    within="container",
    fails="lifecycle: {preStop: {sleep: {seconds: 5}}}",
    passes="lifecycle: {preStop: {exec: {command: [sleep, '5']}}}",
)


class Feature(NamedTuple):
    """A field with its feature gate: the minor release that has it, and that in which the gate is on by default."""

    gate: str
    since: int
    on_since: int


NATIVE_SIDECARS = Feature("SidecarContainers", 28, 29)
"""restartPolicy of initContainers."""
_SLEEP = Feature("PodLifecycleSleepAction", 29, 30)
_APP_ARMOR = Feature("AppArmorFields", 30, 30)
_READ_ONLY = Feature("RecursiveReadOnlyMounts", 30, 31)
_IMAGE = Feature("ImageVolume", 31, 35)

_FORM = r"v?1\.([0-9]{1,3})(?:\.[0-9A-Za-z.+-]*)?"


def parse_kubernetes(text: str) -> int | None:
    """The minor release of `1.27` or `v1.27.3`, None for an empty text; UsageError for any other."""
    match = re.fullmatch(_FORM, text)
    if text and match is None:
        raise usage_error(f"--kubernetes {text} is not a release of Kubernetes", hint="such as --kubernetes 1.27")
    return int(match[1]) if match else None


def kubernetes_findings(spec: Object, minor: int) -> Iterator[Finding]:
    """The fields of a spec in v1beta1 that a minor release of Kubernetes 1 drops."""
    for container, path in placed(spec, "initContainers"):
        if is_native_sidecar(container) and (said := dropped(NATIVE_SIDECARS, minor)):
            message = f"{said}: pods with {container.get('name', '')} never get beyond Init"
            severity = Severity.ERROR if minor < NATIVE_SIDECARS.since else Severity.WARNING
            yield NATIVE.at((*path, "restartPolicy"), message)._replace(severity=severity)
    for container, path in (*placed(spec, "containers"), *placed(spec, "initContainers")):
        yield from _of_container(container, path, minor)
    for index, volume in enumerate(spec.get("volumes") or ()):
        if volume.get("image") is not None and (said := dropped(_IMAGE, minor)):
            yield FIELD.at(("spec", "volumes", index, "image"), f"{said}: the volume is an emptyDir")


def _of_container(container: Object, path: Path, minor: int) -> Iterator[Finding]:
    for hook, handler in (container.get("lifecycle") or {}).items():
        if (handler or {}).get("sleep") is not None and (said := dropped(_SLEEP, minor)):
            severity = Severity.ERROR if minor < _SLEEP.since else Severity.WARNING
            found = FIELD.at((*path, "lifecycle", hook, "sleep"), f"{said}, and rejects the {hook} without an action")
            yield found._replace(severity=severity)
    if (container.get("securityContext") or {}).get("appArmorProfile") and (said := dropped(_APP_ARMOR, minor)):
        yield FIELD.at((*path, "securityContext", "appArmorProfile"), f"{said}: the container runs without it")
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        if mount.get("recursiveReadOnly") is not None and (said := dropped(_READ_ONLY, minor)):
            where = (*path, "volumeMounts", index, "recursiveReadOnly")
            yield FIELD.at(where, f"{said}: mounts below it are not read-only")


def dropped(feature: Feature, minor: int, what: str = "it") -> str:
    """Why a release drops a field; empty if it does not."""
    if minor < feature.since:
        return f"the API server of Kubernetes 1.{minor} drops {what}"
    if minor < feature.on_since:
        return f"unless the feature gate {feature.gate} is on, the API server of Kubernetes 1.{minor} drops {what}"
    return ""
