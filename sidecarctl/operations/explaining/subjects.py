"""The pods to explain: running pods, pods of a workload template, and invented pods."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, pod_template_paths
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.named_tuples import NamedTuple
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
    """A pod, created or to be created; `source` contains it at `path`, and is None for an invented pod."""

    reference: ObjectReference
    identity: Identity
    pod: Object
    source: Located | None = None
    path: Path = ()

    @property
    def is_running(self) -> bool:
        """Whether it is a pod of a cluster: it has a status, or an injection recorded on it."""
        return self.reference.kind == "Pod" and bool(self.pod.get("status") or self.recorded)

    @property
    def recorded(self) -> Collection[str]:
        """The SidecarSets that the pod records as injected."""
        return injected_sets(value_at(self.pod, ("metadata", "annotations", INJECTED_LIST)))

    @property
    def name(self) -> str:
        """The name of the pod for people: `Deployment shop/web`, `Pod shop/web-0`."""
        return str(self.reference)

    @property
    def names_no_namespace(self) -> bool:
        """Whether its manifest names no namespace, so that one is assumed."""
        return self.source is not None and not value_at(self.source.manifest, ("metadata", "namespace"))

    @property
    def place_of_object(self) -> Place | None:
        """Where the object that contains it begins."""
        return self.source.place() if self.source else None

    def place(self, path: Path = ()) -> Place | None:
        """The place of a field of the pod."""
        return self.source.place((*self.path, *path)) if self.source else None

    def answers_to(self, asked: str) -> bool:
        """Whether it is the pod that `[KIND/]NAME` or `NAMESPACE/NAME` names."""
        first, slash, name = asked.rpartition("/")
        if name != self.reference.name:
            return False
        return not slash or first in (self.identity.namespace, self.reference.kind, self.reference.kind.lower())


def subjects_of(found: Iterable[Located], namespace: str, workloads: Sequence[Workload]) -> Iterator[Subject]:
    """The pods and pod templates of some objects; `namespace` is the default namespace.

    InputError for a pod that cannot be decoded.
    """
    templates = Templates(World(), namespace, workloads)
    for item in found:
        whole = ManifestObject(item.manifest, item.path, item.reference)
        for path in pod_template_paths(item.manifest, workloads):
            pod = value_at(item.manifest, path)
            if problems := check(pod, "core.Pod"):
                raise InputError(*item.findings(each._replace(path=(*path, *each.path)) for each in problems))
            identity = templates.identity(whole, path)
            reference = item.reference._replace(namespace=identity.namespace)
            yield Subject(reference, identity, pod, item, path)


def invented(namespace: str, labels: Mapping[str, str]) -> Subject:
    """A pod that does not exist, with the given labels."""
    metadata = {"namespace": namespace, "name": "invented", "labels": dict(labels)}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}
    return Subject(ObjectReference("v1", "Pod", namespace, "invented"), Identity(namespace, "invented"), pod)
