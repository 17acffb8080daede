"""Objects that a SidecarSet needs in the namespaces of its pods: Secrets, ConfigMaps, volume claims.

No field of a SidecarSet names a service account: a serviceAccountToken volume takes that of the pod.

Source: docs/behavior/injection.md, "What is written": they are looked up in the namespace of each pod.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.validation.pods.matched import Match, namespace_of, stream
from sidecarctl.engine.validation.rules import warned

_STREAM = stream(
    "imagePullSecrets: [{{name: registry}}]\n  containers: [{{name: agent, image: 'agent:1.2'}}]",
    """\
apiVersion: v1
kind: Secret
metadata: {{name: registry, namespace: {namespace}}}
""",
)

MISSING = warned(
    "object-missing",
    "Missing object",
    "Objects that a SidecarSet refers to exist in every namespace of its pods.",
    why="Secrets, ConfigMaps and claims are looked up in the namespace of the pod. If one is missing and not "
    "optional, the pod cannot start. Only kinds that occur among the inputs are checked. A SidecarSet cannot name a "
    "service account: its containers use that of the pod.",
    mend="create it in each of these namespaces, mark the reference optional, or narrow the namespaceSelector",
    within="stream",
    fails=_STREAM.format(namespace="other"),
    passes=_STREAM.format(namespace="shop"),
)


_CREATE = "create it in each of these namespaces, or narrow the namespaceSelector"
"""How to fix a reference that cannot be optional."""


class Needed(NamedTuple):
    """An object that must be in the namespace of a pod."""

    kind: str
    name: str
    path: Path
    mend: str = ""


def reference_findings(match: Match, others: Mapping[str, Sequence[Object]]) -> Iterator[Finding]:
    """Each object that a SidecarSet needs and that is missing in a namespace of its pods."""
    there = {
        kind: {(namespace_of(item), (item.get("metadata") or {}).get("name") or "") for item in objects}
        for kind, objects in others.items()
    }
    namespaces = sorted({namespace_of(pod.manifest) for pod in match.pods})
    for needed in needs(match.spec):
        lacking = [
            name for name in namespaces if (name, needed.name) not in there.get(needed.kind, {(name, needed.name)})
        ]
        if lacking:
            message = f"{needed.kind} {needed.name} not found in {', '.join(lacking[:3])}"
            more = f" and {len(lacking) - 3} more namespaces" if len(lacking) > 3 else ""
            yield MISSING.at(needed.path, message + more, needed.mend)


def needs(spec: Object) -> Iterator[Needed]:
    """The objects that a spec in v1beta1 refers to and that are not optional."""
    for index, secret in enumerate(spec.get("imagePullSecrets", ())):
        path = ("spec", "imagePullSecrets", index, "name")
        yield Needed("Secret", secret.get("name", ""), path, _CREATE)
    for field in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(field, ())):
            yield from _of_container(container, ("spec", field, index))
    for index, volume in enumerate(spec.get("volumes", ())):
        yield from _of_volume(volume, ("spec", "volumes", index))


def _of_container(container: Object, path: Path) -> Iterator[Needed]:
    for index, variable in enumerate(container.get("env", ())):
        where = (*path, "env", index, "valueFrom")
        yield from _references(variable.get("valueFrom", {}), "KeyRef", where)
    for index, entry in enumerate(container.get("envFrom", ())):
        yield from _references(entry, "Ref", (*path, "envFrom", index))


def _references(source: Object, ending: str, path: Path) -> Iterator[Needed]:
    for kind, field in (("Secret", f"secret{ending}"), ("ConfigMap", f"configMap{ending}")):
        if field in source and not source[field].get("optional"):
            yield Needed(kind, source[field].get("name", ""), (*path, field, "name"))


def _of_volume(volume: Object, path: Path) -> Iterator[Needed]:
    yield from _named(volume, "secret", "Secret", "secretName", path)
    yield from _named(volume, "configMap", "ConfigMap", "name", path)
    yield from _named(volume, "persistentVolumeClaim", "PersistentVolumeClaim", "claimName", path)
    yield from _named(volume, "azureFile", "Secret", "secretName", path)
    for kind, source in volume.items():
        for field in ("secretRef", "nodePublishSecretRef") if isinstance(source, dict) else ():
            yield from _named(source, field, "Secret", "name", (*path, kind))
    for index, source in enumerate(volume.get("projected", {}).get("sources") or ()):
        where = (*path, "projected", "sources", index)
        yield from _named(source, "secret", "Secret", "name", where)
        yield from _named(source, "configMap", "ConfigMap", "name", where)


def _named(source: Object, field: str, kind: str, name: str, path: Path) -> Iterator[Needed]:
    if field in source and not source[field].get("optional"):
        yield Needed(kind, source[field].get(name, ""), (*path, field, name))
