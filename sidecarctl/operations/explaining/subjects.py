"""The pods that are asked about: running ones, those of a workload's template, and invented ones."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, pod_template_paths
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.values import Object
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import World
from sidecarctl.operations.transforming.pod_templates import Templates
from sidecarctl.sidecarset.annotations.pod_annotations import INJECTED_LIST, injected_sets


class Subject(NamedTuple):
    """A pod, created or to be created; `source` is the object that holds it at `path`, None for an invented pod."""

    reference: ObjectReference
    identity: Identity
    pod: Object
    source: Located | None = None
    path: Path = ()

    @property
    def is_running(self) -> bool:
        """Whether it is a pod of a cluster: it has a status, or something is recorded on it."""
        return self.reference.kind == "Pod" and bool(self.pod.get("status") or self.recorded)

    @property
    def recorded(self) -> Collection[str]:
        """The SidecarSets that the pod records as injected."""
        return injected_sets(value_at(self.pod, ("metadata", "annotations", INJECTED_LIST)))

    @property
    def name(self) -> str:
        """The pod as people name it: `Deployment shop/web`, `Pod shop/web-0`."""
        return str(self.reference)

    @property
    def place_of_object(self) -> Place | None:
        """Where the object begins that holds it."""
        return self.source.place() if self.source else None

    def place(self, path: Path = ()) -> Place | None:
        """Where a field of the pod stands."""
        return self.source.place((*self.path, *path)) if self.source else None

    def answers_to(self, asked: str) -> bool:
        """Whether it is the pod that `[KIND/]NAME` or `NAMESPACE/NAME` asks for."""
        first, slash, name = asked.rpartition("/")
        if name != self.reference.name:
            return False
        return not slash or first in (self.identity.namespace, self.reference.kind, self.reference.kind.lower())


def subjects_of(found: Iterable[Located], namespace: str, workloads: Sequence[Workload]) -> Iterator[Subject]:
    """The pods and pod templates of some objects; `namespace` is that of objects that name none.

    InputError for a pod that cannot be decoded.
    """
    templates = Templates(World(), namespace, workloads)
    for one in found:
        whole = ManifestObject(one.manifest, one.path, one.reference)
        for path in pod_template_paths(one.manifest, workloads):
            pod = value_at(one.manifest, path)
            if problems := check(pod, "core.Pod"):
                raise InputError(*one.findings(each._replace(path=(*path, *each.path)) for each in problems))
            identity = templates.identity(whole, path)
            reference = one.reference._replace(namespace=identity.namespace)
            yield Subject(reference, identity, pod, one, path)


def invented(namespace: str, labels: Mapping[str, str]) -> Subject:
    """A pod that does not exist, of some labels."""
    metadata = {"namespace": namespace, "name": "invented", "labels": dict(labels)}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}
    return Subject(ObjectReference("v1", "Pod", namespace, "invented"), Identity(namespace, "invented"), pod)
