"""The namespaces that kustomizations, Argo CD, Flux and the settings give the manifests of a folder.

Source: kustomize replaces every namespace by that of the outermost kustomization; Flux does so with
spec.targetNamespace; Argo CD gives spec.destination.namespace to manifests without one.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import GivenNamespace, Reader
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, named, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.engine.files.fixed_files import top_of, whole_path
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.builds import FOLDERS, Builds, texts_in
from sidecarctl.engine.inputs.folders import ARGO_CD, FLUX, NamespacesByPath, mentions_deployer
from sidecarctl.engine.inputs.objects import all_documents, objects_of

_REPOSITORY = lazy_pattern(r"([^/:]+/[^/]+?)(?:\.git)?/?$")


class _Deployer(NamedTuple):
    """An Application or a Flux Kustomization: the absolute folder that it deploys, and the namespace."""

    folder: str
    given: GivenNamespace


def given_namespaces(files: Sequence[Input], settings: NamespacesByPath) -> dict[str, GivenNamespace]:
    """The namespaces of files, by their names. A file that was named itself has only that of the settings."""
    builds = Builds([file for file in files if not file.is_named])
    deployers = [*_deployers(builds)]
    by_path = {
        **_given(builds, [deployer for deployer in deployers if not deployer.given.replaces]),
        **_of_kustomizations(builds),
        **_given(builds, [deployer for deployer in deployers if deployer.given.replaces]),
    }
    found = {file.name: by_path.get(whole_path(file.name)) or _of_settings(file, settings) for file in files}
    return {name: given for name, given in found.items() if given}


def namespace_note(given: Iterable[GivenNamespace]) -> list[Finding]:
    """A note that says where namespaces come from that the manifests do not say."""
    said = [f"{each.name} from {each.origin}" for each in dict.fromkeys(given)]
    return [note(Reason.NAMESPACE_GIVEN, f"namespaces of what deploys the manifests: {named(said)}")] if said else []


def _of_settings(file: Input, settings: NamespacesByPath) -> GivenNamespace | None:
    """The namespace of the last pattern that names the file or a folder above it."""
    path = posixpath.relpath(whole_path(file.name), settings.folder) if settings.patterns else ""
    if file.is_copy and not file.name.startswith("git:"):
        return None
    above = [path, *map(str, Path(path).parents)]
    found = [name for pattern, name in settings.patterns.items() if any(_matches(each, pattern) for each in above)]
    return GivenNamespace(found[-1], "namespaces of .sidecarctl.yaml") if found else None


def _matches(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern.removeprefix("./").rstrip("/"))


def _of_kustomizations(builds: Builds) -> dict[str, GivenNamespace]:
    """By file the namespace of the outermost kustomization; none where several of these differ."""
    named_by_others = {base for folder in builds.kustomizations for base in _resources(builds, folder)}
    found: dict[str, set[GivenNamespace | None]] = {}
    for folder in builds.kustomizations.keys() - named_by_others:
        for path, given in _below(builds, folder, None, frozenset()):
            found.setdefault(path, set()).add(given)
    return {path: given for path, all_given in found.items() if len(all_given) == 1 and (given := all_given.pop())}


def _below(
    builds: Builds, folder: str, outer: GivenNamespace | None, seen: frozenset[str]
) -> Iterator[tuple[str, GivenNamespace | None]]:
    """The files that a kustomization deploys, and their namespace; that of an outer one goes before its own."""
    value = builds.kustomizations[folder]
    own = value.get("namespace")
    origin = posixpath.relpath(folder, Path.cwd().as_posix())
    given = outer or (
        GivenNamespace(own, f"the kustomization {origin}", replaces=True) if isinstance(own, str) and own else None
    )
    for path in _resources(builds, folder):
        if path in builds.files:
            yield path, given
        elif path in builds.kustomizations and path not in seen:
            yield from _below(builds, path, given, seen | {folder})


def _resources(builds: Builds, folder: str) -> list[str]:
    value = builds.kustomizations[folder]
    return [
        posixpath.normpath(posixpath.join(folder, text)) for field in FOLDERS for text in texts_in(value.get(field))
    ]


def _given(builds: Builds, deployers: Sequence[_Deployer]) -> dict[str, GivenNamespace]:
    """By file the namespace of what deploys it; none where several differ."""
    found: dict[str, set[GivenNamespace]] = {}
    for folder, given in deployers:
        deployed: Iterator[str] | list[str]
        if folder in builds.kustomizations:
            deployed = (path for path, _ in _below(builds, folder, None, frozenset()))
        else:
            deployed = [path for path in builds.files if path.startswith(f"{folder}/")]
        for path in deployed:
            found.setdefault(path, set()).add(given)
    return {
        path: next(iter(all_given))
        for path, all_given in found.items()
        if len({each.name for each in all_given}) == 1
    }


def _deployers(builds: Builds) -> Iterator[_Deployer]:
    top = str(top_of(Path.cwd()) or Path.cwd())
    ours = remotes(Path(top))
    for file in builds.files.values():
        for manifest in _objects(file):
            group = str(manifest.get("apiVersion")).partition("/")[0]
            if (group, manifest.get("kind")) == (ARGO_CD, "Application"):
                name = value_at(manifest, ("spec", "destination", "namespace"))
                paths = [source.get("path") for source in _sources(manifest) if is_ours(source.get("repoURL"), ours)]
                found = [(path, name) for path in paths]
            elif (group, manifest.get("kind")) == (FLUX, "Kustomization"):
                found = [(value_at(manifest, ("spec", "path")), value_at(manifest, ("spec", "targetNamespace")))]
            else:
                continue
            called = value_at(manifest, ("metadata", "name"))
            origin = f"{'Application' if group == ARGO_CD else 'Kustomization'} {called} ({file.name})"
            for path, name in found:
                if isinstance(path, str) and isinstance(name, str) and name:
                    folder = posixpath.normpath(posixpath.join(top, path.lstrip("/")))
                    yield _Deployer(folder, GivenNamespace(name, origin, group == FLUX))


def _objects(file: Input) -> Iterator[Object]:
    try:
        for document in all_documents(file, Reader()) if mentions_deployer(file) else ():
            yield from (found.manifest for found in objects_of(document.value))
    except SidecarctlError:
        return  # its reader reports what is wrong


def _sources(application: Object) -> list[Object]:
    one, more = (value_at(application, ("spec", field)) for field in ("source", "sources"))
    entries: list[Value] = more if isinstance(more, list) else [one]
    return [entry for entry in entries if isinstance(entry, dict)]


def is_ours(url: Value, ours: frozenset[str]) -> bool:
    """Whether an address may be that of this repository; without remotes every one may be."""
    found = _REPOSITORY.search(url) if isinstance(url, str) else None
    return not (ours and found) or found[1].lower() in ours


def remotes(top: Path) -> frozenset[str]:
    """`owner/name` of the remotes of a repository."""
    try:
        text = (top / ".git" / "config").read_text(errors="replace")
    except OSError:
        return frozenset()
    urls = re.findall(r"^\s*url\s*=\s*(\S+)", text, re.MULTILINE)
    return frozenset(found[1].lower() for url in urls if (found := _REPOSITORY.search(url)))
