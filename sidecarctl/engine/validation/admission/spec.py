"""A whole SidecarSet, in the order in which Kruise checks it.

Rules about rare fields are loaded only when a SidecarSet has them: every `inject` runs this code.
Source: docs/behavior/validation.md.
"""

from collections.abc import Iterator, Mapping

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.conversion import checked_labels, checked_spec
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_native_sidecar
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.containers import (
    Placed,
    container_findings,
    init_container_findings,
    sidecar_findings,
)
from sidecarctl.engine.validation.admission.metadata import metadata_findings
from sidecarctl.engine.validation.admission.selectors import pod_selector_findings, selector_findings
from sidecarctl.engine.validation.admission.strategies import (
    canary_findings,
    injection_strategy_findings,
    update_strategy_findings,
)
from sidecarctl.engine.validation.admission.volumes import volume_findings
from sidecarctl.engine.validation.rules import kruise, warned

_IN_NAMESPACES = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  {}
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: log-agent, image: log-agent:1.2}}]
"""
NO_CONTAINERS = kruise(
    "no-containers",
    "No containers",
    "A SidecarSet has a container or an initContainer.",
    why="Otherwise it injects nothing.",
    mend="write containers: [{name: log-agent, image: ...}]",
    within="spec",
    fails="containers: []",
    passes="containers: [{name: log-agent, image: log-agent:1.2}]",
)
ONE_OF_NAMESPACES = kruise(
    "namespace-and-selector",
    "Both namespace and namespaceSelector",
    "A SidecarSet has either namespace or namespaceSelector.",
    why="Kruise 1.8 and earlier reject both together. Later releases ignore the namespaceSelector.",
    mend="remove one of them",
    within="stream",
    until="1.8",
    fails=_IN_NAMESPACES.format("namespace: shop\n  namespaceSelector: {matchLabels: {team: shop}}"),
    passes=_IN_NAMESPACES.format("namespace: shop"),
)
SELECTOR_IGNORED = warned(
    "namespace-selector-ignored",
    "namespaceSelector beside namespace",
    "A SidecarSet with namespace has no namespaceSelector.",
    why="From 1.9 on Kruise takes namespace and silently ignores the namespaceSelector.",
    mend="remove one of them",
    within="stream",
    fails=_IN_NAMESPACES.format("namespace: shop\n  namespaceSelector: {matchLabels: {team: shop}}"),
    passes=_IN_NAMESPACES.format("namespace: shop"),
)
NATIVE_SIDECAR = kruise(
    "native-sidecar-rolling-update",
    "Native sidecar with a rolling update",
    "A SidecarSet with a native sidecar has updateStrategy.type NotUpdate.",
    why="initContainers cannot be updated in place, and RollingUpdate, the default, requires that.",
    mend="write updateStrategy: {type: NotUpdate}; new pods get the new version",
    within="spec",
    fails="initContainers: [{name: proxy, image: 'proxy:1', restartPolicy: Always}]",
    passes="{initContainers: [{name: proxy, image: 'proxy:1', restartPolicy: Always}], "
    "updateStrategy: {type: NotUpdate}}",
)


def refusals(sidecarset: SidecarSet, world: World, by_name: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """What Kruise and the API server reject in a SidecarSet, except conflicts with others."""
    spec, release = checked_spec(sidecarset), sidecarset.release
    yield from metadata_findings(sidecarset.metadata)
    yield from canary_findings(sidecarset, by_name)
    yield from pod_selector_findings(spec, release)
    yield from _namespaces(sidecarset, spec)
    yield from update_strategy_findings(spec["updateStrategy"], release)
    yield from injection_strategy_findings(sidecarset, world.revisions)
    if "patchPodMetadata" in spec:
        from sidecarctl.engine.validation.admission.metadata_patches import metadata_patch_findings

        yield from metadata_patch_findings(spec["patchPodMetadata"], checked_labels(sidecarset), world)
    volumes, sound = volume_findings(spec.get("volumes", ()), release)
    yield from volumes
    yield from _containers(spec, sound, release)


def _namespaces(sidecarset: SidecarSet, spec: Object) -> Iterator[Finding]:
    is_by_name, path = bool(sidecarset.spec.get("namespace")), ("spec", "namespaceSelector")
    if "namespaceSelector" not in spec:
        return
    if is_by_name and not sidecarset.release.namespace_is_selector:
        yield ONE_OF_NAMESPACES.at(
            path, f"{sidecarset.release.behavior} rejects namespaceSelector together with namespace"
        )
        return
    if is_by_name and sidecarset.spec.get("namespaceSelector"):
        yield SELECTOR_IGNORED.at(path, f"it is ignored: only namespace {sidecarset.spec['namespace']} counts")
    for finding in selector_findings(spec["namespaceSelector"], path, sidecarset.release):
        # In v1alpha1 the selector was made of a name, and that is what people wrote.
        yield finding._replace(path=("spec", "namespace")) if is_by_name else finding


def _containers(spec: Object, sound: Mapping[str, Object], release: Release) -> Iterator[Finding]:
    containers, init_containers = placed(spec, "containers"), placed(spec, "initContainers")
    if not containers and not init_containers:
        yield NO_CONTAINERS.at(("spec",), "at least one container or initContainer is required")
        return
    if spec["updateStrategy"]["type"] == "RollingUpdate":
        for container, _ in init_containers:
            if is_native_sidecar(container):
                name = container.get("name", "")
                what = f'the native sidecar "{name}" cannot be updated in place'
                message = f"{what}, which RollingUpdate, the default, requires"
                yield NATIVE_SIDECAR.at(("spec", "updateStrategy", "type"), message)
    for container, path in init_containers:
        yield from _resources_policy(container, path, is_init=True)
    for container, path in containers:
        yield from sidecar_findings(container, path)
        yield from _resources_policy(container, path, is_init=False)
    yield from container_findings(containers, sound, release)
    yield from init_container_findings(init_containers, containers, sound, release)


def _resources_policy(container: Object, path: Path, *, is_init: bool) -> Iterator[Finding]:
    if "resourcesPolicy" in container:
        from sidecarctl.engine.validation.admission.resources_policy import resources_policy_findings

        yield from resources_policy_findings(container, path, is_init=is_init)


def placed(spec: Object, field: str) -> Placed:
    """The containers of one of the two lists with their paths."""
    return [(container, ("spec", field, index)) for index, container in enumerate(spec.get(field, ()))]
