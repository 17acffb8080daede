"""Files of a folder that are not manifests to work on: excluded files, Helm templates, kustomize patches.

They are left out and counted; a file that is named itself is always read.
"""

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from pathlib import PurePath, PurePosixPath
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.events import may_be_template
from sidecarctl.engine.facts.errors import InputError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.files.fixed_files import CONFIG, whole_path
from sidecarctl.engine.files.inputs import HIDDEN, IGNORED, LINK, SPARSE, Input, LeftOut, fingerprint_of
from sidecarctl.engine.inputs.objects import all_documents

_EXCLUDED, _TEMPLATE, _PATCH = "excluded file", "Helm template", "kustomize patch"
_PLURALS = {
    HIDDEN: "hidden folders",
    IGNORED: "paths that git ignores",
    LINK: "symbolic links to folders or out of the repository",
    SPARSE: "files outside of the sparse checkout",
    _EXCLUDED: "excluded files",
    _TEMPLATE: "Helm templates",
    _PATCH: "kustomize patches",
}
_HINTS = {
    HIDDEN: "--no-ignore reads what is hidden or ignored",
    IGNORED: "--no-ignore reads what is hidden or ignored",
    _TEMPLATE: "render charts with `helm template CHART | sidecarctl ... -`",
    _PATCH: "build overlays with `kustomize build DIR | sidecarctl ... -`",
}
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LARGEST_DEPLOYER = 1 << 17
_LARGEST_TEMPLATE = 1 << 20
"""Bytes. Files of charts are smaller; larger ones are dumps, and not searched."""


class Exclusion(NamedTuple):
    """Patterns of `.sidecarctl.yaml`; those with a slash count from its folder, an absolute path."""

    patterns: Sequence[str] = ()
    folder: str = ""


NOTHING = Exclusion()
ARGO_CD, FLUX = "argoproj.io", "kustomize.toolkit.fluxcd.io"


class NamespacesByPath(NamedTuple):
    """Namespaces by patterns of `.sidecarctl.yaml`, which count from its folder, an absolute path."""

    patterns: Mapping[str, str] = {}
    folder: str = ""


def gives_namespaces(file: Input) -> bool:
    """Whether a file may say into which namespace others are deployed."""
    return not file.is_named and (file.within.name in KUSTOMIZATIONS or mentions_deployer(file))


def mentions_deployer(file: Input) -> bool:
    """Whether a file may hold an Application of Argo CD or a Kustomization of Flux; large files do not."""
    found = file.found or fingerprint_of(file.path)
    data = _data(file) if found and found.size <= _LARGEST_DEPLOYER else b""
    return ARGO_CD.encode() in data or FLUX.encode() in data


def included(
    files: Sequence[Input], patterns: Sequence[str], left_out: LeftOut, usual: Exclusion = NOTHING, *, named: bool
) -> list[Input]:
    """The files of a path that are not excluded; the others are counted in `left_out`.

    Excluded is what a pattern names; with `named` also a file that was named itself. The `usual` patterns exclude
    only what is below a named folder.
    """
    files = [file for file in files if file.is_named or file.within.name != CONFIG]
    kept = [
        file
        for file in files
        if (file.is_named and not named) or not any(is_excluded(file, each) for each in patterns)
    ]
    kept = [file for file in kept if not _is_usually_excluded(file, usual)]
    left_out[_EXCLUDED] += len(files) - len(kept)
    return kept


def chosen(files: Sequence[Input], left_out: LeftOut) -> list[Input]:
    """The files of a path that are worked on as they are written; the others are counted in `left_out`."""
    kept = [file for file in files if file.is_named or file.within.suffix != ".tpl"]
    below = [file for file in kept if not file.is_named]
    if not below:
        return kept
    charts = {file.within.parent for file in files if file.within.name == "Chart.yaml"}
    templates = {file for file in below if _is_in_chart(file, charts) or _is_template(file)}
    patches = set(_patches(file for file in files if file.within.name in KUSTOMIZATIONS))
    patched = {file for file in below if file not in templates and str(file.within) in patches}
    left_out[_TEMPLATE] += len(templates)
    left_out[_PATCH] += len(patched)
    return [
        file for file in kept if file not in templates and file not in patched and file.within.name != "Kustomization"
    ]


def without_sources(left_out: LeftOut) -> LeftOut:
    """The counts without those of templates and patches."""
    return LeftOut({kind: number for kind, number in left_out.items() if kind not in (_TEMPLATE, _PATCH)})


def left_out_note(left_out: LeftOut) -> list[Finding]:
    """The note about files left out of folders, if there are any."""
    kinds = [kind for kind in _PLURALS if left_out[kind]]
    if not kinds:
        return []
    counts = [f"{left_out[kind]} {kind if left_out[kind] == 1 else _PLURALS[kind]}" for kind in kinds]
    counted = " and ".join(filter(None, [", ".join(counts[:-1]), counts[-1]]))
    hint = "; ".join(dict.fromkeys(_HINTS[kind] for kind in kinds if kind in _HINTS))
    return [note(Reason.LEFT_OUT, f"left out {counted}")._replace(hint=hint)]


def _is_in_chart(file: Input, charts: AbstractSet[PurePath]) -> bool:
    """Whether a file is below `templates/` of a chart; `charts` are the folders of these."""
    return bool(charts) and any(above.name == "templates" and above.parent in charts for above in file.within.parents)


def _is_template(file: Input) -> bool:
    """Whether Helm, or another program of its kind, has to render a file before it is YAML."""
    found = file.found or fingerprint_of(file.path)
    if found is None or found.size > _LARGEST_TEMPLATE or file.name.endswith(".json") or not _mentions_braces(file):
        return False
    try:
        all_documents(file, Reader())
    except SidecarctlError as fault:
        return any(finding.reason is Reason.HELM_TEMPLATE for finding in fault.findings)
    return False


def _data(file: Input) -> bytes:
    try:
        with open(file.path, "rb", buffering=0) as opened:  # noqa: PTH123 - it is called for every file of a run
            return opened.read()
    except OSError:
        return b""  # its reader reports what is wrong


def _mentions_braces(file: Input) -> bool:
    data = _data(file)
    if b"{{" not in data:
        return False
    lines = data.decode(errors="replace").replace("\ufeff", "").splitlines()  # braces within a line are data
    return may_be_template("\n".join(lines))


def _patches(kustomizations: Iterable[Input]) -> Iterator[str]:
    """The files that kustomizations name as patches, relative to the folder that was named."""
    for file in kustomizations:
        for name in _named_patches(file):
            yield posixpath.normpath(posixpath.join(PurePosixPath(file.within).parent, name))


def _named_patches(file: Input) -> Iterator[str]:
    try:
        documents = all_documents(file, Reader())
    except InputError:
        return  # its reader reports what is wrong
    for document in documents:
        for field in ("patches", "patchesStrategicMerge", "patchesJson6902"):
            for patch in _listed(document.value, field):
                name = patch.get("path") if isinstance(patch, dict) else patch
                if isinstance(name, str) and "\n" not in name:
                    yield name


def _listed(value: Value, field: str) -> list[Value]:
    entries = value.get(field) if isinstance(value, dict) else None
    return entries if isinstance(entries, list) else []


def _is_usually_excluded(file: Input, usual: Exclusion) -> bool:
    if file.is_named or not usual.patterns:
        return False
    whole = PurePath(os.path.relpath(whole_path(file.name), usual.folder))
    below = (whole, *whole.parents)[: len(file.within.parts)]
    return any(_matches(path, pattern.removeprefix("./")) for pattern in usual.patterns for path in below)


def _matches(path: PurePath, pattern: str) -> bool:
    pattern = pattern.rstrip("/")
    return fnmatchcase(str(path) if "/" in pattern else path.name, pattern.lstrip("/"))


def is_excluded(file: Input, pattern: str) -> bool:
    """Whether a pattern names a file or a folder above it.

    A pattern without a slash is compared with each part of the path; one with a slash with the path from the folder
    that was named, and with the path as the user would write it. `*` stands for any characters.
    """
    name = file.name.removeprefix("git:").partition(":")[2] if file.name.startswith("git:") else file.name
    if file.is_copy and name == file.name:  # standard input and pipes have no name to be excluded by
        return False
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern:
        return any(fnmatchcase(part, pattern) for part in (*file.within.parts, PurePath(name).name))
    return any(fnmatchcase(path, pattern) for whole in (file.within, PurePath(name)) for path in _above(whole))


def _above(path: PurePath) -> list[str]:
    """The path, and those of the folders above it."""
    return [str(above) for above in (path, *path.parents) if str(above) not in (".", "/")]
