"""The kustomization that declares the function: kustomize calls it with this as the working folder."""

from collections.abc import Iterator
from pathlib import Path

from sidecarctl.documents.document import Reader
from sidecarctl.documents.streams import Chunk
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.values import Object

_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def refuse_deleting_validator(mode: str, folder: str, reader: Reader) -> None:
    """UsageError for a validator under `transformers`, which would delete every resource by its empty answer.

    The call does not tell validators from transformers, so the kustomization is asked, where it is plain.
    """
    for kustomization in _kustomizations(Path(folder), reader):
        if kustomization.get("transformers") and not kustomization.get("validators"):
            message = f"mode {mode} answers the calls of validators, and this kustomization has only transformers"
            raise usage_error(message, hint="name the functionConfig under validators:")


def _kustomizations(folder: Path, reader: Reader) -> Iterator[Object]:
    for path in (folder / name for name in _NAMES):
        try:
            documents = reader.documents(Chunk(path.read_bytes(), 1))
        except (OSError, InputError):
            continue
        yield from (document.value for document in documents if isinstance(document.value, dict))
