"""What kustomizations and Helm charts are built from: files that a comparison of manifests as written misses.

Source: the files that kustomize reads for a kustomization are those that its fields name, below its folder; folders
that it names are kustomizations too. Helm reads everything in the folder of a Chart.yaml.
"""

import os
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.fixed_files import whole_path
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.folders import KUSTOMIZATIONS
from sidecarctl.engine.inputs.objects import all_documents

CHART = "Chart.yaml"
FOLDERS = ("resources", "components", "bases", "generators", "transformers", "validators")
"""The fields that may name folders with kustomizations."""
_LISTING = frozenset(("apiVersion", "kind", "metadata", "resources", "bases", "namespace", "sortOptions"))
"""The fields of a kustomization that deploys files as they are written."""


def texts_in(value: Value) -> Iterator[str]:
    """Every text in a value that may name a file; `NAME=FILE` also as the file alone."""
    if isinstance(value, str):
        if value and "\n" not in value:
            yield value
            if "=" in value:
                yield value.partition("=")[2]
    elif isinstance(value, dict):
        for member in value.values():
            yield from texts_in(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def kustomization_in(file: Input) -> Object | None:
    """The value of a kustomization; None for a file that is none, or cannot be read."""
    if file.within.name not in KUSTOMIZATIONS:
        return None
    try:
        values = [document.value for document in all_documents(file, Reader())]
    except SidecarctlError:
        return None  # its reader reports what is wrong
    return next((value for value in values if isinstance(value, dict)), None)


class Builds:
    """The kustomizations and charts among the files of a tree."""

    def __init__(self, files: Sequence[Input]) -> None:
        self.files = {whole_path(file.name): file for file in files}

    @cached_property
    def kustomizations(self) -> Mapping[str, Object]:
        """The values of the kustomizations, by their folders."""
        found = ((path, kustomization_in(file)) for path, file in self.files.items())
        return {posixpath.dirname(path): value for path, value in found if value is not None}

    def feeding(self) -> dict[str, str]:
        """The files that are not deployed as they are written, with the folder of what builds them.

        Those of charts, kustomizations themselves, and what they name if a kustomization changes it.
        """
        charts = {posixpath.dirname(path) for path in self.files if posixpath.basename(path) == CHART}
        found = {path: chart for path in self.files for chart in _above(path) if chart in charts}
        for folder, value in self.kustomizations.items():
            changer = self._changing.get(folder, "")
            for text in texts_in(value):
                if changer and (path := _joined(folder, text)) in self.files:
                    found.setdefault(path, changer)
        for path in self.files:
            if posixpath.basename(path) in KUSTOMIZATIONS:
                found[path] = posixpath.dirname(path)
        return found

    @cached_property
    def _changing(self) -> Mapping[str, str]:
        """The folders of kustomizations whose manifests are changed, by themselves or one that builds on them."""
        changing = {folder: folder for folder, value in self.kustomizations.items() if value.keys() - _LISTING}
        unseen = [*changing]
        while unseen:
            folder = unseen.pop()
            for text in texts_in(self.kustomizations[folder]):
                base = _joined(folder, text)
                if base in self.kustomizations and base not in changing:
                    changing[base] = changing[folder]
                    unseen.append(base)
        return changing


def not_compared(
    old: Sequence[Input], new: Sequence[Input], holding: Collection[str], *, renders: bool = False
) -> Iterator[Finding]:
    """A warning for each file that differs in two trees and is not deployed as it is written.

    `holding`: the names of the files of the newer tree that have objects, which are compared as they are written.
    `renders`: what the settings list was rendered, so the file feeds something else.
    """
    before, after = Builds(old), Builds(new)
    fed = {**before.feeding(), **after.feeding()}
    was = {str(file.within): file for file in old if not file.is_named}
    partners: set[str] = set()
    remedy = "no entry of render builds it" if renders else "kustomize and Helm sources are compared with --render"
    for path, file in after.files.items():
        other = before.files.get(path) or (None if file.is_named else was.get(str(file.within)))
        partners |= {whole_path(other.name)} if other else set()
        if path in fed and (other is None or _bytes(other) != _bytes(file)):
            yield _not_compared(
                file.name, "changed" if other else "was added", remedy, fed[path] if file.name in holding else ""
            )
    for path, file in before.files.items():
        if path in fed and path not in partners:
            yield _not_compared(file.name, "was removed", remedy)


def _not_compared(name: str, verb: str, remedy: str, builder: str = "") -> Finding:
    """The warning about a file; `builder`: the folder of what builds its objects, which were compared as written."""
    said = "was not compared"
    if builder and PurePosixPath(name).name not in (*KUSTOMIZATIONS, CHART):
        said = f"was compared as written, not as {os.path.relpath(builder)} builds it"
    return warning(Reason.NOT_RENDERED, f"{name} {verb} and {said}: {remedy}")


def _bytes(file: Input) -> bytes:
    try:
        return file.path.read_bytes()
    except OSError:
        return b""


def _joined(folder: str, text: str) -> str:
    return posixpath.normpath(posixpath.join(folder, text))


def _above(path: str) -> list[str]:
    """The folders above a file, the nearest last."""
    return [str(folder) for folder in reversed(PurePosixPath(path).parents)]
