"""The pods to explain, and which of them the user asks about."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.made_pods import as_created
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import kind_of, pod_template_paths
from sidecarctl.engine.facts.errors import InputError, usage_error
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place
from sidecarctl.engine.facts.values import Object, Path, path_text, value_at
from sidecarctl.engine.injection.pod_templates import Templates, pod_problems
from sidecarctl.engine.injection.selection import Identity
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.references import elsewhere, sources_of_templates
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets
from sidecarctl.engine.sidecarset.world import Located, World, refuse_unknown_sidecarsets


class Fate(StrEnum):
    """What comes after a pod that has ended or is being deleted."""

    REPLACED = "replaced"
    RETRIED = "retried"
    """It failed, and its Job creates another one, unless it has reached its limit."""
    GONE = "gone"


def fate_of(subject: "Subject") -> Fate | None:
    """What replaces a pod; None for one that keeps running, or does not exist yet."""
    metadata = subject.pod.get("metadata") or {}
    is_over = value_at(subject.pod, ("status", "phase")) in _OVER
    if not (is_over or metadata.get("deletionTimestamp")):
        return None
    kinds = {owner.get("kind") for owner in metadata.get("ownerReferences") or () if owner.get("controller")}
    if kinds & _JOBS and is_over:
        return Fate.RETRIED if value_at(subject.pod, ("status", "phase")) == "Failed" else Fate.GONE
    return Fate.REPLACED if kinds else Fate.GONE


def as_created_again(subject: "Subject") -> "Subject":
    """The pod as its owner creates it again; itself if nothing does."""
    fate = fate_of(subject)
    if fate in (None, Fate.GONE):
        return subject
    metadata, status = subject.pod.get("metadata") or {}, subject.pod.get("status") or {}
    begins = {"metadata": _without(metadata, "deletionTimestamp"), "status": _without(status, "phase")}
    return subject._replace(pod={**subject.pod, **begins}, fate=fate)


def _without(members: Object, key: str) -> Object:
    return {name: value for name, value in members.items() if name != key}


_OVER = ("Succeeded", "Failed")
_JOBS = {"Job", "BroadcastJob"}


class Subject(NamedTuple):
    """A pod, created or to be created; `source` contains it at `path`, and is None for an invented pod.

    `part`: which of several templates of the source it is; `fate`: that of the pod after which it comes
    (`as_created_again`). `assumed` are labels that it does not have in the source (`labeled`).
    """

    reference: ObjectReference
    identity: Identity
    pod: Object
    source: Located | None = None
    path: Path = ()
    part: str = ""
    fate: Fate | None = None
    assumed: Mapping[str, str] = {}

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
        return f"{self.reference}{self.part}"

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
        if len(path) > 2 and path[:2] == _LABELS and path[2] in self.assumed:
            return None
        return self.source.place((*self.path, *path)) if self.source else None

    def answers_to(self, asked: str) -> bool:
        """Whether it is the pod that `[KIND/][NAMESPACE/]NAME` names; the kind as kubectl takes it."""
        *before, name = asked.split("/")
        if name != self.reference.name:
            return False
        is_kind = bool(before) and kind_of(before[0]) == kind_of(self.reference.kind)
        if len(before) == 2:
            return is_kind and before[1] == self.identity.namespace
        return not before or is_kind or before[0] == self.identity.namespace

    @property
    def whole_name(self) -> str:
        """Its name as on a command line: `deployment/shop/web`."""
        return f"{self.reference.kind.lower()}/{self.identity.namespace}/{self.reference.name}"


def subjects_of(
    found: Iterable[Located],
    namespace: str,
    workloads: Sequence[WorkloadKind],
    again: Callable[[], Iterable[Located]] = tuple,
    remarks: list[Finding] | None = None,
) -> Iterator[Subject]:
    """The pods and pod templates of some objects; `namespace` is the default namespace.

    Those whose template is in another object come last: `again` reads all objects once more for them, `remarks` takes
    notes on what is missing. InputError for a pod that cannot be decoded.
    """
    templates = Templates(World(), namespace, workloads)
    asking: list[Located] = []
    for item in found:
        if elsewhere(item.manifest, item.reference, namespace):
            asking.append(item)
            continue
        whole = ManifestObject(item.manifest, item.path, item.reference)
        paths = pod_template_paths(item.manifest, workloads)
        for path in paths:
            pod = value_at(item.manifest, path)
            if problems := pod_problems(item.manifest, path):
                raise InputError(*item.findings(problems))
            identity = templates.identity(whole, path)
            reference = item.reference._replace(namespace=identity.namespace)
            pod = as_created(item.manifest, path, pod, identity.name)
            yield Subject(reference, identity, pod, item, path, f" {path_text(path)}" if len(paths) > 1 else "")

    if asking:
        yield from _of_others(asking, again(), templates, remarks if remarks is not None else [])


def _of_others(
    asking: Sequence[Located], every: Iterable[Located], templates: Templates, remarks: list[Finding]
) -> Iterator[Subject]:
    """The templates of workloads that are in other objects."""
    known = list(sources_of_templates(asking, every, templates.namespace))
    for item in asking:
        source = next(((target, path) for asked, target, path in known if asked is item), None)
        at = elsewhere(item.manifest, item.reference, templates.namespace)
        if source is None:
            remarks += item.findings([at.missing()] if at else [])
            continue
        target, path = source
        if problems := pod_problems(target.manifest, path):
            raise InputError(*target.findings(problems))
        identity = templates.identity(ManifestObject(item.manifest, item.path, item.reference), path)
        reference = item.reference._replace(namespace=identity.namespace)
        yield Subject(reference, identity, value_at(target.manifest, path), target, path)


def invented(namespace: str, labels: Mapping[str, str]) -> Subject:
    """A pod that does not exist, with the given labels."""
    metadata = {"namespace": namespace, "name": "invented", "labels": dict(labels)}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}
    return Subject(ObjectReference("v1", "Pod", namespace, "invented"), Identity(namespace, "invented"), pod)


_LABELS = ("metadata", "labels")


def labeled(subject: Subject, labels: Mapping[str, str]) -> Subject:
    """The pod of a workload as it would be with these labels too; UsageError for a running pod."""
    if subject.is_running:
        said = f"--labels: {subject.name} runs, and a SidecarSet injects when a pod is created"
        raise usage_error(said, hint="name its workload, as in deployment/NAME")
    metadata = subject.pod.get("metadata") or {}
    pod = {**subject.pod, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **labels}}}
    said = ", ".join(f"{key}={value}" for key, value in labels.items())
    return subject._replace(pod=pod, assumed=labels, part=f"{subject.part} with {said}")


_PASSED = 10_000
"""How many names are kept for suggestions; with more pods, similar names do not help."""


class AskedAbout(NamedTuple):
    """Pods by `[KIND/][NAMESPACE/]NAME`, none for all of them, and one SidecarSet, empty for all.

    `unclear` is the name of a SidecarSet that may be that of a pod too: it came without a kind. `known` are all
    SidecarSets, for suggestions.
    """

    pods: Sequence[str] = ()
    sidecarset: str = ""
    unclear: str = ""
    known: Collection[str] = ()

    @property
    def names(self) -> frozenset[str] | None:
        """The names of all objects that may be meant; None if every pod is."""
        asked = [*self.pods, *([self.unclear] if self.unclear else [])]
        return frozenset(item.rpartition("/")[2] for item in asked) if self.pods else None

    def named(self, found: Iterable[Located], passed: dict[str, ObjectReference]) -> Iterator[Located]:
        """The objects that may be meant; some of those that are `passed` over are kept by name, for suggestions."""
        names = self.names
        for item in found:
            if names is None or item.reference.name in names:
                yield item
            elif len(passed) < _PASSED:
                passed[item.reference.name] = item.reference

    def chosen(self, every: Iterable[Subject], passed: Mapping[str, ObjectReference] = {}) -> Iterator[Subject]:
        """The pods that are asked about, one after another; `passed` are others with their names.

        UsageError for a name that nothing has, for one that a pod and the SidecarSet have, and if there is no pod.
        """
        missing, found_any = set(self.pods), False
        others: dict[str, str] = {}
        for subject in every:
            others.setdefault(subject.reference.name, subject.whole_name)
            if self.unclear and subject.answers_to(self.unclear):
                hint = f"write sidecarset/{self.unclear}, or {subject.reference.kind.lower()}/{self.unclear}"
                raise usage_error(f"{self.unclear} is the name of a SidecarSet and of {subject.name}", hint=hint)
            answering = {pod for pod in self.pods if subject.answers_to(pod)}
            if answering or not self.pods:
                missing -= answering
                found_any = True
                yield subject
        for name in self.pods:
            if name in missing:
                hint = self._meant(name, others, passed) or "a name is [KIND/][NAMESPACE/]NAME or sidecarset/NAME"
                raise usage_error(f"{name}: no pod or workload with this name in PATHS", hint=hint)
        if not found_any:
            raise usage_error("there is neither a pod nor a workload to explain", hint="--labels invents a pod")

    def _meant(self, asked: str, others: Mapping[str, str], passed: Mapping[str, ObjectReference]) -> str:
        """Suggestions for an unknown name: an object with that name elsewhere, else one with a similar name."""
        name = asked.rpartition("/")[2]
        if name in others:
            return f"did you mean {others[name]}?"
        near = did_you_mean(name, [*passed, *self.known])
        if near in passed:
            found = passed[near]
            return f"did you mean {'/'.join(filter(None, (found.kind.lower(), found.namespace, near)))}?"
        return f"did you mean sidecarset/{near}?" if near else ""


def asked_about(
    names: Sequence[str], pods: Sequence[str], sidecarsets: Sequence[str], known: Collection[str]
) -> AskedAbout:
    """The requested objects: `names` came without a kind, `known` are the SidecarSets in force.

    UsageError for a SidecarSet that does not exist, and for two of them.
    """
    refuse_unknown_sidecarsets(sidecarsets, known, "--sidecarset")
    bare = [name for name in names if name in known]
    asked = list(dict.fromkeys([*sidecarsets, *bare]))
    if len(asked) > 1:
        raise usage_error(f"explain takes one SidecarSet, not {' and '.join(asked)}", hint="--only takes several")
    rest = [name for name in names if name not in bare]
    return AskedAbout([*pods, *rest], asked[0] if asked else "", bare[0] if bare else "", known)
