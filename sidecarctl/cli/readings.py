"""Everything that a report is about, read as far as it can be read."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, workload_of
from sidecarctl.cli.worlds import Sources, in_file
from sidecarctl.documents.document import Reader
from sidecarctl.documents.streams import split
from sidecarctl.facts.errors import SidecarctlError, input_error
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.tasks.objects import objects_of
from sidecarctl.tasks.world import DECIDING_KINDS, Located, World, readable_world


@dataclass(frozen=True, slots=True)
class How:
    """`namespace` is that of pods that name none; `workloads` are the user's own kinds."""

    namespace: str = "default"
    workloads: Sequence[Workload] = ()
    trust_annotated_hash: bool = False
    allow_empty: bool = False


@dataclass(slots=True)
class Reading:
    """What the files hold: pods in input order, workloads, and what could not be read.

    A pod without status may be one that is yet to be made, so it is among the workloads too.
    """

    world: World = field(default_factory=World)
    pods: list[Object] = field(default_factory=list)
    workloads: list[Located] = field(default_factory=list)
    failures: list[Finding] = field(default_factory=list)


def reading(sources: Sources, reader: Reader, how: How, live: Iterable[Input] = ()) -> Reading:
    """Everything in the files; of the `live` ones no set that the others have too.

    InputError where there is no SidecarSet at all.
    """
    result = Reading()
    found = list(_objects([*sources.deciders, *sources.paths], reader, result.failures))
    given = {one.reference.name for one in found if one.reference.kind == "SidecarSet"}
    unlimited = reader._replace(limits=reader.limits._replace(size=sys.maxsize))  # kubectl's answer is one document
    found += (one for one in _objects(live, unlimited, result.failures) if not _is_given(one, given))
    older = [one for one in _objects(sources.older, reader, result.failures) if one.reference.kind == "SidecarSet"]
    deciders: list[Located] = []
    for one in found:
        _sort_in(one, result, deciders, how)
    result.world, faults = readable_world(deciders, older, trust_annotated_hash=how.trust_annotated_hash)
    result.failures += faults
    if not (result.world.sources or result.failures or how.allow_empty):
        hint = "give them with -s, or say --allow-empty"
        raise input_error(Reason.NO_SIDECARSET, "there is no SidecarSet among the inputs", hint=hint)
    return result


def _is_given(found: Located, names: set[str]) -> bool:
    return found.reference.kind == "SidecarSet" and found.reference.name in names


def _sort_in(found: Located, result: Reading, deciders: list[Located], how: How) -> None:
    group = found.reference.api_version.rpartition("/")[0]
    if DECIDING_KINDS.get(found.reference.kind) == group:
        deciders.append(found)
    elif found.reference.kind == "Pod" and not group:
        _add_pod(found, result, how)
    elif workload_of(found.manifest, how.workloads):
        result.workloads.append(found)


def _add_pod(found: Located, result: Reading, how: How) -> None:
    problems = check(found.manifest, "core.Pod")
    if not (problems or found.reference.name):
        problems = [error(Reason.MISSING_FIELD, "a pod has a name", ("metadata",))]
    if problems:
        result.failures += found.findings(problems)
        return
    if not found.manifest.get("status"):
        result.workloads.append(found)
    if found.reference.namespace:
        result.pods.append(found.manifest)
    else:
        metadata = {**found.manifest["metadata"], "namespace": how.namespace}
        result.pods.append({**found.manifest, "metadata": metadata})


def _objects(sources: Iterable[Input], reader: Reader, failures: list[Finding]) -> Iterator[Located]:
    """The objects of some files; what cannot be read is added to the failures."""
    for source in sources:
        try:
            for chunk in split(source.blocks(), reader.limits.size):
                try:
                    for document in reader.documents(chunk):
                        for one in objects_of(document.value):
                            manifest = one.manifest if "kind" in one.manifest else one.inherited | one.manifest
                            yield Located(manifest, one.reference, source.name, document, one.path)
                except SidecarctlError as fault:
                    failures += _placed(fault, source)
        except SidecarctlError as fault:  # the file itself, or a document that is too large to go on behind it
            failures += _placed(fault, source)


def _placed(fault: SidecarctlError, source: Input) -> list[Finding]:
    return [one._replace(place=one.place or Place(source.name)) for one in in_file(fault, source.name)]
