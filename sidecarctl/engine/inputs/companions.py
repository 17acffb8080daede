"""Files that the manifests of a folder need to be built: those that kustomizations name, and the rest of charts."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.folders import KUSTOMIZATIONS
from sidecarctl.engine.inputs.objects import all_documents
from sidecarctl.engine.inputs.opening import Sources


def companions(sources: Sources[Input]) -> list[Input]:
    """Further files that an overlay or chart among the sources needs, in the same named folder, in order."""
    roots = [Path(os.path.realpath(path)) for path in sources.named.paths if Path(path).is_dir()]
    known = {os.path.realpath(source.path) for source in sources.paths}
    found: dict[str, Input] = {}
    for source in sources.paths:
        root = next((root for root in roots if Path(os.path.realpath(source.path)).is_relative_to(root)), None)
        for path in _needed(source) if root and not (source.is_named or source.is_copy) else ():
            real = os.path.realpath(path)
            if root and Path(real).is_relative_to(root) and real not in known and Path(real).is_file():
                within = Path(os.path.normpath(source.within.parent / os.path.relpath(path, source.path.parent)))
                name = os.path.normpath(Path(source.name).parent / os.path.relpath(path, source.path.parent))
                found.setdefault(real, Input(name, Path(real), within))
    return [found[real] for real in sorted(found)]


def _needed(source: Input) -> Iterator[Path]:
    folder = source.path.parent
    if source.path.name == "Chart.yaml":
        yield from (path for path in folder.rglob("*") if not any(part.startswith(".") for part in path.parts))
    files = [source.path] if source.path.name in KUSTOMIZATIONS else []
    if (plain := folder / "Kustomization").is_file():
        yield plain
        files.append(plain)
    for file in files:
        yield from (folder / name for name in _named(source._replace(path=file)) if len(name) < _LONGEST)


_LONGEST = 1000
"""Characters of a path; what is longer is content."""


def _named(kustomization: Input) -> Iterator[str]:
    """What may be the name of a file in a kustomization; generators write KEY=FILE too."""
    try:
        documents = all_documents(kustomization, Reader())
    except InputError:
        return
    for text in _texts([document.value for document in documents]):
        if text and "\n" not in text and "\0" not in text:
            yield text
            yield text.partition("=")[2] or text


def _texts(values: Iterable[Value]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            yield from _texts(value.values() if isinstance(value, dict) else value)
