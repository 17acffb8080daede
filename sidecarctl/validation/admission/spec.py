"""A whole SidecarSet, in the order in which Kruise looks at it.

Rules about what few SidecarSets have are loaded for those: every `inject` comes through here.
Source: docs/behaviour/validation.md.
"""

from collections.abc import Iterator, Mapping

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.admission.canaries import canary_findings
from sidecarctl.validation.admission.containers.containers import Placed, container_findings, init_container_findings
from sidecarctl.validation.admission.injection_strategy import injection_strategy_findings
from sidecarctl.validation.admission.metadata import metadata_findings
from sidecarctl.validation.admission.selectors import pod_selector_findings, selector_findings
from sidecarctl.validation.admission.sidecars import sidecar_findings
from sidecarctl.validation.admission.update_strategy import update_strategy_findings
from sidecarctl.validation.admission.volumes.volumes import volume_findings
from sidecarctl.validation.given import Given, labels_in_v1beta1, spec_in_v1beta1
from sidecarctl.validation.rules import kruise

NO_CONTAINERS = kruise(
    "no-containers",
    "A SidecarSet has a container or an initContainer.",
    why="It would inject nothing.",
    mend="write containers: [{name: log-agent, image: ...}]",
    within="spec",
    fails="containers: []",
    passes="containers: [{name: log-agent, image: log-agent:1.2}]",
)
NATIVE_SIDECAR = kruise(
    "native-sidecar-rolling-update",
    "A SidecarSet with a native sidecar has updateStrategy.type NotUpdate.",
    why="initContainers cannot be updated in place, and RollingUpdate, which is also the default, promises that.",
    mend="write updateStrategy: {type: NotUpdate}; new pods get the new version",
    within="spec",
    fails="initContainers: [{name: proxy, image: 'proxy:1', restartPolicy: Always}]",
    passes="{initContainers: [{name: proxy, image: 'proxy:1', restartPolicy: Always}], "
    "updateStrategy: {type: NotUpdate}}",
)


def refusals(sidecarset: SidecarSet, given: Given, by_name: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """What Kruise and the API server refuse in one SidecarSet, conflicts with others apart."""
    spec = spec_in_v1beta1(sidecarset)
    yield from metadata_findings(sidecarset.metadata)
    yield from canary_findings(sidecarset, by_name)
    yield from _selectors(spec, is_by_name=bool(sidecarset.spec.get("namespace")))
    yield from update_strategy_findings(spec["updateStrategy"])
    yield from injection_strategy_findings(sidecarset, given.revisions)
    if "patchPodMetadata" in spec:
        from sidecarctl.validation.admission.metadata_patches import metadata_patch_findings

        yield from metadata_patch_findings(spec["patchPodMetadata"], labels_in_v1beta1(sidecarset), given)
    volumes, sound = volume_findings(spec.get("volumes", ()))
    yield from volumes
    yield from _containers(spec, sound)


def _selectors(spec: Object, *, is_by_name: bool) -> Iterator[Finding]:
    yield from pod_selector_findings(spec)
    if "namespaceSelector" in spec:
        for finding in selector_findings(spec["namespaceSelector"], ("spec", "namespaceSelector")):
            # In v1alpha1 the selector was made of a name, and that is what people wrote.
            yield finding._replace(path=("spec", "namespace")) if is_by_name else finding


def _containers(spec: Object, sound: Mapping[str, Object]) -> Iterator[Finding]:
    containers, init_containers = placed(spec, "containers"), placed(spec, "initContainers")
    if not containers and not init_containers:
        yield NO_CONTAINERS.at(("spec",), "there is neither a container nor an initContainer")
        return
    if spec["updateStrategy"]["type"] == "RollingUpdate":
        for container, _ in init_containers:
            if is_native_sidecar(container):
                name = container.get("name", "")
                message = f'the native sidecar "{name}" cannot be updated in place, as RollingUpdate asks'
                yield NATIVE_SIDECAR.at(("spec", "updateStrategy", "type"), message)
    for container, path in init_containers:
        yield from _resources_policy(container, path, is_init=True)
    for container, path in containers:
        yield from sidecar_findings(container, path)
        yield from _resources_policy(container, path, is_init=False)
    yield from container_findings(containers, sound)
    yield from init_container_findings(init_containers, containers, sound)


def _resources_policy(container: Object, path: Path, *, is_init: bool) -> Iterator[Finding]:
    if "resourcesPolicy" in container:
        from sidecarctl.validation.admission.resources_policy import resources_policy_findings

        yield from resources_policy_findings(container, path, is_init=is_init)


def placed(spec: Object, field: str) -> Placed:
    """The containers of one of the two lists with their paths."""
    return [(container, path_of(field, index)) for index, container in enumerate(spec.get(field, ()))]


def path_of(field: str, index: int) -> Path:
    """The path of a container."""
    return ("spec", field, index)
