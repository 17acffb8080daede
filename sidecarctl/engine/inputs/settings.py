"""The settings of a repository as a value, and the clusters of a run: names, inputs, the Kruise that runs there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import RuleSettings, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.files.inputs import EXTENSIONS


class Cluster(NamedTuple):
    """A cluster with its own and shared inputs; its own SidecarSets replace shared ones of the same name.

    `kruise` and `gates` are its release and feature gates; empty if none are given. `pods`: dumps of its running
    pods, which are no version of anything. `destinations`: how Argo CD calls it, by name or server. `known`: parsed
    documents that it shares with other clusters (`Reader.known`). The cluster without a name is for a run that is not
    about clusters: it adds nothing to the command line.
    """

    name: str = ""
    paths: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    kruise: str = ""
    gates: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    known: Mapping[Chunk, list[Document]] = {}

    def and_also(self, further: "Cluster") -> "Cluster":
        """The cluster, with the settings of a later entry, which override its own."""
        return Cluster(
            self.name,
            (*self.paths, *further.paths),
            (*self.include, *further.include),
            further.kruise or self.kruise,
            (*self.gates, *further.gates),
            (*self.pods, *further.pods),
            (*self.destinations, *further.destinations),
        )


class RenderEntry(NamedTuple):
    """An entry of `render`: the tool, and the folders like a pattern that it renders; the rest as Helm takes it."""

    tool: str
    path: str
    namespace: str = ""
    release: str = ""
    values: tuple[str, ...] = ()


class RenderLimits(NamedTuple):
    """How renderers run: seconds for an answer, and the cluster that charts see."""

    seconds: int = 60
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


class RenderPlan(NamedTuple):
    """What is to be rendered: entries of the settings in a file, whose paths count from a folder, an absolute path.

    `sources`: the trees, each `git:REV`, another checkout, or empty for the one of the folder. What is rendered is
    below the PATHS, unless it is from `everywhere`. `cluster`: the one that is asked about, if any; `destinations`:
    the clusters by what Argo CD calls them.
    """

    entries: tuple[RenderEntry, ...]
    folder: str
    file: str
    limits: RenderLimits = RenderLimits()
    sources: tuple[str, ...] = ("",)
    everywhere: bool = False
    cluster: str = ""
    destinations: Mapping[str, str] = {}


class RepositoryFile(NamedTuple):
    """The settings in `.sidecarctl.yaml`; absent ones are empty. Paths and patterns count from its folder.

    `fail_on`: the words of --fail-on, by command; `ignored_fields`: those of `drift --ignore`.
    """

    sidecarsets: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kruise: str = ""
    kubernetes: str = ""
    feature_gates: tuple[str, ...] = ()
    workloads: tuple[WorkloadKind, ...] = ()
    namespaces: Mapping[str, Labels] = {}
    namespaces_by_path: Mapping[str, str] = {}
    fail_on: Mapping[str, Sequence[str]] = {}
    rules: RuleSettings = RuleSettings()
    strict: bool = False
    ignored_fields: tuple[str, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    render: tuple[RenderEntry, ...] = ()
    limits: RenderLimits = RenderLimits()


def joined(entries: Iterable[Cluster]) -> list[Cluster]:
    """One cluster for each name, in the order of their names.

    An entry with paths belongs to the cluster of its name. One without paths says more about clusters that were named
    before it, and its name is a pattern.
    """
    found: dict[str, Cluster] = {}
    for entry in entries:
        for name in [entry.name] if entry.paths else matching(found, entry.name):
            found[name] = found.get(name, Cluster(name)).and_also(entry)
    return [found[name] for name in sorted(found, key=natural)]


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """The names that match a pattern with wildcards."""
    return [name for name in names if fnmatchcase(name, pattern)]


def found_in(entries: Iterable[Cluster], folder: str) -> list[Cluster]:
    """The clusters of settings, whose paths and patterns count from a folder; the paths found are absolute.

    Without a name each folder or file like a pattern is a cluster, named by what the last wildcard stands for.
    InputError, with the path in the settings, if nothing is found.
    """
    named: list[Cluster] = []
    for index, entry in enumerate(entries):
        at = ("clusters", index)
        include, pods = (
            tuple(map(str, _found(folder, patterns, (*at, key))))
            for key, patterns in (("include", entry.include), ("pods", entry.pods))
        )
        if not entry.paths and not matching((cluster.name for cluster in named), entry.name):
            message = f"no cluster before it is called {entry.name}"
            raise InputError(error(Reason.INVALID_CONFIG, message, at, hint="name its paths too"))
        found = [*_found(folder, entry.paths, (*at, "paths"))]
        if entry.name:
            named.append(entry._replace(paths=tuple(map(str, found)), include=include, pods=pods))
            continue
        for pattern, paths in zip(entry.paths, ([*_like(folder, pattern)] for pattern in entry.paths), strict=True):
            named += [
                entry._replace(name=_name(folder, pattern, path), paths=(str(path),), include=include, pods=pods)
                for path in paths
            ]
    return joined(named)


def _found(folder: str, patterns: Iterable[str], at: tuple[str | int, ...]) -> Iterator[Path]:
    for index, pattern in enumerate(patterns):
        paths = [*_like(folder, pattern)]
        if not paths:
            raise InputError(error(Reason.UNREADABLE_FILE, "there is no such file or folder", (*at, index)))
        yield from paths


def _like(folder: str, pattern: str) -> list[Path]:
    """Folders and manifests that match a pattern, without hidden ones."""
    if not _is_pattern(pattern):
        path = Path(folder, pattern)
        return [path] if path.exists() else []
    found = (path for path in Path(folder).glob(pattern) if not path.name.startswith("."))
    return sorted(
        (path for path in found if path.is_dir() or path.suffix in EXTENSIONS), key=lambda path: natural(str(path))
    )


def _is_pattern(text: str) -> bool:
    return any(mark in text for mark in "*?[")


def _name(folder: str, pattern: str, path: Path) -> str:
    """The text that the last wildcard of a pattern matches, without a file's extension."""
    parts = Path(pattern).parts
    last = max((index for index, part in enumerate(parts) if _is_pattern(part)), default=len(parts) - 1)
    part = path.relative_to(Path(folder)).parts[last - len(parts)]
    return Path(part).stem if last == len(parts) - 1 and path.is_file() else part
