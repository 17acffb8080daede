"""What the other steps of the pod webhook read from every pod, and what they change in pods of Kruise's workloads.

These get the readiness gate and the enhanced liveness probe.

Source: docs/behavior/pod-webhook.md, "Order", "Readiness gate" and "Enhanced liveness probe".
"""

import re

from sidecarctl.engine.api.canonical import compact, encoded
from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workloads import owner_of
from sidecarctl.engine.facts.findings import ObjectReference
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.sets import GROUP

POD_READY = "KruisePodReady"
USING_LIVENESS = "apps.kruise.io/using-enhanced-liveness"

PROBE_CONTEXT = "apps.kruise.io/container-probe-context"

PRIORITY = "KRUISE_CONTAINER_PRIORITY"
BARRIER = "KRUISE_CONTAINER_BARRIER"
ANNOTATION = "apps.kruise.io/container-launch-priority"
ORDERED = "Ordered"
COMPLETED = "apps.kruise.io/container-launch-priority-completed"
"""How launch priority is written (`launch_priority`)."""

_NAMES = frozenset({PRIORITY, BARRIER})
_NOTHING: Object = {}


def is_owned_by_kruise(pod: Value) -> bool:
    """Whether the controller of a pod, which need not be type-checked, is a workload of Kruise."""
    return is_kruises((controller_in(pod) or {}).get("apiVersion"))


def controller_in(pod: Value) -> Object | None:
    """The reference to the controller of a pod, which need not be type-checked; None if it has none."""
    metadata = pod.get("metadata") if isinstance(pod, dict) else None
    owners = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    for owner in owners if isinstance(owners, list) else ():
        if isinstance(owner, dict) and owner.get("controller") is True:
            return owner
    return None


def is_template_of_kruise(workload: ObjectReference, path: Path) -> bool:
    """Whether the controller of a template's pods, at a path of a workload, is a workload of Kruise."""
    return is_kruises(owner_of(workload.api_version, workload.kind, path)[0])


def is_kruises(api_version: Value) -> bool:
    """Whether an apiVersion is of Kruise's group of workloads."""
    return isinstance(api_version, str) and api_version.count("/") == 1 and api_version.startswith(f"{GROUP}/")


def has_readiness_gate(pod: Object) -> bool:
    """Whether a decoded pod has the gate of Kruise."""
    gates = (pod.get("spec") or {}).get("readinessGates") or ()
    return any((gate or {}).get("conditionType") == POD_READY for gate in gates)


def with_readiness_gate(pod: Object) -> Object:
    """A decoded pod with the gate of Kruise; the same object if it has it."""
    if has_readiness_gate(pod):
        return pod
    spec = pod.get("spec") or {}
    gates = [*(spec.get("readinessGates") or ()), {"conditionType": POD_READY}]
    return pod | {"spec": spec | {"readinessGates": gates}}


def with_enhanced_liveness(pod: Object, release: Release) -> Object:
    """A decoded pod with its liveness probes moved to an annotation; the same object if it did not ask for that."""
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    containers = [container or {} for container in spec.get("containers") or ()]
    if annotations.get(USING_LIVENESS) != "true":
        return pod
    probes = [
        {"name": container.get("name") or "", "livenessProbe": encoded(container["livenessProbe"], "core.Probe")}
        for container in containers
        if container.get("livenessProbe") is not None
    ]
    if not probes:
        return pod
    kept = [{key: value for key, value in container.items() if key != "livenessProbe"} for container in containers]
    text = compact(probes)
    if release.old_json_escapes:
        text = re.sub(r"\\(.)", lambda found: {"b": "\\u0008", "f": "\\u000c"}.get(found[1], found[0]), text)
    return pod | {
        "metadata": metadata | {"annotations": annotations | {PROBE_CONTEXT: text}},
        "spec": spec | {"containers": kept},
    }


def names_priorities(pod: Value) -> bool:
    """Whether a pod names anything of launch priority; not for one whose parts are no objects and lists.

    A plain loop over what need not be type-checked: this runs for every pod, and nearly all name nothing.
    """
    try:
        annotations = (pod.get("metadata") or _NOTHING).get("annotations") or _NOTHING
        if ANNOTATION in annotations or COMPLETED in annotations:
            return True
        for container in (pod.get("spec") or _NOTHING).get("containers") or ():
            for env in (container or _NOTHING).get("env") or ():
                if env and env.get("name") in _NAMES:
                    return True
    except (AttributeError, TypeError):
        return False
    return False


def top_workload(pod: Value, labels: Labels) -> ObjectReference:
    """The workload that a pod belongs to by its metadata; of a Deployment's ReplicaSet the Deployment."""
    owner = controller_in(pod) or {}
    version, kind, name = (str(owner.get(key) or "") for key in ("apiVersion", "kind", "name"))
    suffix = f"-{labels.get('pod-template-hash')}"
    if kind == "ReplicaSet" and name.endswith(suffix):
        kind, name = "Deployment", name.removesuffix(suffix)
    return ObjectReference(version, kind, "", name)
