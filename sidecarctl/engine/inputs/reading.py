"""The one way from files to a world, for every command and for the KRM function; errors if nothing is found."""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, in_file, input_error, usage_error
from sidecarctl.engine.facts.findings import Finding, RuleSettings, Severity, error, named, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.files.inputs import Input, inputs
from sidecarctl.engine.inputs.first_look import (
    EVERYTHING,
    FirstLook,
    may_decide,
    names_a_sidecarset,
    near_headers,
    strangers,
)
from sidecarctl.engine.inputs.objects import Source
from sidecarctl.engine.inputs.opening import Named, Sources
from sidecarctl.engine.inputs.world import contradictions, deciding, is_sidecarset, without_yielding, world_of
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.webhook_scope import CHART
from sidecarctl.engine.sidecarset.world import Located, World


class Reading(NamedTuple):
    """How inputs are read.

    `namespace` is the default namespace; `workloads` are the user's own kinds. `release` is the Kruise that
    reads SidecarSets; with `allow_unknown` what it does not know in them is a warning, else an error.
    `allow_empty`: named files may contain no manifest. `installed_by`: how Kruise was installed (`webhook_scope`).
    `rules`: what the repository says about rules of validation. `namespaces`: labels of Namespaces that no input has.
    `look`: which documents need not be parsed. `jobs`: how many processes parse files; 0 for as many as pay off.
    """

    reader: Reader = Reader()
    namespace: str = "default"
    workloads: tuple[WorkloadKind, ...] = ()
    trust_annotated_hash: bool = False
    release: Release = DEFAULT
    allow_unknown: bool = False
    allow_empty: bool = False
    installed_by: str = CHART
    rules: RuleSettings = RuleSettings()
    namespaces: Mapping[str, Labels] = {}
    look: FirstLook = EVERYTHING
    jobs: int = 1

    def of_cluster(self, running: Release | None) -> "Reading":
        """This reading with the release that a cluster runs, if it is known and the user named none."""
        return self._replace(release=running) if running else self

    def world(self, found: Iterable[Located], older: Iterable[Located] = ()) -> tuple[World, list[Finding]]:
        """The world of objects that were read so (`world_of`)."""
        world, faults = world_of(
            found,
            older,
            trust_annotated_hash=self.trust_annotated_hash,
            release=self.release,
            rules=self.rules._replace(allow_unknown=self.allow_unknown),
        )
        others = tuple(
            (reference._replace(namespace=reference.namespace or self.namespace), manifest)
            for reference, manifest in world.webhook.others
        )
        webhook = world.webhook._replace(installed_by=self.installed_by, others=others)
        namespaces = world.namespaces
        if self.namespaces:
            faults += contradictions(self.namespaces, world)
            namespaces = {**self.namespaces, **namespaces}
        return world._replace(namespaces=namespaces, webhook=webhook), faults


def read_world(sources: Sources[Source], how: Reading, *, alone: bool = False) -> World:
    """The world alone; InputError if something that decides cannot be read.

    Documents among PATHS that cannot be read are left to the run itself, unless they mention SidecarSets. `alone`:
    the run reads nothing else, so every document in PATHS must be readable.
    """
    search = _Search(how.reader, how.look)
    found = [*sources.at_hand]
    for source in sources.deciders:
        found += search.deciding(source)
    for source in sources.paths:
        found += search.deciding(source, among_others=not alone)
    older = [located for source in sources.older for located in search.deciding(source)]
    found, replaced = without_yielding(found, sources.yielding)
    failures, remarks = search.failures, [*sources.remarks, *replaced, *search.remarks]
    if not how.allow_empty:
        failures[:0] = without_manifest([*sources.deciders, *sources.older], search.holding, how.reader)
    if failures:
        raise InputError(*failures, *remarks)
    world, faults = how.world(found, filter(is_sidecarset, older))
    if faults:
        raise InputError(*faults)
    return world._replace(remarks=tuple(remarks))


class _Search:
    """A search for objects that decide: unreadable documents, warnings, and the sources that have manifests."""

    def __init__(self, reader: Reader, look: FirstLook) -> None:
        self.reader = reader
        self.look = look
        self.failures: list[Finding] = []
        self.remarks: list[Finding] = []
        self.holding: set[str] = set()

    def deciding(self, source: Source, *, among_others: bool = False) -> Iterator[Located]:
        """The objects of a source that decide; in PATHS they are `among_others`."""
        blocks = iter(source.blocks())
        head = list(islice(blocks, 2))
        if among_others and len(head) < 2 and not may_decide(b"".join(head)):
            return  # like most files, which need not be split into documents
        for chunk in split(chain(head, blocks), self.reader.limits.size, source.name):
            if among_others and not may_decide(chunk.data):
                continue
            if self.look.decides_nothing(chunk.data):
                self.holding.add(source.name)
                continue
            try:
                for document in self.reader.documents(chunk):
                    if is_manifest(document.value):
                        self.holding.add(source.name)
                    self.remarks += near_headers(document, source.name)
                    for finding in () if among_others else strangers(document, source.name):
                        (self.failures if finding.severity is Severity.ERROR else self.remarks).append(finding)
                    given = source.given if isinstance(source, Input) else None
                    yield from deciding([document], source.name, given)
            except SidecarctlError as fault:
                if not among_others or names_a_sidecarset(chunk.data):
                    self.failures += in_file(fault.findings, source.name)


def refuse_no_sidecarset(found: Collection[object], sources: Sources[Input], how: Reading) -> None:
    """InputError if no SidecarSet was found, unless that is allowed."""
    if not (found or how.allow_empty):
        raise no_sidecarset(sources.named)


def refuse_no_paths(named: Named) -> None:
    """UsageError if no PATHS are given."""
    if not named.paths:
        hint = "name files or folders, or - for stdin; or list paths in .sidecarctl.yaml"
        raise usage_error("no PATHS given", hint=hint)


def no_manifest(named: Named) -> InputError:
    """The error for paths that hold no manifest at all."""
    hint = _deeper(named.paths, recursive=named.recursive is not False) or "--allow-empty accepts this"
    return input_error(Reason.NO_MANIFEST, f"no manifest found in {listed(named.paths)}", hint=hint)


def no_object(named: Named) -> Finding:
    """The warning for paths that hold documents, but no object of Kubernetes among them."""
    message = f"no Kubernetes object found in {listed(named.paths)}; nothing changes"
    return warning(Reason.NO_MANIFEST, message, hint="a Kubernetes object has apiVersion and kind")


def no_sidecarset(named: Named) -> InputError:
    """The error for inputs without a SidecarSet; its hint names -s."""
    sets = named.deciders
    message = f"no SidecarSet found in {listed(sets)}" if sets else "no SidecarSet found in the inputs"
    usual = "--allow-empty accepts this" if sets else "add SidecarSets with -s, or use --allow-empty"
    hint = _deeper(sets or named.paths, recursive=named.recursive is not False) or usual
    return input_error(Reason.NO_SIDECARSET, message, hint=hint)


def listed(paths: Sequence[str]) -> str:
    """The first few of some paths."""
    return named(["standard input" if path == "-" else path for path in paths])


def _deeper(paths: Sequence[str], *, recursive: bool) -> str:
    """Say so if only subfolders of the named folders have manifests."""
    for path in () if recursive else paths:
        if Path(path).is_dir() and not _files(path, recursive=False) and _files(path, recursive=True):
            return f"omit --no-recursive: {path} has manifests only in subfolders"
    return ""


def _files(path: str, *, recursive: bool) -> bool:
    return bool(inputs([path], recursive=recursive, stdin=None))


def without_manifest(sources: Iterable[Source], holding: Container[str], reader: Reader) -> Iterator[Finding]:
    """An error for each named file without any manifest; those in `holding` are known to have one."""
    for source in sources:
        is_named = isinstance(source, Input) and source.is_named
        if is_named and source.name not in holding and not _holds_manifest(source, reader):
            name = "standard input" if source.name == "stdin" else source.name
            hint = "a Kubernetes object has apiVersion and kind; use --allow-empty to accept this"
            yield error(Reason.NO_MANIFEST, f"no manifest found in {name}", hint=hint)


def empty_side(sources: Sources[Input], holding: Container[str]) -> list[Finding]:
    """The finding about a side of a comparison without any manifest: an error, unless git proves that it had none."""
    named = sources.named
    if not named.side or any(source.name in holding for source in sources.paths) or not named.paths:
        return []
    message = f"the {named.side} version is empty: no manifest found in {listed(named.paths)}"
    if all(path.startswith("git:") for path in named.paths):
        return [note(Reason.NO_MANIFEST, message)]
    return [error(Reason.NO_MANIFEST, message, hint="name the files or folders that hold it")]


_OTHER_FAULTS = (Reason.UNREADABLE_FILE, Reason.NO_MANIFEST, Reason.WRONG_TYPE, Reason.NOT_RENDERED)
_VERSION = lazy_pattern(rb"""(?:-[ \t]+)*["']?apiVersion["']?[ \t]*:""")
_SEPARATOR = lazy_pattern(rb"^---", re.MULTILINE)


def no_manifests(failures: Iterable[Finding], sources: Iterable[Input]) -> tuple[list[Finding], list[str]]:
    """The errors that matter, and the files of folders that cannot be read, but are certainly no manifests.

    Their text has no `apiVersion` that could be one of an object: a configuration with comments, a template.
    """
    failures = list(failures)
    faulty = {item.place.file for item in failures if _is_unreadable(item) and item.place}
    strange = [
        source.name
        for source in (sources if faulty else ())
        if source.name in faulty and not source.is_named and not _has_root_version(source)
    ]
    kept = [
        item
        for item in failures
        if not item.place
        or item.place.file not in strange
        or item.reason in _OTHER_FAULTS
        or not _is_unreadable(item)
    ]
    return kept, strange


def _is_unreadable(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and not finding.subject


def no_manifests_note(names: Sequence[str]) -> list[Finding]:
    """The note that counts them."""
    if not names:
        return []
    files = "file" if len(names) == 1 else "files"
    message = f"left out {len(names):,} {files} without apiVersion, which cannot be read: {listed(names)}"
    return [
        note(Reason.LEFT_OUT, message)._replace(
            hint=f"`sidecarctl validate {quote(names[0])}` says what is wrong in it"
        )
    ]


def _has_root_version(source: Source) -> bool:
    try:
        text = b"".join(source.blocks()).removeprefix(b"\xef\xbb\xbf")
    except SidecarctlError:
        return True
    return any(map(_is_versioned, _SEPARATOR.split(text)))


def _is_versioned(text: bytes) -> bool:
    """Whether a document that may be broken has apiVersion at its root: as little indented as any other line."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith((b"#", b"}", b"]"))]
    flow = [line for line in lines if line.lstrip().startswith((b"{", b"["))]
    others = [(len(line) - len(line.lstrip()), line.lstrip()) for line in lines if line not in flow]
    least = min((indent for indent, _ in others), default=0)
    at_root = any(indent == least and _VERSION.match(line) for indent, line in others)
    return at_root or any(b"apiVersion" in line for line in flow)


_NOT_THERE = (Reason.UNREADABLE_FILE, Reason.NO_MANIFEST, Reason.NOT_RENDERED)


def of_base(found: Iterable[Finding], sources: Sources[Input]) -> tuple[list[Finding], list[Finding]]:
    """The errors about the version before a change that matter, and as notes those about what is wrong in its files.

    Errors from before a change are not its fault, and it may fix them. A missing file stays an error, and so does an
    error in a file that was named itself.
    """
    named = {source.name for source in sources.every if source.is_named}
    errors: list[Finding] = []
    notes: list[Finding] = []
    for item in found:
        if item.severity is Severity.ERROR:
            if item.reason in _NOT_THERE or not item.place or item.place.file in named:
                errors.append(item)
            else:
                notes.append(item._replace(severity=Severity.NOTE, message=f"before the change: {item.message}"))
    return errors, notes


def is_manifest(value: Value) -> bool:
    """Whether the value of a document is an object, or a list of objects (even an empty one)."""
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def _holds_manifest(source: Source, reader: Reader) -> bool:
    """Whether a document of the file is a manifest; what cannot be read may be one."""
    try:
        return any(
            is_manifest(document.value)
            for chunk in source.chunks(reader.limits.size)
            for document in reader.documents(chunk)
        )
    except SidecarctlError:
        return True
