"""Everything in files: the world, and with it pods, workloads and nodes.

Pods are trimmed as they are read, so that very many of them fit into memory.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference, reference_of
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.deciding_kinds import is_sidecarset
from sidecarctl.inputs.gathering import Gathered, Gatherer, InputDigest, UnreadablePod
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.named_files import without_manifest
from sidecarctl.inputs.objects_in_files import Unplaced, every_object
from sidecarctl.inputs.opening import Sources
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.world import World
from sidecarctl.sidecarset.matching import Matcher
from sidecarctl.sidecarset.sets import SidecarSet


@dataclass(slots=True)
class Inputs:
    """What the files hold: pods (trimmed) in input order, each once; workloads, and what could not be read.

    A pod without status may be one that is yet to be made, so it is among the workloads too; `has_templates`: there
    is either, also where they are not kept. `unreadable` pods matter only where a SidecarSet selects them. `live` has
    the SidecarSets of the cluster, also those that the files have too.
    """

    world: World = field(default_factory=World)
    live: World = field(default_factory=World)
    pods: list[Object] = field(default_factory=list)
    unreadable: list[UnreadablePod] = field(default_factory=list)
    nodes: dict[str, Object] = field(default_factory=dict)
    workloads: list[Located] = field(default_factory=list)
    has_templates: bool = False
    digests: list[InputDigest] = field(default_factory=list)
    failures: list[Finding] = field(default_factory=list)

    def whole(self, only: Sequence[str] = ()) -> "Inputs":
        """The same; InputError with everything that could not be read, if anything.

        Pods that cannot be decoded count if one of the SidecarSets (of these names; all for none) may select them.
        """
        chosen = [sidecarset for sidecarset in self.world.sidecarsets if not only or sidecarset.name in only]
        if failures := [*self.failures, *unreadable_pods(chosen, self.world, self.unreadable)]:
            raise InputError(*dict.fromkeys([*failures, *self.world.remarks]))
        return self


def read_inputs(
    sources: Sources[Input], how: Reading, live: Iterable[Input] = (), *, keeps_templates: bool = True
) -> Inputs:
    """Everything in the files; of the `live` ones no SidecarSet that the others have too.

    What could not be read is among the failures: `Inputs.whole` refuses them. Manifests of workloads and of pods that
    have yet to be made are many times what is kept of running pods: without `keeps_templates` they are not kept.
    """
    gatherer = Gatherer(how.reader, how.namespace, how.workloads, keeps_templates)
    found = gatherer.together(sources.every)
    answers = Gatherer(unlimited(how.reader), how.namespace, how.workloads, keeps_templates).together(live)
    now, _ = how.world(filter(is_sidecarset, answers.deciders), ())
    _leave_out(answers, {located.reference.name for located in found.deciders if is_sidecarset(located)})
    found.add(answers)
    older = gatherer.together(sources.older)
    world, faults = how.world(found.deciders, filter(is_sidecarset, older.deciders))
    world = world._replace(remarks=tuple(found.remarks))
    failures = [*found.failures, *older.failures, *faults]
    if not how.allow_empty:
        holding = found.holding | older.holding
        unread = {finding.place.file for finding in failures if finding.place}
        failures += without_manifest([*sources.every, *sources.older], holding | unread, how.reader)
    pods = _once(found.pods, failures)
    return Inputs(
        world=world,
        live=now,
        pods=pods,
        unreadable=found.unreadable,
        nodes=found.nodes,
        workloads=found.workloads,
        has_templates=found.has_templates,
        digests=found.inputs,
        failures=failures,
    )


def older_sidecarsets(sources: Sources[Input], how: Reading) -> list[Located]:
    """The earlier manifests of SidecarSets, in their order; InputError with everything that cannot be read."""
    older = Gatherer(how.reader, how.namespace, how.workloads).together(sources.older)
    found = [located for located in older.deciders if is_sidecarset(located)]
    _, faults = how.world((), found)
    if failures := [*older.failures, *faults]:
        raise InputError(*failures)
    return found


def world_of_manifest(manifest: Object, name: str, how: Reading) -> World:
    """The world of one SidecarSet that is from no file; `name` is what findings call its place.

    InputError if it cannot be decoded.
    """
    world, faults = how.world([Located(manifest, reference_of(manifest), name, Unplaced(manifest), ())])
    if faults:
        raise InputError(*faults)
    return world


def unreadable_pods(
    sidecarsets: Iterable[SidecarSet], world: World, unreadable: Iterable[UnreadablePod]
) -> list[Finding]:
    """The errors of the pods that cannot be decoded, of those that one of the SidecarSets may select."""
    matchers = [Matcher(sidecarset, world.namespaces) for sidecarset in sidecarsets]
    return [
        finding
        for pod in unreadable
        for finding in pod.findings
        if any(_may_select(matcher, pod) for matcher in matchers)
    ]


def whole_pods(sources: Sources[Input], how: Reading, live: Sequence[Input] = ()) -> Iterator[Object]:
    """All pods of the inputs once more, untrimmed."""
    for files, reader in ((sources.every, how.reader), (live, unlimited(how.reader))):
        for source in files:
            for found in every_object(source.name, source.blocks, reader):
                if isinstance(found, Located) and found.reference.kind == "Pod":
                    yield found.manifest


def is_pod_to_be(pod: Object) -> bool:
    """Whether a pod is no running one, but a manifest from which one will be made."""
    return not pod.get("status")


def unlimited(reader: Reader) -> Reader:
    """A reader of documents of any size, such as an answer of kubectl."""
    return reader.with_limits(reader.limits._replace(size=sys.maxsize))


def _leave_out(live: Gathered, given: set[str]) -> None:
    """Drop the SidecarSets of a cluster that are given already."""
    live.deciders = [
        located for located in live.deciders if not (is_sidecarset(located) and located.reference.name in given)
    ]


def _once(pods: Iterable[Object], failures: list[Finding]) -> list[Object]:
    """The pods, each once; two of one name with different content are a failure."""
    found: dict[tuple[str, str], Object] = {}
    for pod in pods:
        metadata = pod["metadata"]
        name = metadata["namespace"], metadata["name"]
        first = found.setdefault(name, pod)
        if first is not pod and first != pod:
            twice = error(Reason.DUPLICATE_POD, "defined twice with different content", hint="keep only one of them")
            failures.append(twice._replace(subject=ObjectReference("v1", "Pod", *name)))
    return list(found.values())


def _may_select(matcher: Matcher, pod: UnreadablePod) -> bool:
    metadata = pod.manifest.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        return True
    return matcher.mismatch(namespace if isinstance(namespace, str) else "", labels) is None
