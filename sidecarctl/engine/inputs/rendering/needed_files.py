"""The files that a renderer needs, found without running it; what it would fetch or run is refused.

kustomize fetches URLs wherever a path may be, and runs Helm for helmCharts. So every path of a kustomization must be
that of a file of the tree: the renderer sees these files and no other.
"""

import json
import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.inputs import EXTENSIONS
from sidecarctl.engine.inputs.builds import CHART, FOLDERS, texts_in
from sidecarctl.engine.inputs.folders import KUSTOMIZATIONS
from sidecarctl.engine.inputs.objects import Text, all_documents
from sidecarctl.engine.inputs.rendering.deployments import changed
from sidecarctl.engine.inputs.rendering.trees import FileTree, parts_of

_HELM_IN_KUSTOMIZE = ("helmCharts", "helmChartInflationGenerator", "helmGlobals")
_PATHS = (
    *FOLDERS,
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "configMapGenerator",
    "secretGenerator",
    "crds",
    "configurations",
    "openapi",
    "replacements",
)
"""The fields of a kustomization that may hold paths."""
_REMOTE = lazy_pattern(r"[a-z][a-z+]*://|git@|[^/]+\.[a-z]+/.*(?:\?ref=|//|\.git)|github\.com/")
_RANDOM = lazy_pattern(
    rb"\{\{[^}]*\b(?:rand(?:Alpha|AlphaNum|Numeric|Ascii|Bytes|Int)|uuidv4"
    rb"|gen(?:CA|PrivateKey|SelfSignedCert|SignedCert)"
    rb"|now|shuffle|htpasswd|bcrypt)\b"
)


class RendererFiles(NamedTuple):
    """The files that a renderer needs, by their paths from the top; `changing`: one with random output."""

    files: dict[str, bytes]
    changing: str = ""


def kustomization_files(tree: FileTree, folder: str, changes: str = "") -> RendererFiles:
    """The files of a kustomization and of those that it builds on; InputError for what is remote or not there.

    The kustomization itself is written so that its output says which file each object is from.
    """
    files: dict[str, bytes] = {}
    _walk(tree, folder, files)
    path, value = _kustomization(tree, folder)
    with_origins = {"buildMetadata": ["originAnnotations"], **changed(value, changes)}
    for component in json.loads(changes).get("components", ()) if changes else ():
        _take(tree, folder, files, "components", component, path)
    return RendererFiles({**files, path: json.dumps(with_origins).encode()})


def _walk(tree: FileTree, folder: str, files: dict[str, bytes]) -> None:
    path, value = _kustomization(tree, folder)
    if path in files:
        return
    files[path] = tree.content(path) or b""
    for field in _HELM_IN_KUSTOMIZE:
        if value.get(field):
            raise _refused(tree, path, f"{field}: kustomize would run Helm and fetch charts")
    for field in _PATHS:
        for text in texts_in(_paths_in(value.get(field))):
            _take(tree, folder, files, field, text, path)


def _paths_in(value: Value) -> Value:
    """The part of a field that holds paths: neither literals nor labels nor patches that are written there."""
    if isinstance(value, dict):
        return [value.get(key) for key in ("path", "files", "envs", "env")]
    return [_paths_in(item) for item in value] if isinstance(value, list) else value


def _take(tree: FileTree, folder: str, files: dict[str, bytes], field: str, text: str, path: str) -> None:
    """Add what a text of a kustomization names, if it may be a path; `path` is the file of the kustomization."""
    if _REMOTE.match(text):
        raise _refused(tree, path, f"{field}: {text} is remote, and nothing is fetched")
    named = posixpath.normpath(posixpath.join(folder, text))
    content = tree.content(named)
    if content is not None:
        files[named] = content
        if field in ("generators", "transformers", "validators") and b"://" in content:
            raise _refused(tree, named, "it names a URL, and nothing is fetched")
    elif field in FOLDERS:
        if any(tree.content(f"{named}/{name}") is not None for name in KUSTOMIZATIONS):
            _walk(tree, named, files)
        else:
            raise _refused(tree, path, f"{field}: there is no file {text}, and no kustomization in a folder {text}")


def _kustomization(tree: FileTree, folder: str) -> tuple[str, Object]:
    found = [*parts_of(tree, [posixpath.normpath(f"{folder}/{name}") for name in KUSTOMIZATIONS])]
    if not found:
        raise input_error(Reason.NOT_RENDERED, f"{tree.shown(folder)} has no kustomization.yaml")
    path, content = found[0]
    value = _value(content, tree.shown(path))
    if not isinstance(value, dict):
        raise _refused(tree, path, "it is not a kustomization")
    return path, value


def _value(content: bytes, name: str) -> Value:
    try:
        values = [document.value for document in all_documents(Text(name, content), Reader())]
    except SidecarctlError as fault:
        first = fault.findings[0]
        raise input_error(Reason.NOT_RENDERED, f"{name}: {first.message}") from None
    return next((value for value in values if value is not None), None)


def chart_files(tree: FileTree, folder: str, values: tuple[str, ...]) -> RendererFiles:
    """The files of a chart with its values files; InputError if something is not there."""
    if tree.content(f"{folder}/{CHART}") is None:
        raise input_error(Reason.NOT_RENDERED, f"{tree.shown(folder)} has no {CHART}")
    files = dict(parts_of(tree, tree.below(folder)))
    for path in values:
        content = tree.content(path)
        if content is None:
            raise input_error(Reason.NOT_RENDERED, f"there is no values file {tree.shown(path)}")
        files[path] = content
    return RendererFiles(files, next(_changing(files), ""))


def plain_files(tree: FileTree, folder: str, *, recurses: bool) -> RendererFiles:
    """The manifests in a folder."""
    paths = [path for path in tree.below(folder) if recurses or posixpath.dirname(path) == folder]
    return RendererFiles(dict(parts_of(tree, [path for path in paths if path.endswith(EXTENSIONS)])))


def _changing(files: dict[str, bytes]) -> Iterator[str]:
    for path, content in files.items():
        if "/templates/" in path and _RANDOM.search(content):
            yield path


def _refused(tree: FileTree, path: str, why: str) -> InputError:
    hint = "make it a file or folder of this repository"
    return input_error(Reason.NOT_RENDERED, f"{tree.shown(path)}: {why}", hint=hint)
