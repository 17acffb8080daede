"""What a SidecarSet does not limit: where it is injected, and what its containers take."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.validation.admission.spec import placed
from sidecarctl.validation.rules import noted

RESOURCES = noted(
    "no-resources",
    "A sidecar says what resources it takes.",
    why="Without limits it can starve the app beside it, without requests the scheduler does not count it, and a pod "
    "of quality Guaranteed becomes Burstable.",
    mend="write resources, or a resourcesPolicy",
    fails="name: log-agent",
    passes="resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {memory: 64Mi}}",
)
NAMESPACES = noted(
    "no-namespace-limit",
    "A SidecarSet says in which namespaces it injects.",
    why="Without a namespaceSelector it selects pods of the whole cluster, those of the system too.",
    mend="write namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}, or labels of your namespaces",
    within="spec",
    fails="namespaceSelector: null",
    passes="namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}",
)


def limit_findings(spec: Object) -> Iterator[Finding]:
    """What a spec in v1beta1 form leaves open; initContainers that end take resources for a moment only."""
    if "namespaceSelector" not in spec and spec.get("selector"):
        yield NAMESPACES.at(("spec",), "the pods of every namespace are selected")
    native = [one for one in placed(spec, "initContainers") if is_native_sidecar(one[0])]
    for container, path in (*native, *placed(spec, "containers")):
        if not container.get("resources") and "resourcesPolicy" not in container:
            yield RESOURCES.at(path, f'the container "{container.get("name", "")}" has no resources')
