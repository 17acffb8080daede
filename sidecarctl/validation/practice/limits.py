"""Missing limits of a SidecarSet: where it is injected, and what its containers use."""

from collections.abc import Iterator

from sidecarctl.api.field_table import has_field
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.validation.admission.spec import placed
from sidecarctl.validation.rules import noted

RESOURCES = noted(
    "no-resources",
    "A sidecar has resources.",
    why="Without limits it can starve the app; without requests the scheduler does not count it, and a pod "
    "of QoS class Guaranteed becomes Burstable.",
    mend="write resources, or a resourcesPolicy",
    fails="name: log-agent",
    passes="resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {memory: 64Mi}}",
)
NAMESPACES = noted(
    "no-namespace-limit",
    "A SidecarSet has a namespaceSelector.",
    why="Without it, pods of all namespaces are selected, system namespaces included.",
    mend="write namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}, or the labels of your "
    "namespaces",
    within="spec",
    fails="namespaceSelector: null",
    passes="namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}",
)


def limit_findings(spec: Object, release: Release) -> Iterator[Finding]:
    """Missing limits of a spec in v1beta1; initContainers that run to completion need no resources."""
    if "namespaceSelector" not in spec and spec.get("selector"):
        hint = "" if has_field("v1alpha1.SidecarSetSpec", "namespaceSelector", release) else "write namespace: NAME"
        yield NAMESPACES.at(("spec",), "the pods of every namespace are selected", hint)
    native = [item for item in placed(spec, "initContainers") if is_native_sidecar(item[0])]
    for container, path in (*native, *placed(spec, "containers")):
        if not container.get("resources") and "resourcesPolicy" not in container:
            hint = "" if has_field("v1alpha1.SidecarContainer", "resourcesPolicy", release) else "write resources"
            yield RESOURCES.at(path, f'the container "{container.get("name", "")}" has no resources', hint)
