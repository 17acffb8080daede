"""Everything that a report is about, read as far as it can be read."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sidecarctl.api.workloads import Workload
from sidecarctl.cli.worlds import Sources, no_sidecarset_in
from sidecarctl.documents.document import Reader
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.gathering import Gathered, Gatherer, UnreadablePod
from sidecarctl.inputs.world import Located, World, readable_world
from sidecarctl.operations.plan import refuse_unreadable, without_repeated


@dataclass(frozen=True, slots=True)
class How:
    """`namespace` is that of pods that name none; `workloads` are the user's own kinds."""

    namespace: str = "default"
    workloads: Sequence[Workload] = ()
    trust_annotated_hash: bool = False
    allow_empty: bool = False


@dataclass(slots=True)
class Reading:
    """What the files hold: pods (`rollout.essentials`) in input order, workloads, and what could not be read.

    A pod without status may be one that is yet to be made, so it is among the workloads too. Unreadable pods matter
    only where a set selects them.
    """

    world: World = field(default_factory=World)
    pods: list[Object] = field(default_factory=list)
    unreadable: list[UnreadablePod] = field(default_factory=list)
    workloads: list[Located] = field(default_factory=list)
    failures: list[Finding] = field(default_factory=list)


def reading(sources: Sources, reader: Reader, how: How, live: Iterable[Input] = ()) -> Reading:
    """Everything in the files; of the `live` ones no set that the others have too.

    InputError where there is no SidecarSet at all.
    """
    gatherer = Gatherer(reader, how.namespace, tuple(how.workloads))
    found = _gathered([*sources.deciders, *sources.paths], gatherer)
    older = _gathered(sources.older, gatherer)
    found.add(_live(live, reader, how, {one.reference.name for one in found.deciders if _is_set(one)}))
    old_sets = filter(_is_set, older.deciders)
    world, faults = readable_world(found.deciders, old_sets, trust_annotated_hash=how.trust_annotated_hash)
    failures = [*found.failures, *older.failures, *faults]
    if not (world.sources or failures or how.allow_empty):
        raise no_sidecarset_in(sources.named)
    pods = _once(found.pods, failures)
    failures += unreadable_pods(world, found.unreadable)
    return Reading(world, pods, found.unreadable, found.workloads, failures)


def unreadable_pods(world: World, pods: Iterable[UnreadablePod]) -> Sequence[Finding]:
    """What there is to say about the pods that cannot be decoded, of those that a set of the world may select."""
    try:
        refuse_unreadable(world, pods, ())
    except InputError as fault:
        return fault.findings
    return ()


def _gathered(sources: Iterable[Input], gatherer: Gatherer) -> Gathered:
    result = Gathered()
    for source in sources:
        try:
            result.add(gatherer.gathered(source.name, source.blocks))
        except SidecarctlError as fault:  # the file cannot be opened
            result.failures += fault.findings
    return result


def _live(sources: Iterable[Input], reader: Reader, how: How, given: set[str]) -> Gathered:
    """What kubectl answered, each time one document of any size, without the sets that are given already."""
    found = _gathered(sources, Gatherer(unlimited(reader), how.namespace, tuple(how.workloads)))
    found.deciders = [one for one in found.deciders if not (_is_set(one) and one.reference.name in given)]
    return found


def unlimited(reader: Reader) -> Reader:
    """A reader of documents of any size, such as an answer of kubectl."""
    return reader._replace(limits=reader.limits._replace(size=sys.maxsize))


def _is_set(found: Located) -> bool:
    return found.reference.kind == "SidecarSet"


def _once(pods: list[Object], failures: list[Finding]) -> list[Object]:
    """The pods, each once; of two of one name the first."""
    try:
        return without_repeated(pods)
    except InputError as fault:
        failures += fault.findings
    first: dict[tuple[str, str], Object] = {}
    for pod in pods:
        first.setdefault((pod["metadata"]["namespace"], pod["metadata"]["name"]), pod)
    return list(first.values())
