"""What the entries of `render` deploy, as inputs of a run: an input for each file that objects were rendered from."""

import hashlib
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import GivenNamespace, Reader
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS, split
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, input_error
from sidecarctl.engine.facts.findings import Finding, Place, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.files.fixed_files import top_of, whole_path
from sidecarctl.engine.files.inputs import FROM, Input
from sidecarctl.engine.inputs.builds import CHART
from sidecarctl.engine.inputs.folders import KUSTOMIZATIONS, without_sources
from sidecarctl.engine.inputs.objects import Text, all_documents
from sidecarctl.engine.inputs.opening import Named, Sources
from sidecarctl.engine.inputs.rendering.needed_files import Needed, chart_files, kustomization_files
from sidecarctl.engine.inputs.rendering.renderers import helm_template, kustomize_build
from sidecarctl.engine.inputs.rendering.trees import Tree, is_pattern, tree_of
from sidecarctl.engine.inputs.settings import RenderEntry, Rendering, RenderLimits

_ORIGIN = lazy_pattern(rb"^    config\.kubernetes\.io/origin: \|\n((?:      .*\n?)+)", re.MULTILINE)
_NO_ANNOTATIONS = lazy_pattern(rb"^  annotations:\n(?!   )", re.MULTILINE)
_PATH = lazy_pattern(rb"^ *path: *(\S.*?) *$", re.MULTILINE)
_SOURCE = lazy_pattern(rb"^# Source: (\S+)", re.MULTILINE)


class Build(NamedTuple):
    """A kustomization or chart that an entry names, by its folder from the top of a tree."""

    entry: RenderEntry
    folder: str
    values: tuple[str, ...] = ()

    @property
    def release(self) -> str:
        """The name of the Helm release."""
        return self.entry.release or posixpath.basename(self.folder)

    def __str__(self) -> str:
        """`kustomize overlays/prod`, or `helm charts/web, release web, namespace shop, values prod.yaml`."""
        said = [f"{self.entry.tool} {self.folder}"]
        said += [f"release {self.release}"] if self.entry.tool == "helm" else []
        said += [f"namespace {self.entry.namespace}"] if self.entry.namespace else []
        return ", ".join([*said, *(f"values {path}" for path in self.values)])


def with_rendered(found: Sequence[Sources[Input]], copies: ExitStack) -> list[Sources[Input]]:
    """The sources, each with what its tree renders, instead of the files that this is rendered from.

    Two builds of equal files are rendered once. What cannot be rendered is an input that cannot be read.
    """
    folder = Path(copies.enter_context(TemporaryDirectory(prefix="sidecarctl-rendered-")))
    run = _Run(folder)
    return [_of_tree(sources, sources.named.render, run) if sources.named.render else sources for sources in found]


def listed(named: Named) -> list[str]:
    """What would be rendered, a line each; InputError for an entry without anything."""
    rendering = named.render
    trees = _trees(rendering) if rendering else []
    return [str(build) for tree in trees if rendering for build in _builds(named, rendering, tree)]


def _of_tree(sources: Sources[Input], rendering: Rendering, run: "_Run") -> Sources[Input]:
    made: list[Input] = []
    fed: set[str] = set()
    notes: list[Finding] = []
    for tree in _trees(rendering):
        top = _top(rendering)
        try:
            builds = _builds(sources.named, rendering, tree)
        except InputError as fault:
            made += [_failed(rendering.file, item) for item in fault.findings]
            builds = []
        for build in builds:
            try:
                needed = _needed(tree, build)
                fed |= {str(top / path) for path in needed.files}
                if needed.changing:
                    notes.append(_changes(tree, build, needed.changing))
                made += run.inputs(tree, build, needed, rendering.limits)
            except InputError as fault:
                made += [_failed(tree.shown(build.folder), item) for item in fault.findings]
    kept = [file for file in sources.paths if file.is_named or whole_path(file.name) not in fed]
    rest = [file for file in sources.found if whole_path(file.name) not in fed]
    is_all = {file.name for file in rest} <= {file.name for file in sources.every}
    left_out = without_sources(sources.left_out) if is_all else sources.left_out
    return sources._replace(paths=[*kept, *made], found=rest, left_out=left_out, notes=[*sources.notes, *notes])


def _failed(name: str, finding: Finding) -> Input:
    return Input(name, Path(os.devnull), Path(name), is_copy=True, fault=finding._replace(place=Place(name)))


def _changes(tree: Tree, build: Build, path: str) -> Finding:
    message = (
        f"{tree.shown(build.folder)} renders other values on each run, as {path} asks for random ones or the date"
    )
    return warning(Reason.NOT_RENDERED, f"{message}: what differs may be no change")


def _top(rendering: Rendering) -> Path:
    return top_of(Path(rendering.folder)) or Path(rendering.folder)


def _trees(rendering: Rendering) -> list[Tree]:
    return [tree_of(source, _top(rendering)) for source in rendering.sources]


def _builds(named: Named, rendering: Rendering, tree: Tree) -> list[Build]:
    """What the entries name in a tree; InputError for an entry without anything, but in an older tree."""
    top = _top(rendering)
    here = os.path.relpath(rendering.folder, top)
    wanted = [whole_path(path) for path in named.paths]
    found: list[Build] = []
    for index, entry in enumerate(rendering.entries):
        pattern = posixpath.normpath(posixpath.join(here, entry.path))
        folders = [
            folder for folder in tree.folders_like(pattern) if not is_pattern(pattern) or _has_one(tree, folder)
        ]
        if not folders and named.side != "old":
            message = f"render[{index}] names no folder: there is no {entry.path}"
            raise input_error(Reason.NOT_RENDERED, message, ("render", index))
        values = tuple(posixpath.normpath(posixpath.join(here, path)) for path in entry.values)
        found += [Build(entry, folder, values) for folder in folders]
    return [build for build in found if rendering.everywhere or _is_below(str(top / build.folder), wanted)]


def _has_one(tree: Tree, folder: str) -> bool:
    return any(tree.content(f"{folder}/{name}") is not None for name in (*KUSTOMIZATIONS, CHART))


def _is_below(folder: str, paths: Sequence[str]) -> bool:
    return any(folder == path or folder.startswith(f"{path}/") for path in paths)


def _needed(tree: Tree, build: Build) -> Needed:
    if build.entry.tool == "helm":
        return chart_files(tree, build.folder, build.values)
    return kustomization_files(tree, build.folder)


class _Run:
    """Renders builds, each set of equal files once, and keeps the output in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._done: dict[str, bytes | InputError] = {}
        self._number = 0

    def inputs(self, tree: Tree, build: Build, needed: Needed, limits: RenderLimits) -> Iterator[Input]:
        """The output as inputs, one for each file that it is from; InputError in the words of the tool."""
        output = self._output(build, needed, limits)
        shown = tree.shown(build.folder)
        given = (
            GivenNamespace(build.entry.namespace, f"render of {build.entry.path}") if build.entry.namespace else None
        )
        for origin, data in _by_origin(output, build).items():
            self._number += 1
            path = self._folder / f"{self._number}.yaml"
            path.write_bytes(data)
            suffix = f"{FROM}{origin})"
            yield Input(f"{shown}{suffix}", path, Path(f"{build.folder}{suffix}"), is_copy=True, given=given)

    def _output(self, build: Build, needed: Needed, limits: RenderLimits) -> bytes:
        digest = hashlib.sha256(repr((build, limits, sorted(needed.files.items()))).encode()).hexdigest()
        if digest not in self._done:
            try:
                self._done[digest] = _rendered(build, needed, limits)
            except InputError as fault:
                self._done[digest] = fault
        done = self._done[digest]
        if isinstance(done, InputError):
            raise done
        return done


def _rendered(build: Build, needed: Needed, limits: RenderLimits) -> bytes:
    if build.entry.tool == "helm":
        namespace = build.entry.namespace
        output = helm_template(needed.files, build.folder, build.release, namespace, build.values, limits)
    else:
        output = kustomize_build(needed.files, build.folder, limits)
    try:
        all_documents(Text("", output), Reader())
    except SidecarctlError as fault:
        message = f"{build.entry.tool} printed what is no YAML: {fault.findings[0].message}"
        raise input_error(Reason.NOT_RENDERED, message) from None
    return output


def _by_origin(output: bytes, build: Build) -> dict[str, bytes]:
    """The documents of an output, put together by the file that they are from."""
    found: dict[str, list[bytes]] = {}
    for chunk in split([output], DEFAULT_LIMITS.size):
        text = chunk.data.removeprefix(b"---").strip()
        if text:
            origin, plain = _of_helm(text, build) if build.entry.tool == "helm" else _of_kustomize(text, build)
            found.setdefault(origin, []).append(plain)
    return {origin: b"\n---\n".join(texts) + b"\n" for origin, texts in found.items()}


def _of_helm(text: bytes, build: Build) -> tuple[str, bytes]:
    source = _SOURCE.search(text)
    within = source[1].decode(errors="replace").partition("/")[2] if source else ""
    return f"{build.folder}/{within}" if within else "helm template", text


def _of_kustomize(text: bytes, build: Build) -> tuple[str, bytes]:
    """The file of a document, and the document without the annotation that says so."""
    said = _ORIGIN.search(text)
    if said is None:
        return "kustomize build", text
    path = _PATH.search(said[1])
    origin = (
        posixpath.normpath(posixpath.join(build.folder, path[1].decode(errors="replace"))) if path else build.folder
    )
    return origin, _NO_ANNOTATIONS.sub(b"", _ORIGIN.sub(b"", f"{text.decode(errors='replace')}\n".encode()))
