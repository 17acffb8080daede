"""What files hold, gathered: what decides, pods trimmed to what a rollout needs, workloads, nodes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, workload_of
from sidecarctl.documents.lists.json_lists import NotAListError
from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.digests import Digest
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.deciding_kinds import decides
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.objects_in_files import Blocks, objects_in
from sidecarctl.rollout.pods.trimmed_pods import trimmed_pod


class InputDigest(NamedTuple):
    """A file that was read: its name, the SHA-256 of its bytes as hex, and how many pods it held."""

    file: str
    sha256: str
    pods: int


class UnreadablePod(NamedTuple):
    """A pod that the API cannot decode; it matters only if a set selects it."""

    manifest: Object
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class Gathered:
    """What files hold. `pods` are essentials, in input order; `nodes` are the labels of each Node by name.

    `holding`: the files with any object at all. `has_templates`: there are workloads, or pods yet to be made.
    """

    deciders: list[Located] = field(default_factory=list)
    pods: list[Object] = field(default_factory=list)
    unreadable: list[UnreadablePod] = field(default_factory=list)
    nodes: dict[str, Object] = field(default_factory=dict)
    workloads: list[Located] = field(default_factory=list)
    has_templates: bool = False
    inputs: list[InputDigest] = field(default_factory=list)
    failures: list[Finding] = field(default_factory=list)
    holding: set[str] = field(default_factory=set)
    remarks: list[Finding] = field(default_factory=list)

    def add(self, other: "Gathered") -> None:
        """Put what another file holds after what was gathered so far."""
        self.deciders += other.deciders
        self.pods += other.pods
        self.unreadable += other.unreadable
        self.nodes |= other.nodes
        self.workloads += other.workloads
        self.has_templates |= other.has_templates
        self.inputs += other.inputs
        self.failures += other.failures
        self.holding |= other.holding
        self.remarks += other.remarks


@dataclass(frozen=True, slots=True)
class Gatherer:
    """`namespace` is the default namespace; `workloads` are the user's own kinds.

    Without `keeps_templates` workloads and pods that have yet to be made are seen, but their manifests are not kept.
    """

    reader: Reader
    namespace: str = "default"
    workloads: tuple[Workload, ...] = ()
    keeps_templates: bool = True

    def gathered(self, file: str, blocks: Blocks) -> Gathered:
        """What one file holds; text that cannot be read is among the failures."""
        try:
            return self._gathered(file, blocks, cuts=True)
        except NotAListError:
            return self._gathered(file, blocks, cuts=False)

    def _gathered(self, file: str, blocks: Blocks, *, cuts: bool) -> Gathered:
        digest = Digest()
        found = Gathered()
        for item in objects_in(file, blocks, self.reader, digest.update, cuts=cuts):
            found.holding.add(file)
            if isinstance(item, Finding):
                (found.failures if item.severity is Severity.ERROR else found.remarks).append(item)
            else:
                self._sort_in(item, found)
        found.inputs.append(InputDigest(file, digest.hexdigest(), len(found.pods)))
        return found

    def _sort_in(self, found: Located, gathered: Gathered) -> None:
        group, _, _ = found.reference.api_version.rpartition("/")
        kind = found.reference.kind
        if kind == "Pod" and not group:
            self._add_pod(found, gathered)
        elif decides(found.reference):
            gathered.deciders.append(found)
        elif kind == "Node" and not group:
            self._add_node(found, gathered)
        elif workload_of(found.manifest, self.workloads):
            self._add_template(found, gathered)

    @staticmethod
    def _add_node(found: Located, gathered: Gathered) -> None:
        metadata = found.manifest.get("metadata") or {}
        if problems := check(metadata, "meta.ObjectMeta", ("metadata",)):
            gathered.failures += found.findings(problems)
        else:
            gathered.nodes[found.reference.name] = metadata.get("labels") or {}

    def _add_pod(self, found: Located, gathered: Gathered) -> None:
        if problems := check(found.manifest, "core.Pod"):
            gathered.unreadable.append(UnreadablePod(found.manifest, tuple(found.findings(problems))))
        elif not found.reference.name:
            gathered.failures += found.findings([error(Reason.MISSING_FIELD, "the pod has no name", ("metadata",))])
        else:
            if not found.manifest.get("status"):  # not of a cluster: a pod that has yet to be made
                self._add_template(found, gathered)
            gathered.pods.append(trimmed_pod(found.manifest, self.namespace))

    def _add_template(self, found: Located, gathered: Gathered) -> None:
        gathered.has_templates = True
        if self.keeps_templates:
            gathered.workloads.append(found)

    def together(self, sources: Iterable[Input]) -> Gathered:
        """What some files hold together; a file that cannot be opened is among the failures."""
        result = Gathered()
        for source in sources:
            try:
                result.add(self.gathered(source.name, source.blocks))
            except SidecarctlError as fault:
                result.failures += fault.findings
        return result
