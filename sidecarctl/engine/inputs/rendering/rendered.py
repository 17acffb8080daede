"""What the entries of `render` deploy, as inputs of a run: an input for each file that objects were rendered from."""

import hashlib
import json
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from sidecarctl.engine.documents.reading.document import GivenNamespace, Reader
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS, split
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, input_error
from sidecarctl.engine.facts.findings import Finding, Place, note, warning
from sidecarctl.engine.facts.findings import named as named_few
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.fixed_files import is_below, top_of, whole_path
from sidecarctl.engine.files.inputs import FROM, PREFIX, Input
from sidecarctl.engine.inputs.builds import CHART
from sidecarctl.engine.inputs.folders import ARGO_CD, KUSTOMIZATIONS, without_sources
from sidecarctl.engine.inputs.given_namespaces import remotes
from sidecarctl.engine.inputs.objects import Text, all_documents
from sidecarctl.engine.inputs.opening import Named, Sources
from sidecarctl.engine.inputs.rendering.argo_cd import add_argo_cd
from sidecarctl.engine.inputs.rendering.deployments import Build, Deployments, changed, objects_below, objects_in_text
from sidecarctl.engine.inputs.rendering.flux import add_flux
from sidecarctl.engine.inputs.rendering.needed_files import (
    RendererFiles,
    chart_files,
    kustomization_files,
    plain_files,
)
from sidecarctl.engine.inputs.rendering.renderers import helm_template, kustomize_build
from sidecarctl.engine.inputs.rendering.trees import FileTree, is_pattern, tree_of
from sidecarctl.engine.inputs.rendering.variables import substituted
from sidecarctl.engine.inputs.settings import RenderLimits, RenderPlan

_ORIGIN = lazy_pattern(rb"^    config\.kubernetes\.io/origin: \|\n((?:      .*\n?)+)", re.MULTILINE)
_NO_ANNOTATIONS = lazy_pattern(rb"^  annotations:\n(?!   )", re.MULTILINE)
_PATH = lazy_pattern(rb"^ *path: *(\S.*?) *$", re.MULTILINE)
_SOURCE = lazy_pattern(rb"^# Source: (\S+)", re.MULTILINE)


def with_rendered(found: Sequence[Sources[Input]], copies: ExitStack) -> list[Sources[Input]]:
    """The sources, each with what its tree renders, instead of the files that this is rendered from.

    Two builds of equal files are rendered once. What cannot be rendered is an input that cannot be read.
    """
    folder = Path(copies.enter_context(TemporaryDirectory(prefix="sidecarctl-rendered-")))
    run = _Run(folder)
    return [_of_tree(sources, sources.named.render, run) if sources.named.render else sources for sources in found]


def listed(named: Named, rendering: RenderPlan) -> list[str]:
    """What would be rendered, a line each; InputError for an entry without anything.

    What charts and kustomizations deploy in turn is not known without rendering them.
    """
    lines: list[str] = []
    for tree in _trees(named, rendering):
        found = _deployments(named, rendering, tree)
        lines += [*map(str, found.builds), *(f"not in this repository: {name}" for name in found.elsewhere)]
        lines += [f"error: {name}: {finding.message}" for name, finding in found.failed]
    return lines


def _of_tree(sources: Sources[Input], rendering: RenderPlan, run: "_Run") -> Sources[Input]:
    made: list[Input] = []
    fed: set[str] = set()
    notes: list[Finding] = []
    for tree in _trees(sources.named, rendering):
        found = Deployments([], [], [])
        try:
            found = _deployments(sources.named, rendering, tree)
        except InputError as fault:
            made += [_failed(rendering.file, item) for item in fault.findings]
        chosen = {build for build in found.builds if _is_named(build, sources.named, rendering)}
        for build in found.builds:  # which get more while Applications are found in their output
            cluster = rendering.destinations.get(build.destination, "")
            if cluster not in ("", rendering.cluster):
                continue
            is_chosen, known = bool(cluster) or build in chosen, len(found.builds)
            if not (is_chosen or build.destination):
                continue
            try:
                needed = _needed(tree, build)
                if is_chosen:
                    fed |= {whole_path(tree.shown(path)) for path in needed.files}
                    notes += [_changes(tree, build, needed.changing)] if needed.changing else []
                    made += run.inputs(tree, build, needed, rendering.limits)
                objects = objects_in_text(run.output(build, needed, rendering.limits))
                if not is_chosen and not all(ARGO_CD in str(each.get("apiVersion")) for each in objects):
                    notes.append(_of_no_cluster(build))
                _add_deployed(objects, tree, rendering, found)
                chosen |= {*found.builds[known:]} if is_chosen else set()
            except InputError as fault:
                made += [_failed(_named(tree, build), item) for item in fault.findings]
        made += [_failed(name, item) for name, item in found.failed]
        notes += _elsewhere(found.elsewhere)
    kept = [file for file in sources.paths if file.is_named or whole_path(file.name) not in fed]
    rest = [file for file in sources.found if whole_path(file.name) not in fed]
    is_all = {file.name for file in rest} <= {file.name for file in sources.every}
    left_out = without_sources(sources.left_out) if is_all else sources.left_out
    return sources._replace(paths=[*kept, *made], found=rest, left_out=left_out, notes=[*sources.notes, *notes])


def _named(tree: FileTree, build: Build) -> str:
    return f"{tree.shown(build.folder)}{f' by {build.by}' if build.by else ''}"


def _of_no_cluster(build: Build) -> Finding:
    message = f"{build.by} is not read: no cluster in .sidecarctl.yaml has {build.destination} among its destinations"
    return note(Reason.NOT_RENDERED, message)


def _elsewhere(names: Sequence[str]) -> list[Finding]:
    if not names:
        return []
    unique = list(dict.fromkeys(names))
    return [note(Reason.NOT_RENDERED, f"not rendered, as it is not in this repository: {named_few(unique)}")]


def _add_deployed(objects: Sequence[Object], tree: FileTree, rendering: RenderPlan, found: Deployments) -> None:
    """Add what Applications and Flux objects among some objects deploy, unless that is known."""
    ours = remotes(_top(rendering))
    new = Deployments([], [], [])
    for manifest in objects:
        if any(entry.tool == "argocd" for entry in rendering.entries):
            add_argo_cd(manifest, tree, ours, new)
        if any(entry.tool == "flux" for entry in rendering.entries):
            add_flux(manifest, objects, tree, ours, new)
    found.builds.extend(build for build in new.builds if build not in found.builds)
    found.failed.extend(item for item in new.failed if item not in found.failed)
    found.elsewhere.extend(new.elsewhere)


def _failed(name: str, finding: Finding) -> Input:
    return Input(name, Path(os.devnull), Path(name), is_copy=True, fault=finding._replace(place=Place(name)))


def _changes(tree: FileTree, build: Build, path: str) -> Finding:
    message = (
        f"{tree.shown(build.folder)} renders different values on each run, as {path} asks for random ones or the date"
    )
    return warning(Reason.NOT_RENDERED, f"{message}: a difference may not be a change")


def _top(rendering: RenderPlan) -> Path:
    return top_of(Path(rendering.folder)) or Path(rendering.folder)


def _trees(named: Named, rendering: RenderPlan) -> list[FileTree]:
    """The trees that are rendered: those of the PATHS, where these are named."""
    sources: Sequence[str] = rendering.sources
    if not rendering.everywhere:
        revisions = (path.removeprefix(PREFIX).partition(":")[0] for path in named.paths if path.startswith(PREFIX))
        here = [""] if any(not path.startswith(PREFIX) for path in named.paths) else []
        sources = [*here, *dict.fromkeys(f"{PREFIX}{each}" for each in revisions if ".." not in each)]
    return [tree_of(source, _top(rendering)) for source in sources]


def _deployments(named: Named, rendering: RenderPlan, tree: FileTree) -> Deployments:
    """What the entries name in a tree; InputError for an entry without anything, but in an older tree."""
    top = _top(rendering)
    here = os.path.relpath(rendering.folder, top)
    found = Deployments([], [], [])
    for index, entry in enumerate(rendering.entries):
        pattern = posixpath.normpath(posixpath.join(here, entry.path))
        deploys = entry.tool in ("argocd", "flux")
        folders = [
            folder
            for folder in tree.folders_like(pattern)
            if deploys or not is_pattern(pattern) or _has_one(tree, folder)
        ]
        if not folders and named.side != "old":
            message = f"render[{index}] names no folder: there is no {entry.path}"
            raise input_error(Reason.NOT_RENDERED, message, ("render", index))
        if deploys:
            objects = [manifest for folder in folders for _, manifest in objects_below(tree, folder)]
            _add_deployed(objects, tree, rendering, found)
            continue
        values = tuple(posixpath.normpath(posixpath.join(here, path)) for path in entry.values)
        for folder in folders:
            release = entry.release or posixpath.basename(folder)
            found.builds.append(Build(entry.tool, folder, "", entry.namespace, release, values))
    if rendering.cluster:  # whose Applications may be deployed by others
        return found._replace(builds=list(dict.fromkeys(found.builds)))
    return found._replace(builds=[each for each in dict.fromkeys(found.builds) if _is_named(each, named, rendering)])


def _is_named(build: Build, named: Named, rendering: RenderPlan) -> bool:
    """Whether a build is below the PATHS, or these are not asked about."""
    wanted = [whole_path(path) for path in named.paths]
    return rendering.everywhere or is_below(str(_top(rendering) / build.folder), wanted)


def _has_one(tree: FileTree, folder: str) -> bool:
    return any(tree.content(f"{folder}/{name}") is not None for name in (*KUSTOMIZATIONS, CHART))


def _needed(tree: FileTree, build: Build) -> RendererFiles:
    if build.tool == "helm":
        return chart_files(tree, build.folder, build.values)
    if build.tool == "plain":
        return plain_files(tree, build.folder, recurses=build.recurses)
    return kustomization_files(tree, build.folder, build.changes)


class _Run:
    """Renders builds, each set of equal files once, and keeps the output in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._done: dict[str, bytes | InputError] = {}
        self._number = 0

    def inputs(self, tree: FileTree, build: Build, needed: RendererFiles, limits: RenderLimits) -> Iterator[Input]:
        """The output as inputs, one for each file that it is from; InputError in the words of the tool."""
        replaces = build.by.startswith("Kustomization ")
        origin_of = build.by or f"render of {build.folder}"
        given = GivenNamespace(build.namespace, origin_of, replaces) if build.namespace else None
        for origin, data in _by_origin(self.output(build, needed, limits), build).items():
            self._number += 1
            path = self._folder / f"{self._number}.yaml"
            path.write_bytes(data)
            suffix = f"{f' by {build.by}' if build.by else ''}{FROM}{origin})"
            name = f"{tree.shown(build.folder)}{suffix}"
            yield Input(name, path, Path(f"{build.folder}{suffix}"), is_copy=True, given=given)

    def output(self, build: Build, needed: RendererFiles, limits: RenderLimits) -> bytes:
        """What the tool prints for a build; once for equal files."""
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


def _rendered(build: Build, needed: RendererFiles, limits: RenderLimits) -> bytes:
    if build.tool == "plain":
        plain = (b"# Source: /%s\n%s" % (path.encode(), text) for path, text in needed.files.items())
        return substituted(b"\n---\n".join(plain), build.variables)
    if build.tool == "helm":
        output = helm_template(needed.files, build, limits)
        output = _post_rendered(output, build, limits) if build.changes else output
    else:
        output = substituted(kustomize_build(needed.files, build.folder, limits), build.variables)
    try:
        all_documents(Text("", output), Reader())
    except SidecarctlError as fault:
        message = f"{build.tool} printed something that is not YAML: {fault.findings[0].message}"
        raise input_error(Reason.NOT_RENDERED, message) from None
    return output


def _post_rendered(output: bytes, build: Build, limits: RenderLimits) -> bytes:
    """The output of Helm after kustomize, whose files are those of the chart."""
    files = _by_origin(output, build._replace(changes=""))
    value = changed({"resources": [*files], "buildMetadata": ["originAnnotations"]}, build.changes)
    return kustomize_build({**files, KUSTOMIZATIONS[0]: json.dumps(value).encode()}, ".", limits)


def _by_origin(output: bytes, build: Build) -> dict[str, bytes]:
    """The documents of an output, put together by the file that they are from."""
    found: dict[str, list[bytes]] = {}
    for chunk in split([output], DEFAULT_LIMITS.size):
        text = chunk.data.removeprefix(b"---").strip()
        if text:
            by_kustomize = build.tool == "kustomize" or (build.tool == "helm" and build.changes)
            origin, plain = _of_kustomize(text, build) if by_kustomize else _of_helm(text, build)
            found.setdefault(origin, []).append(plain)
    return {origin: b"\n---\n".join(texts) + b"\n" for origin, texts in found.items()}


def _of_helm(text: bytes, build: Build) -> tuple[str, bytes]:
    source = _SOURCE.search(text)
    chart, _, within = source[1].decode(errors="replace").partition("/") if source else ("", "", "")
    if within and not chart:  # a plain file
        return within, text
    return f"{build.folder}/{within}" if within else "helm template", text


def _of_kustomize(text: bytes, build: Build) -> tuple[str, bytes]:
    """The file of a document, and the document without the annotation that says so."""
    said = _ORIGIN.search(text)
    if said is None:
        return "kustomize build", text
    path = _PATH.search(said[1])
    folder = "" if build.tool == "helm" else build.folder
    origin = posixpath.normpath(posixpath.join(folder, path[1].decode(errors="replace"))) if path else build.folder
    return origin, _NO_ANNOTATIONS.sub(b"", _ORIGIN.sub(b"", f"{text.decode(errors='replace')}\n".encode()))
