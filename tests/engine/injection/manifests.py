"""Small sets and pods, and the results for them."""

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import PodInjection, inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import select
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE, INJECTED_LIST

RECORDS = {HASH, HASH_WITHOUT_IMAGE, INJECTED_LIST}
"""The annotations that every injected pod has."""


def sidecar(name: str = "agent", **fields: Value) -> Object:
    return {"name": name, "image": f"registry.example.com/{name}:1.0", **fields}


def sidecarset(
    name: str = "logging", *containers: Object, annotations: Object | None = None, **spec: Value
) -> Object:
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "containers": list(containers), **spec},
    }


def pod(*containers: Object, metadata: Object | None = None, **spec: Value) -> Object:
    own = list(containers) or [{"name": "web", "image": "registry.example.com/web:1.0"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-0", "namespace": "shop", "labels": {"app": "web"}, **(metadata or {})},
        "spec": {"containers": own} | spec,
    }


def context(*sets: Object, options: InjectionOptions | None = None, release: Release = DEFAULT) -> InjectionContext:
    return InjectionContext([admit(item, release) for item in sets], options=options)


def injected(manifest: Object, world: InjectionContext) -> PodInjection:
    return inject(manifest, select(manifest, world), world)


def reasons(injection: PodInjection) -> list[Reason]:
    return [finding.reason for finding in injection.findings]
