"""A SidecarSet, pods, and the objects beside them in their namespace, for rules about pods."""

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.checking import check
from tests.engine.validation.examples import given_by, sound_set


def pod(*containers: Object, name: str = "one", **spec: Value) -> Object:
    """A pod of namespace shop that the SidecarSet selects."""
    every = [{"name": "main", "image": "main:1"}, *containers]
    metadata = {"name": name, "namespace": "shop", "labels": {"app": "web"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": every, **spec}}


def agent(**fields: Value) -> Object:
    """A SidecarSet with one container, which has some fields."""
    return sound_set(containers=[{"name": "agent", "image": "agent:1.2", **fields}])


def found(rule: str, given: World) -> list[Finding]:
    """The findings of a rule about SidecarSets."""
    return [item for checked in check(given) for item in checked.findings if item.rule == rule]


def messages(rule: str, *documents: Object) -> list[str]:
    """The messages of a rule about some documents."""
    return [item.message for item in found(rule, given_by(documents))]


def service(target: Value, **port: Value) -> Object:
    """A Service for the pods, with a targetPort."""
    ports = [{"port": 80, "targetPort": target, **port}]
    spec = {"selector": {"app": "web"}, "ports": ports}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"}, "spec": spec}


def deployment(resources: Object, **spec: Value) -> Object:
    """A Deployment of such pods, with resources."""
    container = {"name": "main", "image": "main:1", "resources": resources}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container], **spec}}
    metadata = {"name": "web", "namespace": "shop"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"template": template}}


def limit_range(**item: Value) -> Object:
    """A LimitRange of their namespace."""
    metadata = {"name": "range", "namespace": "shop"}
    spec = {"limits": [{"type": "Container", **item}]}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": spec}


def scaler(*metrics: Object, kind: str = "Deployment", version: str = "v2") -> Object:
    """A HorizontalPodAutoscaler of the Deployment."""
    target = {"apiVersion": "apps/v1", "kind": kind, "name": "web"}
    spec = {"scaleTargetRef": target, "metrics": list(metrics)}
    metadata = {"name": "web", "namespace": "shop"}
    api = f"autoscaling/{version}"
    return {"apiVersion": api, "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}


def share_of(name: str, container: str = "", kind: str = "Utilization") -> Object:
    """A metric: the utilization of a resource."""
    source = {"name": name, "target": {"type": kind}}
    if container:
        return {"type": "ContainerResource", "containerResource": {**source, "container": container}}
    return {"type": "Resource", "resource": source}


def env(*pairs: tuple[str, str]) -> list[Object]:
    """Entries of env."""
    return [{"name": name, "value": value} for name, value in pairs]
