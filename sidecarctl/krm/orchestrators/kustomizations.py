"""The kustomization that declares the function: kustomize calls it with this as the working folder."""

from collections.abc import Iterator
from pathlib import Path

from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.streams import split
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object

_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def refuse_deleting_validator(mode: str, config: Object, folder: str, reader: Reader) -> None:
    """UsageError for a validator under `transformers`, which would delete every resource by its empty answer.

    The call does not tell validators from transformers, so the kustomization is asked, where it is plain.
    """
    here = Path(folder)
    for kustomization in _kustomizations(here, reader):
        transformers = _texts(kustomization, "transformers")
        alone = transformers and not kustomization.get("validators")
        named = (declared for entry in transformers for declared in _declared(here, entry, reader))
        if alone or reference_of(config) in map(reference_of, named):
            message = f"mode {mode} is for validators, but this kustomization lists it under transformers:"
            raise usage_error(message, hint="list the functionConfig under validators:")


def _declared(folder: Path, entry: str, reader: Reader) -> Iterator[Object]:
    """The objects behind an entry: their text itself, or that of a file or of the files of a folder."""
    if "\n" in entry or "{" in entry:
        yield from _objects(entry.encode(), reader)
        return
    yield from _in_file(folder / entry, reader)
    for kustomization in _kustomizations(folder / entry, reader):
        for file in _texts(kustomization, "resources"):
            yield from _in_file(folder / entry / file, reader)


def _kustomizations(folder: Path, reader: Reader) -> Iterator[Object]:
    for name in _NAMES:
        yield from _in_file(folder / name, reader)


def _texts(kustomization: Object, field: str) -> list[str]:
    entries = kustomization.get(field)
    return [entry for entry in entries if isinstance(entry, str)] if isinstance(entries, list) else []


def _in_file(path: Path, reader: Reader) -> Iterator[Object]:
    try:
        text = path.read_bytes()
    except (OSError, ValueError):  # kustomize says what is wrong with it
        return
    yield from _objects(text, reader)


def _objects(text: bytes, reader: Reader) -> Iterator[Object]:
    try:
        documents = [document for chunk in split([text], len(text)) for document in reader.documents(chunk)]
    except InputError:
        return
    yield from (document.value for document in documents if isinstance(document.value, dict))
