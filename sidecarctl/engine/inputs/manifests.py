"""Every object of files and of a cluster, for commands that look at more than what decides."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import chain
from typing import NamedTuple

from sidecarctl.engine.api.workloads import workload_of
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.errors import InputError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.workers import spread_files
from sidecarctl.engine.inputs.first_look import FirstLook
from sidecarctl.engine.inputs.objects import LONG, every_object, objects_in
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading, empty_side, no_manifests, no_manifests_note
from sidecarctl.engine.inputs.unknown_templates import UnknownTemplates, kind_refused, unknown_templates
from sidecarctl.engine.inputs.world import is_sidecarset, without_yielding
from sidecarctl.engine.sidecarset.world import Located


class Manifests(NamedTuple):
    """The objects in file order; documents that are almost SidecarSets; unreadable ones; the number of files."""

    objects: list[Located]
    remarks: list[Finding]
    failures: list[Finding]
    files: int

    @property
    def is_odd(self) -> bool:
        """Whether any document is almost a SidecarSet."""
        return any(remark.severity is Severity.WARNING for remark in self.remarks)


LOOKED_UP = {
    "": ("Node", "Secret", "ConfigMap", "PersistentVolumeClaim", "Service", "LimitRange", "ResourceQuota"),
    "autoscaling": ("HorizontalPodAutoscaler",),
}
"""Kinds by group: those that SidecarSets refer to, those that affect pods of their namespace, and Nodes."""


def read_manifests(sources: Sources[Input], how: Reading) -> Manifests:
    """Everything in the files and the cluster; an unreadable file does not hide the others.

    A SidecarSet of the files replaces the one of its name in the cluster.
    """
    found = Manifests([], sources.remarks, [], len(sources.every))
    look = how.look.using(frozenset(chain.from_iterable(LOOKED_UP.values())))

    def read(source: Input) -> list[Located | Finding]:
        return [*_everything_in(source, how.reader, look)]

    with closing(spread_files(read, sources.every, how.jobs)) as every:
        for items in every:
            _add(items, found)
    failures, strange = no_manifests(found.failures, sources.every)
    found = found._replace(failures=failures, remarks=[*found.remarks, *no_manifests_note(strange)])
    if not (found.failures or how.allow_empty):
        _add(empty_side(sources, {item.file for item in found.objects}), found)
    given = {item.reference.name for item in found.objects if is_sidecarset(item)}
    of_cluster = Manifests([], found.remarks, found.failures, 0)
    for source in sources.live.inputs:
        _add(_everything_in(source, unlimited(how.reader), look), of_cluster)
    found.objects.extend(
        item for item in of_cluster.objects if not (is_sidecarset(item) and item.reference.name in given)
    )
    objects, replaced = without_yielding(found.objects, sources.yielding)
    return found._replace(objects=objects, remarks=[*found.remarks, *replaced])


def parsed_documents(sources: Iterable[Input], how: Reading) -> dict[Chunk, list[Document]]:
    """The documents of files by their texts, for `Reader.known`; not of large files, which are read item by item.

    What cannot be read is left to those who read it again.
    """
    look = how.look.using(frozenset(chain.from_iterable(LOOKED_UP.values())))
    found: dict[Chunk, list[Document]] = {}
    for source in sources:
        is_short = source.found is not None and source.found.size < LONG
        for chunk in source.chunks(how.reader.limits.size) if is_short else ():
            if not look.passed(chunk.data):
                with suppress(InputError):
                    found[chunk] = how.reader.documents(chunk)
    return found


def _everything_in(source: Input, reader: Reader, look: FirstLook) -> Iterator[Located | Finding]:
    try:
        yield from objects_in(source.name, source.blocks, source.reader(reader), look)
    except SidecarctlError as fault:
        yield from fault.findings


def _add(items: Iterable[Located | Finding], found: Manifests) -> None:
    for item in items:
        if isinstance(item, Located):
            found.objects.append(item)
        else:
            (found.failures if item.severity is Severity.ERROR else found.remarks).append(item)


def unlimited(reader: Reader) -> Reader:
    """A reader of documents of any size, such as an answer of kubectl."""
    return Reader(reader.limits._replace(size=sys.maxsize))


def objects_with_pods(sources: Sources[Input], how: Reading, unknown: UnknownTemplates) -> Iterator[Located]:
    """The pods and workloads of PATHS and of the cluster, in order, one after another.

    A dump may hold more of them than memory. `unknown` counts pods in kinds that are not known.

    InputError at the end with everything that cannot be read.
    """
    failures: list[Finding] = []
    for source in (*sources.paths, *sources.live.inputs):
        for found in every_object(source.name, source.blocks, source.reader(how.reader), how.look):
            if isinstance(found, Finding):
                if found.severity is Severity.ERROR:
                    failures.append(found)
            elif problem := kind_refused(found.manifest, found.reference, how.workloads):
                failures += found.findings([problem])
            else:
                unknown.add(found.findings(unknown_templates(found.manifest, found.reference, how.workloads)))
                if workload_of(found.manifest, how.workloads):
                    yield found
    if failures:
        raise InputError(*failures)
