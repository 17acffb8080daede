"""Reads everything in files: the world, and pods, workloads and nodes.

Pods are trimmed as they are read, so that very many of them fit into memory.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.label_selectors import as_labels
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import workload_of
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import NotAListError
from sidecarctl.engine.facts.errors import InputError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding, Severity, error, has_name, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import Digest
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.workers import spread_files
from sidecarctl.engine.inputs.events import GROUPS, Event, event_of
from sidecarctl.engine.inputs.first_look import EVERYTHING, FirstLook
from sidecarctl.engine.inputs.manifests import unlimited
from sidecarctl.engine.inputs.objects import Blocks, Unplaced, every_object, objects_in
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading, empty_side, no_manifests, no_manifests_note, without_manifest
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod, trimmed_workload
from sidecarctl.engine.inputs.unknown_templates import kind_refused, summed_up, unknown_templates
from sidecarctl.engine.inputs.world import decides, is_sidecarset, without_yielding
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet
from sidecarctl.engine.sidecarset.world import Located, World

_DISRUPTION_BUDGET = "PodDisruptionBudget"
_LOOKED_AT = frozenset(("Node", "Event", _DISRUPTION_BUDGET))


class InputDigest(NamedTuple):
    """A file that was read: its name, the SHA-256 of its bytes as hex, and how many pods it held."""

    file: str
    sha256: str
    pods: int


class UnreadablePod(NamedTuple):
    """A pod that the API cannot decode, which matters only if a set selects it."""

    manifest: Object
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class PodInputs:
    """What the files hold: pods (trimmed) in input order, each once; workloads, and what could not be read.

    A pod without status may not exist yet, so it is among the workloads too; `has_templates`: there is either, even
    if they are not kept. `unreadable` pods matter only if a SidecarSet selects them. `nodes`:
    the labels of each Node by name. `events`: those about pods and SidecarSets. `owners`: workloads, trimmed. The
    `deciders` make the `world`; `live` has the SidecarSets of the cluster, also those that the files have too.
    `holding`: the files with any object at all.
    """

    world: World = field(default_factory=World)
    live: World = field(default_factory=World)
    deciders: list[Located] = field(default_factory=list)
    pods: list[Object] = field(default_factory=list)
    unreadable: list[UnreadablePod] = field(default_factory=list)
    nodes: dict[str, Object] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    disruption_budgets: list[Located] = field(default_factory=list)
    workloads: list[Located] = field(default_factory=list)
    owners: list[Object] = field(default_factory=list)
    has_templates: bool = False
    digests: list[InputDigest] = field(default_factory=list)
    failures: list[Finding] = field(default_factory=list)
    remarks: list[Finding] = field(default_factory=list)
    unknown: list[Finding] = field(default_factory=list)
    holding: set[str] = field(default_factory=set)

    def add(self, other: "PodInputs") -> None:
        """Append the contents of another file."""
        self.deciders += other.deciders
        self.pods += other.pods
        self.unreadable += other.unreadable
        self.nodes |= other.nodes
        self.events += other.events
        self.disruption_budgets += other.disruption_budgets
        self.workloads += other.workloads
        self.owners += other.owners
        self.has_templates |= other.has_templates
        self.digests += other.digests
        self.failures += other.failures
        self.remarks += other.remarks
        self.unknown += other.unknown
        self.holding |= other.holding

    def whole(self, only: Sequence[str] = ()) -> "PodInputs":
        """These inputs; InputError with everything that could not be read, if anything.

        Pods that cannot be decoded count if one of the SidecarSets (of these names; all for none) may select them.
        """
        chosen = [sidecarset for sidecarset in self.world.sidecarsets if not only or sidecarset.name in only]
        if failures := [*self.failures, *unreadable_pods(chosen, self.world, self.unreadable)]:
            raise InputError(*dict.fromkeys([*failures, *self.world.remarks]))
        return self


@dataclass(frozen=True, slots=True)
class Gatherer:
    """`namespace` is the default namespace; `workloads` are the user's own kinds.

    Without `keeps_templates`, workloads and pods that do not exist yet are noticed, but their manifests are not kept.
    With `keeps_containers` those of pods keep all their fields. `jobs`: how many processes read; 0 for as many as
    pay off.
    """

    reader: Reader
    namespace: str = "default"
    workloads: tuple[WorkloadKind, ...] = ()
    keeps_templates: bool = True
    look: FirstLook = EVERYTHING
    keeps_containers: bool = False
    jobs: int = 1

    def gathered(self, file: str, blocks: Blocks) -> PodInputs:
        """The contents of one file; text that cannot be read is among the failures."""
        try:
            return self._gathered(file, blocks, cuts=True)
        except NotAListError:
            return self._gathered(file, blocks, cuts=False)

    def _gathered(self, file: str, blocks: Blocks, *, cuts: bool) -> PodInputs:
        digest = Digest()
        found = PodInputs()
        for item in objects_in(file, blocks, self.reader, self.look.using(_LOOKED_AT), digest.update, cuts=cuts):
            if not (isinstance(item, Finding) and item.severity is Severity.NOTE):
                found.holding.add(file)
            if isinstance(item, Finding):
                (found.failures if item.severity is Severity.ERROR else found.remarks).append(item)
            else:
                self._sort_in(item, found)
        found.digests.append(InputDigest(file, digest.hexdigest(), len(found.pods)))
        return found

    def _sort_in(self, found: Located, gathered: PodInputs) -> None:
        group, _, _ = found.reference.api_version.rpartition("/")
        kind = found.reference.kind
        if kind == "Pod" and not group:
            self._add_pod(found, gathered)
        elif decides(found.reference, found.manifest):
            gathered.deciders.append(found)
        elif kind == "Node" and not group:
            self._add_node(found, gathered)
        elif kind == "Event" and group in GROUPS:
            event = event_of(found.manifest)
            gathered.events += [event] if event else []
        elif kind == _DISRUPTION_BUDGET and group == "policy":
            gathered.disruption_budgets.append(found)
        elif problem := kind_refused(found.manifest, found.reference, self.workloads):
            gathered.failures += found.findings([problem])
        else:
            gathered.unknown += found.findings(unknown_templates(found.manifest, found.reference, self.workloads))
            if workload_of(found.manifest, self.workloads):
                self._add_template(found, gathered)
                if not check(found.manifest.get("metadata") or {}, "meta.ObjectMeta"):
                    gathered.owners.append(trimmed_workload(found.manifest))

    @staticmethod
    def _add_node(found: Located, gathered: PodInputs) -> None:
        metadata = found.manifest.get("metadata") or {}
        if problems := check(metadata, "meta.ObjectMeta", ("metadata",)):
            gathered.failures += found.findings(problems)
        else:
            gathered.nodes[found.reference.name] = as_labels(metadata.get("labels"))

    def _add_pod(self, found: Located, gathered: PodInputs) -> None:
        if problem := kind_refused(found.manifest, found.reference):
            gathered.failures += found.findings([problem])
        elif problems := check(found.manifest, "core.Pod"):
            gathered.unreadable.append(UnreadablePod(found.manifest, tuple(found.findings(problems))))
        elif not found.reference.name:
            gathered.failures += found.findings([error(Reason.MISSING_FIELD, "the pod has no name", ("metadata",))])
        else:
            if not found.manifest.get("status"):  # not from a cluster: a pod that does not exist yet
                self._add_template(found, gathered)
            gathered.pods.append(trimmed_pod(found.manifest, self.namespace, whole_containers=self.keeps_containers))

    def _add_template(self, found: Located, gathered: PodInputs) -> None:
        gathered.has_templates = True
        if self.keeps_templates:
            gathered.workloads.append(found)

    def sorted(self, objects: Iterable[Located]) -> PodInputs:
        """The contents of objects that were read before, as one value."""
        result = PodInputs()
        for found in objects:
            self._sort_in(found, result)
        return result

    def together(self, sources: Sequence[Input]) -> PodInputs:
        """The contents of some files, as one value; a file that cannot be opened is among the failures."""
        result = PodInputs()
        with closing(spread_files(self._of_file, sources, self.jobs)) as every:
            for found in every:
                result.add(found)
        return result

    def _of_file(self, source: Input) -> PodInputs:
        try:
            return replace(self, reader=source.reader(self.reader)).gathered(source.name, source.blocks)
        except SidecarctlError as fault:
            return PodInputs(failures=[*fault.findings])


def read_inputs(
    sources: Sources[Input], how: Reading, *, keeps_templates: bool = True, keeps_containers: bool = False
) -> PodInputs:
    """Everything in the files, and in the cluster; of that no SidecarSet that the files have too.

    What could not be read is among the failures: `Inputs.whole` refuses them. Manifests of workloads and of pods that
    do not exist yet take many times the memory of running pods: without `keeps_templates` they are not kept.
    With `keeps_containers` the containers of pods keep all their fields.
    """
    gatherer = Gatherer(
        how.reader, how.namespace, how.workloads, keeps_templates, how.look, keeps_containers, how.jobs
    )
    found = gatherer.together(sources.every)
    found.deciders, replaced = without_yielding(found.deciders, sources.yielding)
    answers = replace(gatherer, reader=unlimited(how.reader), look=EVERYTHING, jobs=1).together(sources.live.inputs)
    now, _ = how.world(filter(is_sidecarset, answers.deciders), ())
    given = {located.reference.name for located in found.deciders if is_sidecarset(located)}
    answers.deciders = [
        located for located in answers.deciders if not (is_sidecarset(located) and located.reference.name in given)
    ]
    found.add(answers)
    older = gatherer.together(sources.older)
    world, faults = how.world(found.deciders, filter(is_sidecarset, older.deciders))
    found.workloads, twice = _workloads_once(found.workloads, how.namespace)
    readable, strange = no_manifests(found.failures, sources.every)
    found.holding -= {*strange}
    failures = [*readable, *older.failures, *faults]
    remarks = [
        *no_manifests_note(strange),
        *sources.remarks,
        *replaced,
        *found.remarks,
        *twice,
        *summed_up(found.unknown),
    ]
    if not how.allow_empty:
        holding = found.holding | older.holding
        unread = {finding.place.file for finding in failures if finding.place}
        failures += without_manifest([*sources.every, *sources.older], holding | unread, how.reader)
        for finding in [] if failures else empty_side(sources, holding):
            (failures if finding.severity is Severity.ERROR else remarks).append(finding)
    world = world._replace(remarks=tuple(remarks))
    found.pods, doubled = _once(found.pods)
    if doubled:
        failures += _also_defined(doubled, _located_pods(sources, how), how.namespace)
    found.world, found.live, found.failures = world, now, failures
    return found


def inputs_of(objects: Iterable[Located], how: Reading, world: World) -> PodInputs:
    """The inputs from objects that were read before, with a known world; InputError for invalid ones."""
    objects = list(objects)
    found = Gatherer(how.reader, how.namespace, how.workloads).sorted(objects)
    found.pods, doubled = _once(found.pods)
    found.failures += _also_defined(doubled, objects, how.namespace)
    found.workloads, twice = _workloads_once(found.workloads, how.namespace)
    found.world = world._replace(remarks=(*world.remarks, *twice))
    return found.whole()


def older_sidecarsets(sources: Sources[Input], how: Reading) -> list[Located]:
    """The earlier manifests of SidecarSets, in their order; InputError with everything that cannot be read."""
    older = Gatherer(how.reader, how.namespace, how.workloads, look=how.look).together(sources.older)
    found = [located for located in older.deciders if is_sidecarset(located)]
    _, faults = how.world((), found)
    if failures := [*older.failures, *faults]:
        raise InputError(*failures)
    return found


def world_of_manifest(manifest: Object, name: str, how: Reading) -> World:
    """The world of one SidecarSet that is not from a file; findings use `name` as its place.

    InputError if it cannot be decoded.
    """
    world, faults = how.world([Located(manifest, reference_of(manifest), name, Unplaced(manifest), ())])
    if faults:
        raise InputError(*faults)
    return world


def unreadable_pods(
    sidecarsets: Iterable[SidecarSet], world: World, unreadable: Iterable[UnreadablePod]
) -> list[Finding]:
    """The errors of pods that cannot be decoded, if one of the SidecarSets may select them."""
    matchers = [Matcher(sidecarset, world.namespaces) for sidecarset in sidecarsets]
    return [
        finding
        for pod in unreadable
        for finding in pod.findings
        if any(_may_select(matcher, pod) for matcher in matchers)
    ]


def whole_pods(sources: Sources[Input], how: Reading) -> Iterator[Object]:
    """All pods of the inputs, read again untrimmed."""
    return (pod.manifest for pod in _located_pods(sources, how))


def _located_pods(sources: Sources[Input], how: Reading) -> Iterator[Located]:
    for files, reader in ((sources.every, how.reader), (sources.live.inputs, unlimited(how.reader))):
        for source in files:
            for found in every_object(source.name, source.blocks, source.reader(reader), how.look):
                if isinstance(found, Located) and found.reference.kind == "Pod":
                    yield found


def is_pod_to_be(pod: Object) -> bool:
    """Whether a pod does not run yet, but is a manifest for one."""
    return not pod.get("status")


def _once(pods: Iterable[Object]) -> tuple[list[Object], set[tuple[str, str]]]:
    """The pods, each once, and the names of those with different content; those without a name all differ."""
    found: dict[tuple[str, str | int], Object] = {}
    doubled = set()
    for pod in pods:
        metadata = pod["metadata"]
        name = metadata["namespace"], metadata["name"]
        first = found.setdefault(name if has_name(pod) else (name[0], id(pod)), pod)
        if first is not pod and first != pod:
            doubled.add(name)
    return list(found.values()), doubled


def _also_defined(names: set[tuple[str, str]], objects: Iterable[Located], namespace: str) -> Iterator[Finding]:
    """An error about each pod of these names that differs from the first one."""
    found: dict[tuple[str, str], Located] = {}
    for pod in objects:
        name = pod.reference.namespace or namespace, pod.reference.name
        if pod.reference.kind == "Pod" and name in names:
            first = found.setdefault(name, pod)
            if first.manifest != pod.manifest:
                message = f"also defined at {first.place()}, with different content"
                yield from pod.findings([error(Reason.DUPLICATE_POD, message, hint="keep only one of them")])


def _workloads_once(workloads: Iterable[Located], namespace: str) -> tuple[list[Located], list[Finding]]:
    """The workloads, each once, as in a cluster; a warning about others of the same name, a note about copies."""
    found: dict[object, Located] = {}
    same: dict[object, Located] = {}
    others: dict[object, Located] = {}
    for workload in workloads:
        reference = workload.reference
        group, _, _ = reference.api_version.rpartition("/")
        key: object = group, reference.kind, reference.namespace or namespace, reference.name
        key = key if has_name(workload.manifest) else id(workload)
        first = found.setdefault(key, workload)
        if first is not workload:
            (same if first.manifest == workload.manifest else others).setdefault(key, workload)
    of_others = _twice(found, others, ", with different content", Severity.WARNING)
    return list(found.values()), [*of_others, *_twice(found, same, "", Severity.NOTE)]


def _twice(
    found: Mapping[object, Located], others: Mapping[object, Located], how: str, severity: Severity
) -> list[Finding]:
    if not others:
        return []
    key, other = next(iter(others.items()))
    more = f" (and {len(others) - 1:,} more like it)" if len(others) > 1 else ""
    message = f"also at {other.place()}{how}{more}: only the first manifest counts"
    hint = "leave out other clusters and builds with --exclude, or name clusters: --cluster"
    return found[key].findings([Finding(severity, Reason.DUPLICATE_WORKLOAD, message, hint=hint)])


def _may_select(matcher: Matcher, pod: UnreadablePod) -> bool:
    metadata = pod.manifest.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        return True
    return matcher.mismatch(namespace if isinstance(namespace, str) else "", labels) is None
