"""The one way from files to a world: for every command and for the KRM function."""

from collections.abc import Iterable, Iterator

from sidecarctl.api.workloads import Workload
from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.placing import in_file
from sidecarctl.inputs.deciding_kinds import deciding, is_sidecarset, may_decide, names_a_sidecarset
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.named_files import is_manifest, without_manifest
from sidecarctl.inputs.near_headers import near_headers
from sidecarctl.inputs.opening import Source, Sources
from sidecarctl.inputs.world import World, world_of
from sidecarctl.releases.release import MASTER, Release


class Reading(NamedTuple):
    """How inputs are read.

    `namespace` is the default namespace; `workloads` are the user's own kinds. `release` is the Kruise that
    reads SidecarSets; with `allow_unknown` what it does not know in them is a warning, else an error.
    `names_release`: the user named it. `allow_empty`: named files may contain no manifest.
    """

    reader: Reader = Reader()
    namespace: str = "default"
    workloads: tuple[Workload, ...] = ()
    trust_annotated_hash: bool = False
    release: Release = MASTER
    allow_unknown: bool = False
    allow_empty: bool = False
    names_release: bool = False

    def of_cluster(self, running: Release | None) -> "Reading":
        """The same with the release that a cluster runs, where it is known and the user named none."""
        return self._replace(release=running) if running else self

    def world(self, found: Iterable[Located], older: Iterable[Located] = ()) -> tuple[World, list[Finding]]:
        """The world of objects that were read so (`world_of`)."""
        return world_of(
            found,
            older,
            trust_annotated_hash=self.trust_annotated_hash,
            release=self.release,
            allow_unknown=self.allow_unknown,
            names_release=self.names_release,
        )


def read_world(sources: Sources[Source], how: Reading, *, alone: bool = False) -> World:
    """The world alone; InputError if something that decides cannot be read.

    Documents among PATHS that cannot be read are left to the run itself, unless they mention SidecarSets. `alone`:
    the run reads nothing else, so every document in PATHS must be readable.
    """
    search = _Search(how.reader)
    found = [*sources.at_hand]
    for source in sources.deciders:
        found += search.deciding(source)
    for source in sources.paths:
        found += search.deciding(source, among_others=not alone)
    older = [located for source in sources.older for located in search.deciding(source)]
    failures, remarks = search.failures, search.remarks
    if not how.allow_empty:
        failures[:0] = without_manifest([*sources.deciders, *sources.older], search.holding, how.reader)
    if failures:
        raise InputError(*failures, *remarks)
    world, faults = how.world(found, filter(is_sidecarset, older))
    if faults:
        raise InputError(*faults)
    return world._replace(remarks=tuple(remarks))


class _Search:
    """The search for what decides: what could not be read, what is odd, and which sources hold manifests."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.failures: list[Finding] = []
        self.remarks: list[Finding] = []
        self.holding: set[str] = set()

    def deciding(self, source: Source, *, among_others: bool = False) -> Iterator[Located]:
        """The objects of a source that decide; in PATHS they are `among_others`."""
        for chunk in source.chunks(self.reader.limits.size):
            if among_others and not may_decide(chunk.data):
                continue
            try:
                for document in self.reader.documents(chunk):
                    if is_manifest(document.value):
                        self.holding.add(source.name)
                    self.remarks += near_headers(document, source.name)
                    yield from deciding([document], source.name)
            except SidecarctlError as fault:
                if not among_others or names_a_sidecarset(chunk.data):
                    self.failures += in_file(fault.findings, source.name)
