"""What a plan is made from, gathered out of files: what decides, pods without what no rollout needs, workloads.

A large list is read item by item, everything else document by document.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from typing import NamedTuple, TypeAlias

from sidecarctl.api.decoding import check
from sidecarctl.api.workloads import Workload, workload_of
from sidecarctl.documents.document import Document, Reader
from sidecarctl.documents.json_stream import NotAListError, list_items
from sidecarctl.documents.layout import Layout
from sidecarctl.documents.streams import split
from sidecarctl.documents.yaml_stream import yaml_list_items
from sidecarctl.facts.errors import SidecarctlError, input_error
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place, reference_of
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.manifest_objects import ManifestObject, objects_of
from sidecarctl.inputs.world import DECIDING_KINDS, Located
from sidecarctl.rollout.essentials import essentials_of

Blocks: TypeAlias = Callable[[], Iterable[bytes]]
"""A file's bytes, from the beginning as often as it is called."""

_ITEMS = re.compile(rb"^items:[ \t]*\r?$", re.MULTILINE)
_LARGE = 16 * 1024 * 1024
"""Bytes from which on a list is read item by item."""


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
    """What files hold. `pods` are essentials, in input order; `nodes` are the labels of each Node by name."""

    deciders: list[Located] = field(default_factory=list)
    pods: list[Object] = field(default_factory=list)
    unreadable: list[UnreadablePod] = field(default_factory=list)
    nodes: dict[str, Object] = field(default_factory=dict)
    workloads: list[Located] = field(default_factory=list)
    inputs: list[InputDigest] = field(default_factory=list)
    failures: list[Finding] = field(default_factory=list)

    def add(self, other: "Gathered") -> None:
        """Put what another file holds after what was gathered so far."""
        self.deciders += other.deciders
        self.pods += other.pods
        self.unreadable += other.unreadable
        self.nodes |= other.nodes
        self.workloads += other.workloads
        self.inputs += other.inputs
        self.failures += other.failures


@dataclass(frozen=True, slots=True)
class Gatherer:
    """`namespace` is that of objects that name none; `workloads` are the user's own kinds."""

    reader: Reader
    namespace: str = "default"
    workloads: tuple[Workload, ...] = ()

    def gathered(self, file: str, blocks: Blocks) -> Gathered:
        """What one file holds; text that cannot be read is among the failures."""
        try:
            return self._gathered(file, blocks, cuts=True)
        except NotAListError:
            return self._gathered(file, blocks, cuts=False)

    def _gathered(self, file: str, blocks: Blocks, *, cuts: bool) -> Gathered:
        digest = sha256()
        found = Gathered()
        for one in objects_in(file, blocks, self.reader, digest.update, cuts=cuts):
            if isinstance(one, Finding):
                found.failures.append(one)
            else:
                self._sort_in(one, found)
        found.inputs.append(InputDigest(file, digest.hexdigest(), len(found.pods)))
        return found

    def _sort_in(self, found: Located, gathered: Gathered) -> None:
        group, _, _ = found.reference.api_version.rpartition("/")
        kind = found.reference.kind
        if kind == "Pod" and not group:
            self._add_pod(found, gathered)
        elif DECIDING_KINDS.get(kind) == group:
            gathered.deciders.append(found)
        elif kind == "Node" and not group:
            gathered.failures += found.findings(
                check(found.manifest.get("metadata"), "meta.ObjectMeta", ("metadata",))
            )
            gathered.nodes[found.reference.name] = (found.manifest.get("metadata") or {}).get("labels") or {}
        elif workload_of(found.manifest, self.workloads):
            gathered.workloads.append(found)

    def _add_pod(self, found: Located, gathered: Gathered) -> None:
        if problems := check(found.manifest, "core.Pod"):
            gathered.unreadable.append(UnreadablePod(found.manifest, tuple(found.findings(problems))))
        elif not found.reference.name:
            gathered.failures += found.findings([error(Reason.MISSING_FIELD, "a pod has a name", ("metadata",))])
        elif not found.manifest.get("status"):
            gathered.workloads.append(found)  # not of a cluster: a pod that has yet to be made
            gathered.pods.append(essentials_of(found.manifest, self.namespace))
        else:
            gathered.pods.append(essentials_of(found.manifest, self.namespace))


def every_object(file: str, blocks: Blocks, reader: Reader) -> Iterator[Located | Finding]:
    """The same as `objects_in`; where a list has to be read as a whole after all, some objects come twice."""
    try:
        yield from objects_in(file, blocks, reader, cuts=True)
    except NotAListError:
        yield from objects_in(file, blocks, reader)


def objects_in(
    file: str, blocks: Blocks, reader: Reader, see: Callable[[bytes], object] = len, *, cuts: bool = False
) -> Iterator[Located | Finding]:
    """The objects of a file, and findings in the place of what cannot be read; `see` gets every byte.

    With `cuts` a large YAML list is read item by item too; NotAListError, also after some objects, where it has to be
    read as a whole.
    """
    head, rest = _head_of(_seen(blocks(), see))
    every = chain([head], rest)
    if len(head) >= _LARGE and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        yield from _streamed(file, every, reader)
    elif len(head) >= _LARGE and cuts and _ITEMS.search(head):
        yield from _cut(file, every, reader)
    else:
        yield from _whole(file, every, reader)


def _whole(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located | Finding]:
    try:
        for chunk in split(blocks, reader.limits.size):
            try:
                for document in reader.documents(chunk):
                    for found in objects_of(document.value):
                        yield _located(found, file, document)
            except SidecarctlError as fault:
                yield from _in_file(fault, file)
    except SidecarctlError as fault:  # a document that is too large: there is no telling where the next begins
        yield from _in_file(fault, file)


def _cut(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located]:
    for document in yaml_list_items(blocks, reader):
        [manifest] = document.value
        if isinstance(manifest, dict):
            if "kind" not in manifest:
                raise NotAListError("the kind stands around the items")
            yield Located(manifest, reference_of(manifest), file, document, (0,))


def _streamed(file: str, blocks: Iterable[bytes], reader: Reader) -> Iterator[Located | Finding]:
    try:
        for item in list_items(blocks, reader.limits.size):
            if isinstance(item.value, dict):
                around = item.around
                manifest = item.value
                if "kind" not in manifest:
                    kind = str(around.get("kind", "")).removesuffix("List")
                    manifest = {"kind": kind, "apiVersion": around.get("apiVersion"), **manifest}
                path: Path = ("items", item.place)
                yield Located(manifest, reference_of(manifest), file, _Unplaced(manifest), path)
    except NotAListError as fault:
        problem = input_error(Reason.SYNTAX, f"a JSON file of this size must be one faultless list: {fault}")
        yield problem.findings[0]._replace(place=Place(file))


class _Unplaced(Document):
    """The item of a list that was read item by item: its lines are not known."""

    def __init__(self, value: Value) -> None:
        super().__init__("", "", 1, value, lambda: Layout("", []), is_json=True)

    def place(self, path: Path) -> Place:
        """Nothing but the file, which the caller adds."""
        del path
        return Place("")


def _located(found: ManifestObject, file: str, document: Document) -> Located:
    manifest = found.manifest if "kind" in found.manifest else found.inherited | found.manifest
    return Located(manifest, found.reference, file, document, found.path)


def _in_file(fault: SidecarctlError, file: str) -> Iterator[Finding]:
    for finding in fault.findings:
        yield finding._replace(place=(finding.place or Place(file))._replace(file=file))


def _seen(blocks: Iterable[bytes], see: Callable[[bytes], object]) -> Iterator[bytes]:
    for block in blocks:
        see(block)
        yield block


def _head_of(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first blocks together, and the rest."""
    head: list[bytes] = []
    size = 0
    for block in blocks:
        head.append(block)
        size += len(block)
        if size >= _LARGE:
            break
    return b"".join(head), blocks
