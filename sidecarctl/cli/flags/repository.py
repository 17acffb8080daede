"""`.sidecarctl.yaml`: found from the current folder upward, read once in a run, and joined with the command line."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from sidecarctl.cli.invoked import asked_for, once
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import InputError, in_file, input_error, usage_error
from sidecarctl.engine.facts.findings import Finding, Place, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.fixed_files import CONFIG, config_above
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.folders import Exclusion, NamespacesByPath
from sidecarctl.engine.inputs.objects import Source, all_documents
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.settings import Cluster, RenderPlan, RepositoryFile, found_in

NoConfig = Annotated[bool, typer.Option("--no-config", help="Ignore the settings in .sidecarctl.yaml.")]


class Repository(NamedTuple):
    """The settings of a repository. `file`: what the user calls their file; `folder`: where it is, absolute."""

    file: str
    folder: str
    settings: RepositoryFile
    document: Document | None = None

    def from_here(self, key: str) -> list[str]:
        """The paths of a key as the user would write them in the current folder; InputError if one does not exist."""
        found = [Path(self.folder, path) for path in getattr(self.settings, key)]
        missing = [(key, index) for index, path in enumerate(found) if not path.exists()]
        if missing and self.document:
            faults = [error(Reason.UNREADABLE_FILE, "there is no such file or folder", path) for path in missing]
            raise InputError(*self.placed(faults))
        return [os.path.relpath(path) for path in found]

    def placed(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings about settings, with their lines."""
        place = self.document.place if self.document else lambda _: Place(self.file)
        return in_file([item._replace(place=place(item.path)) for item in findings], self.file)

    @property
    def exclusion(self) -> Exclusion:
        """The exclusions of the settings."""
        return Exclusion(self.settings.exclude, self.folder)


def repository() -> Repository | None:
    """The settings that the command uses; None if there are none, and for a command that reads no manifests.

    InputError, with file and line, for settings that make no sense.
    """
    return once("repository", lambda: repository_above(Path.cwd())) if asked_for("no_config") is False else None


def settings() -> RepositoryFile:
    """The settings, defaults if there are none. A cluster that is read knows its release and Namespaces itself."""
    found = repository()
    if found is None:
        return RepositoryFile()
    return found.settings._replace(namespaces={}) if asked_for("live") else found.settings


def taught_by_settings() -> list[WorkloadKind]:
    """The kinds that the settings teach, each with the line that does."""
    found = repository()
    if found is None or found.document is None:
        return []
    document = found.document
    return [
        item._replace(place=document.place(("templatePaths", item.name))._replace(file=found.file))
        for item in found.settings.workloads
    ]


def used_file() -> str:
    """The user's name for the file with the settings in use; empty if there is none."""
    try:
        found = repository()
    except InputError:  # which the report is about
        return ""
    return found.file if found else ""


def repository_above(folder: Path) -> Repository | None:
    """The settings in a folder or the nearest one above; InputError for settings that make no sense."""
    file = config_above(folder)
    if file and file.name != CONFIG:
        fault = error(
            Reason.INVALID_CONFIG, "settings are not read from a file with this name", hint=f"name it {CONFIG}"
        )
        raise InputError(*in_file([fault], os.path.relpath(file)))
    return settings_in(file) if file else None


def settings_in(file: Path) -> Repository:
    """The settings in a file of the working tree."""
    return read_settings(Input(os.path.relpath(file), file, Path(file.name)), str(file.parent))


def read_settings(source: Source, folder: str) -> Repository:
    """The settings in a file; InputError, with its lines, if something in it is wrong."""
    from sidecarctl.engine.config import read_repository_file  # most runs have no such file

    filled = [document for document in all_documents(source, Reader()) if document.value is not None]
    if not filled:
        return Repository(source.name, folder, RepositoryFile())
    if len(filled) > 1:
        fault = input_error(Reason.INVALID_CONFIG, "expected one document", hint="without --- between the settings")
        raise InputError(*in_file(fault.findings, source.name))
    [document] = filled
    found = Repository(source.name, folder, RepositoryFile(), document)
    try:
        return found._replace(settings=read_repository_file(document.value))
    except InputError as fault:
        raise InputError(*found.placed(fault.findings)) from None


def completed(named: Named) -> Named:
    """What is named, with the PATHS and SidecarSets of the repository where the command line names none.

    With --live the cluster has them.
    """
    found = repository()
    if found is None or asked_for("live"):
        return named
    named = named._replace(usual=[*named.usual, *([] if named.deciders else found.from_here("sidecarsets"))])
    if named.paths:
        return named._replace(yields=True)
    return from_everywhere(named)._replace(paths=found.from_here("paths") or [os.path.relpath(found.folder)])


def clusters_of_settings() -> list[Cluster]:
    """The clusters that the settings name, by name; InputError, with its line, for one that is not there."""
    found = repository()
    if found is None:
        return []
    try:
        clusters = found_in(found.settings.clusters, found.folder)
    except InputError as fault:
        raise InputError(*found.placed(fault.findings)) from None
    return [
        cluster._replace(
            paths=tuple(map(os.path.relpath, cluster.paths)),
            include=tuple(map(os.path.relpath, cluster.include)),
            pods=tuple(map(os.path.relpath, cluster.pods)),
        )
        for cluster in clusters
    ]


def namespaces_by_path() -> NamespacesByPath:
    """The namespaces that the repository gives to folders."""
    found = repository()
    return NamespacesByPath(found.settings.namespaces_by_path, found.folder) if found else NamespacesByPath()


def rendering(cluster: str = "") -> RenderPlan:
    """What the repository renders, for one cluster if it is named; UsageError if its settings name nothing."""
    found = repository()
    if found is None or not found.settings.render:
        hint = "such as render: [{kustomize: clusters/*/overlays/*}] in .sidecarctl.yaml"
        raise usage_error("--render needs the setting render, which says what is deployed from where", hint=hint)
    plan = RenderPlan(found.settings.render, found.folder, found.file, found.settings.limits, cluster=cluster)
    every = clusters_of_settings() if cluster else ()
    return plan._replace(destinations={name: each.name for each in every for name in (each.name, *each.destinations)})


def from_everywhere(named: Named, *sources: str) -> Named:
    """What is named, with all that the repository renders, in other trees than the current one if these are named."""
    if named.render is None:
        return named
    return named._replace(render=named.render._replace(everywhere=True, sources=sources or ("",)))


def excluded() -> Exclusion:
    """The exclusions of the repository."""
    found = repository()
    return found.exclusion if found else Exclusion()
