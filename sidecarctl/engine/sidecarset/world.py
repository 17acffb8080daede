"""The world of a run: everything that decides about pods, and where it was read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.facts.errors import placed, usage_error
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place, RuleSettings, reference_of
from sidecarctl.engine.facts.values import Object, Path, Value, natural
from sidecarctl.engine.files.inputs import FROM
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.engine.sidecarset.sets import WHITELIST, SidecarSet
from sidecarctl.engine.sidecarset.webhook_scope import WebhookScope

_COMMAND = "kubectl "  # what begins the name of an input that is an answer of the cluster


class Located(NamedTuple):
    """An object, with its file and its path in a document of that file."""

    manifest: Object
    reference: ObjectReference
    file: str
    document: Document
    path: Path

    def place(self, path: Path = ()) -> Place:
        """File, line and column of one of its fields; without lines of what kubectl answered or was rendered."""
        if self.file.startswith(_COMMAND) or FROM in self.file:
            return Place(self.file)
        return self.document.place((*self.path, *path))._replace(file=self.file)

    def findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings about its fields, with the object and the place."""
        return placed(findings, self.reference, self.place)


def namespace_reference(name: str) -> ObjectReference:
    """The reference of a Namespace."""
    return ObjectReference("v1", "Namespace", "", name)


class Template(NamedTuple):
    """What is known about the pods of a template: their workload, and whether their controller is one of Kruise's."""

    is_kruises: bool
    workload: ObjectReference


def nowhere(_path: Path) -> Place | None:
    """The place of a field of an object that is not from a file."""
    return None


class GivenPod(NamedTuple):
    """A pod, or the equal pods that a workload makes from a template.

    - `manifest` has passed `decoding.check`. That of a template has the kind and name of the workload, so that
      messages name it, and the labels that its controller adds.
    - `number`: how many they are; `is_number_known`: whether that is certain.
    - `template`: None for a pod; `path`: its place in the workload.
    - `place`: where a field of the object is.
    - `holder`: the object that the template is in; empty for a pod.
    """

    manifest: Object
    number: int = 1
    is_number_known: bool = True
    template: Template | None = None
    path: Path = ()
    place: Callable[[Path], Place | None] = nowhere
    holder: Mapping[str, Value] = {}

    @property
    def reference(self) -> ObjectReference:
        """The pod, or the workload."""
        return reference_of(self.manifest)


class World(NamedTuple):
    """What decides about pods, all inputs together; for a validation also the objects that it is about.

    SidecarSets are admitted, in the natural order of their names; namespaces are their labels by name. A validation
    has SidecarSets of either version, and those that Kruise would reject.
    """

    sidecarsets: Sequence[SidecarSet] = ()
    namespaces: Mapping[str, Mapping[str, str]] = {}
    revisions: tuple[Revision, ...] = ()
    sources: Mapping[str, Located] = {}
    """Where each SidecarSet was read, by its name."""
    others: Mapping[ObjectReference, Located] = {}
    """Where each Namespace was read, and each ConfigMap of the whitelist's name or key, also if it is not read."""
    budgets: tuple[Located, ...] = ()
    """The PodUnavailableBudgets."""
    webhook: WebhookScope = WebhookScope()
    """Which pods Kruise's webhook sees."""
    release: Release = DEFAULT
    """The Kruise that admitted all of it."""
    gates: frozenset[str] = frozenset()
    """The feature gates that a validation is for."""
    rules: RuleSettings = RuleSettings()
    remarks: tuple[Finding, ...] = ()
    """Warnings about the documents that were read."""
    gaps: tuple[Finding, ...] = ()
    """Features of the SidecarSets that this release does not know: errors, or warnings if allowed."""

    pods: Sequence[GivenPod] = ()
    """Pods, and those that workloads would create, to validate; without them the checks of pods are skipped."""
    objects: Mapping[str, Sequence[Object]] = {}
    """All other objects of a validation, such as Secrets and Services, by kind."""
    older: Mapping[str, SidecarSet] = {}
    """The SidecarSets before the update that is validated, by name."""

    @property
    def whitelist(self) -> Object | None:
        """The ConfigMap that says which annotations may be patched, if it is among the inputs."""
        found = self.others.get(WHITELIST)
        return found.manifest if found else None

    @property
    def by_name(self) -> Mapping[str, SidecarSet]:
        """The SidecarSets by their names."""
        return {sidecarset.name: sidecarset for sidecarset in self.sidecarsets}

    def namespace_source(self, name: str) -> Located | None:
        """Where a Namespace was read."""
        return self.others.get(namespace_reference(name))


def chosen_sidecarsets(world: World, only: Sequence[str], option: str = "--only") -> list[SidecarSet]:
    """The SidecarSets with these names, or all if there are no names; UsageError for an unknown name."""
    refuse_unknown_sidecarsets(only, [sidecarset.name for sidecarset in world.sidecarsets], option)
    return [sidecarset for sidecarset in world.sidecarsets if not only or sidecarset.name in only]


def refuse_unknown_sidecarsets(only: Iterable[str], known: Iterable[str], option: str = "--only") -> None:
    """UsageError for an unknown name of a SidecarSet; `option` is where it was named."""
    names = sorted(set(known), key=natural)
    for name in only:
        if name not in names:
            meant = did_you_mean(name, names)
            hint = f"did you mean {meant}?" if meant else f"SidecarSets: {', '.join(names)}" if names else ""
            raise usage_error(f"{option} {name}: SidecarSet not found", hint=hint)
