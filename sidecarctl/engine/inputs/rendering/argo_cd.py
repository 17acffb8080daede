"""Applications and ApplicationSets of Argo CD whose source is this repository, as builds.

Source: Argo CD, "Application specification", "Helm", "Kustomize", "Multiple sources", "Generators".
"""

import posixpath
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.engine.inputs.given_namespaces import is_ours
from sidecarctl.engine.inputs.objects import Text, all_documents
from sidecarctl.engine.inputs.rendering.deployments import (
    Build,
    Deployments,
    as_json,
    kustomize_changes,
    not_rendered,
    path_in,
    refuse_others,
    tool_for,
)
from sidecarctl.engine.inputs.rendering.trees import FileTree, matches

_HELM = ("releaseName", "valueFiles", "values", "valuesObject", "parameters", "namespace", "ignoreMissingValueFiles")
_KUSTOMIZE = (
    "images",
    "namePrefix",
    "nameSuffix",
    "commonLabels",
    "commonAnnotations",
    "namespace",
    "patches",
    "components",
)
_SOURCE = ("repoURL", "path", "targetRevision", "helm", "kustomize", "directory", "ref", "chart", "name")
_VARIABLE = lazy_pattern(r"\{\{-? *\.?([\w.\[\]-]+) *-?\}\}")


class _App(NamedTuple):
    name: str
    namespace: str
    sources: list[Object]
    ours: frozenset[str]

    def is_here(self, source: Object) -> bool:
        return "chart" not in source and is_ours(source.get("repoURL"), self.ours)


def add_argo_cd(manifest: Object, tree: FileTree, ours: frozenset[str], found: Deployments) -> None:
    """Add what an Application or ApplicationSet deploys; other objects deploy nothing."""
    if not str(manifest.get("apiVersion")).startswith("argoproj.io/"):
        return
    name = str(value_at(manifest, ("metadata", "name")))
    if manifest.get("kind") == "Application":
        _add_application(manifest, name, tree, ours, found)
    elif manifest.get("kind") == "ApplicationSet":
        for each in _made(f"ApplicationSet {name}", manifest, tree, found):
            _add_application(each, str(value_at(each, ("metadata", "name"))), tree, ours, found)


def _add_application(manifest: Object, name: str, tree: FileTree, ours: frozenset[str], found: Deployments) -> None:
    one, more = (value_at(manifest, ("spec", field)) for field in ("source", "sources"))
    entries = more if isinstance(more, list) and more else [one]
    namespace, called, server = (
        str(value_at(manifest, ("spec", "destination", field)) or "") for field in ("namespace", "name", "server")
    )
    app = _App(name, namespace, [entry for entry in entries if isinstance(entry, dict)], ours)
    for source in app.sources:
        if not app.is_here(source):
            found.elsewhere.append(f"Application {name} ({source.get('repoURL')})")
        elif "path" in source:
            builds = (build._replace(destination=called or server) for build in _builds(app, source, tree))
            found.attempt(f"Application {name}", builds)


def _builds(app: _App, source: Object, tree: FileTree) -> Iterator[Build]:
    refuse_others(source, _SOURCE, "spec.source")
    folder = path_in("", str(source["path"]))
    if not tree.folders_like(folder):
        raise not_rendered(f"there is no folder {folder}")
    by, tool = f"Application {app.name}", tool_for(tree, folder)
    if source.get("helm") and tool != "helm":
        raise not_rendered(f"spec.source.helm is there, but {folder} is not a chart")
    if tool == "helm":
        yield _chart(app, source, folder, tree)
    elif tool == "kustomize":
        said = refuse_others(source.get("kustomize"), _KUSTOMIZE, "spec.source.kustomize")
        yield Build(
            tool, folder, by, app.namespace, changes=kustomize_changes(said, str(said.get("namespace") or ""))
        )
    else:
        said = refuse_others(source.get("directory"), ("recurse",), "spec.source.directory")
        yield Build(tool, folder, by, app.namespace, recurses=bool(said.get("recurse")))


def _chart(app: _App, source: Object, folder: str, tree: FileTree) -> Build:
    said = refuse_others(source.get("helm"), _HELM, "spec.source.helm")
    files = [_values_file(app, str(path), folder) for path in said.get("valueFiles") or ()]
    if said.get("ignoreMissingValueFiles"):
        files = [path for path in files if tree.content(path) is not None]
    inline = said.get("valuesObject") or said.get("values")
    text = as_json(inline) if isinstance(inline, dict) else str(inline or "")
    sets = [
        word
        for item in said.get("parameters") or ()
        for word in (
            "--set-string" if item.get("forceString") else "--set",
            f"{item.get('name')}={str(item.get('value')).replace(',', chr(92) + ',')}",
        )
    ]
    namespace = str(said.get("namespace") or app.namespace)
    release = str(said.get("releaseName") or app.name)
    inlined = (text,) if text else ()
    return Build("helm", folder, f"Application {app.name}", namespace, release, tuple(files), inlined, tuple(sets))


def _values_file(app: _App, path: str, folder: str) -> str:
    """The path of a values file from the top; `$REF/` begins one of another source."""
    if "://" in path:
        raise not_rendered(f"the values file {path} is remote, and nothing is fetched")
    if not path.startswith("$"):
        return path_in(folder, path)
    reference, _, rest = path[1:].partition("/")
    source = next((source for source in app.sources if source.get("ref") == reference), None)
    if source is None or not app.is_here(source):
        raise not_rendered(f"the values file {path} is not in this repository")
    return path_in("", rest)


def _made(name: str, manifest: Object, tree: FileTree, found: Deployments) -> list[Object]:
    """The Applications of an ApplicationSet; none, with the error, if something in it is not supported."""
    spec = manifest.get("spec") or {}
    try:
        if spec.get("templatePatch"):
            raise not_rendered("spec.templatePatch is not supported, so nothing is rendered without it")
        every = [values for generator in spec.get("generators") or () for values in _generated(generator, tree)]
        return [_filled(spec.get("template") or {}, values) for values in every]
    except InputError as fault:
        found.failed.extend((name, finding) for finding in fault.findings)
        return []


def _generated(generator: Object, tree: FileTree) -> Iterator[Mapping[str, str]]:
    """The values of each Application that a generator makes, by the names in the template."""
    if isinstance(elements := value_at(generator, ("list", "elements")), list):
        yield from (dict(_flat(element)) for element in elements)
    elif isinstance(folders := value_at(generator, ("git", "directories")), list):
        out = {folder for item in folders if item.get("exclude") for folder in tree.folders_like(str(item["path"]))}
        for item in folders:
            for folder in () if item.get("exclude") else tree.folders_like(str(item["path"])):
                if folder not in out:
                    yield _of_path(folder)
    elif isinstance(files := value_at(generator, ("git", "files")), list):
        for path, value in (found for item in files for found in _values_like(str(item["path"]), tree)):
            yield {**_of_path(posixpath.dirname(path)), **dict(_flat(value))}
    else:
        raise not_rendered(f"spec.generators: {', '.join(sorted(generator))} is not supported")


def _values_like(pattern: str, tree: FileTree) -> Iterator[tuple[str, Value]]:
    """The values in the files of a git generator, each with its file; a list in a file has several."""
    paths = [path for path in tree.below(".") if matches(path.split("/"), pattern.split("/"))]
    if not paths:
        raise not_rendered(f"spec.generators: git.files: there is no {pattern}")
    for path in paths:
        for document in all_documents(Text(tree.shown(path), tree.content(path) or b""), Reader()):
            values = document.value if isinstance(document.value, list) else [document.value]
            yield from ((path, value) for value in values)


def _of_path(folder: str) -> dict[str, str]:
    parts = {f"path[{index}]": part for index, part in enumerate(folder.split("/"))}
    return {"path": folder, "path.path": folder, "path.basename": posixpath.basename(folder), **parts}


def _flat(value: Value, before: str = "") -> Iterator[tuple[str, str]]:
    for key, member in value.items() if isinstance(value, dict) else ():
        if isinstance(member, dict):
            yield from _flat(member, f"{before}{key}.")
        else:
            yield f"{before}{key}", str(member).lower() if isinstance(member, bool) else str(member)


def _filled(value: Value, values: Mapping[str, str]) -> Value:
    """A template with the values; InputError for what needs more than names."""
    if isinstance(value, dict):
        return {key: _filled(member, values) for key, member in value.items()}
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    text = _VARIABLE.sub(lambda found: values.get(found[1], found[0]), value)
    if "{{" in text:
        raise not_rendered(f"spec.template: {value} needs more than names of values")
    return text
