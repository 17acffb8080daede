"""The ResourceList that a KRM function reads and answers, and what kustomize and kpt record in it."""

import os
import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from pathlib import Path as FilePath
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import InputError, input_error, usage_error
from sidecarctl.engine.facts.findings import reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value, value_at
from sidecarctl.engine.inputs.objects import ManifestObject, Text, all_documents, objects_of

KIND = "ResourceList"
API_VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")
ITEMS: Path = ("items",)
FUNCTION_CONFIG: Path = ("functionConfig",)
RESULTS: Path = ("results",)


class ResourceList(NamedTuple):
    """A ResourceList; `before` and `after` are the text around its document."""

    document: Document
    before: str = ""
    after: str = ""

    @property
    def items(self) -> list[Object]:
        """The items that are objects."""
        items = self.document.value.get("items")
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    @property
    def function_config(self) -> Object | None:
        """The functionConfig, if there is one."""
        config = self.document.value.get("functionConfig")
        return config if isinstance(config, dict) else None

    @property
    def results(self) -> list[Value]:
        """The existing results."""
        results = self.document.value.get("results")
        if isinstance(results, dict):  # as functions answered before v1
            results = results.get("items")
        return results if isinstance(results, list) else []

    def objects(self) -> Iterator[ManifestObject]:
        """The objects among the items, and those of Lists among the items."""
        for index, item in enumerate(self.document.value.get("items") or ()):
            for found in objects_of(item):
                yield found._replace(path=(*ITEMS, index, *found.path))

    def text(self, edited: str) -> str:
        """Everything, with this text instead of the document's own."""
        return f"{self.before}{self.document.prefix}{edited}{self.after}"


def parse_resource_list(data: bytes, reader: Reader) -> ResourceList:
    """The ResourceList that a text consists of; InputError for anything else."""
    documents = all_documents(Text("stdin", data), reader)
    filled = [number for number, document in enumerate(documents) if document.value is not None]
    if not filled:
        hint = "kustomize and kpt send a ResourceList; for plain manifests use `sidecarctl inject -`"
        raise input_error(Reason.WRONG_TYPE, "expected a ResourceList on standard input, got nothing", hint=hint)
    document = documents[filled[0]]
    _check(document.value, alone=len(filled) == 1)
    texts = [other.prefix + other.text for other in documents]
    before, after = texts[: filled[0]], texts[filled[0] + 1 :]
    return ResourceList(document, "".join(before), "".join(after))


def _check(value: Value, *, alone: bool) -> None:
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind != KIND or not alone:
        got = "more than one document" if kind == KIND else f"kind {kind}" if kind else "an object without kind"
        hint = "for plain manifests use `sidecarctl inject -`"
        raise _wrong(f"expected a {KIND}, got {got}", ("kind",), hint)
    if value.get("apiVersion") not in API_VERSIONS:
        raise _wrong(f"expected apiVersion {API_VERSIONS[0]}, got {value.get('apiVersion')}", ("apiVersion",))
    if not isinstance(value.get("items") or [], list):
        raise _wrong("expected a list of items", ITEMS)
    if not isinstance(value.get("functionConfig") or {}, dict):
        raise _wrong("expected an object", FUNCTION_CONFIG)


def _wrong(message: str, path: Path, hint: str = "") -> InputError:
    return input_error(Reason.WRONG_TYPE, message, path, hint=hint)


_ITEMS = lazy_pattern(r"^items:\n(?=- )", re.MULTILINE)
_ITEM = lazy_pattern(r"^- ", re.MULTILINE)
_BEYOND = lazy_pattern(r"^(?!- | |\n)", re.MULTILINE)


class Slices(NamedTuple):
    """The text before the items, the text of each item, and the text after them."""

    head: str
    items: tuple[str, ...]
    tail: str


def slices_of(text: str, count: int) -> Slices | None:
    """The slices of a text with `count` items; None if it is laid out in another way.

    Kustomize writes a block list with its dashes in the first column, where an item has nothing else.
    """
    begin = _ITEMS.search(text)
    if begin is None:
        return None
    beyond = _BEYOND.search(text, begin.end())
    end = beyond.start() if beyond else len(text)
    starts = [found.start() for found in _ITEM.finditer(text, begin.end(), end)]
    if len(starts) != count or not text[:end].endswith("\n"):
        return None
    items = tuple(text[at:until] for at, until in zip(starts, [*starts[1:], end], strict=True))
    return Slices(text[: begin.end()], items, text[end:])


PATH = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
INDEX = ("internal.config.kubernetes.io/index", "config.kubernetes.io/index")
IDS = ("internal.config.kubernetes.io/id", "config.k8s.io/id")
"""The orchestrator matches returned items with those that it sent by these."""
PACKAGE = "internal.config.kubernetes.io/package-path"
KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
FUNCTION = ("config.kubernetes.io/function", "config.k8s.io/function")
LOCAL_CONFIG = "config.kubernetes.io/local-config"

_PREFIXES = (
    "internal.config.kubernetes.io/",
    "internal.config.k8s.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "kustomize.config.k8s.io/",
)


class File(NamedTuple):
    """The file that an item came from, and its number among the documents in it."""

    path: str
    number: int


def annotations_of(manifest: Object) -> Object:
    """An object's annotations; empty if there are none."""
    annotations = value_at(manifest, ("metadata", "annotations"))
    return annotations if isinstance(annotations, dict) else {}


def file_of(manifest: Object) -> File | None:
    """The file that an item came from; None if the orchestrator does not record it."""
    annotations = annotations_of(manifest)
    path = next((annotations[key] for key in PATH if isinstance(annotations.get(key), str)), None)
    if path is None:
        return None
    index = next((str(annotations[key]) for key in INDEX if key in annotations), "0")
    return File(path, int(index) if index.isdecimal() else 0)


def folder_of(config: Object | None, items: Iterable[Object]) -> str:
    """The folder that paths in a functionConfig are relative to: its own if kpt records it, else the current one."""
    if config is None:
        return ""
    if not annotations_of(config).get(PACKAGE):
        named = reference_of(config)
        config = next((item for item in items if reference_of(item) == named), config)
    package, file = annotations_of(config).get(PACKAGE), file_of(config)
    if not isinstance(package, str) or not package or file is None:
        return ""
    return os.path.join(package, os.path.dirname(file.path))  # noqa: PTH118, PTH120 - slashes, as kpt writes them


def is_local(manifest: Object) -> bool:
    """Whether an object is only for tools and never applied to a cluster."""
    return annotations_of(manifest).get(LOCAL_CONFIG) in ("true", True)


def without(manifest: Object, *keys: str) -> Object:
    """The object without some annotations."""
    kept = {key: value for key, value in annotations_of(manifest).items() if key not in keys}
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": kept}}


def as_authored(manifest: Object) -> Object:
    """An object without the annotations of orchestrators."""
    keys = [key for key in annotations_of(manifest) if key.startswith(_PREFIXES)]
    if not keys:
        return manifest
    authored = without(manifest, *keys)
    if not authored["metadata"]["annotations"]:
        del authored["metadata"]["annotations"]  # a copy: the manifest itself keeps them
    return authored


class Caller(Enum):
    """Kustomize drops results and wants validators to answer without items; kpt takes a missing item for deleted."""

    KUSTOMIZE = auto()
    KPT = auto()
    OTHER = auto()


def caller_of(items: Iterable[Object], function_config: Object | None) -> Caller:
    """The caller, by the marks on the items or else on the functionConfig."""
    caller = Caller.OTHER
    for item in items:
        annotations = annotations_of(item)
        if KUSTOMIZE_ID in annotations:
            return Caller.KUSTOMIZE
        if PATH[0] in annotations:
            caller = Caller.KPT
    if caller is Caller.OTHER and function_config and any(key in annotations_of(function_config) for key in FUNCTION):
        return Caller.KUSTOMIZE
    return caller


_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def refuse_deleting_validator(mode: str, config: Object, folder: str, reader: Reader) -> None:
    """UsageError for a validator under `transformers`, which would delete every resource by its empty answer.

    The call does not distinguish validators from transformers, so the kustomization is read, if it is simple.
    """
    here = FilePath(folder)
    for kustomization in _kustomizations(here, reader):
        transformers = _texts(kustomization, "transformers")
        alone = transformers and not kustomization.get("validators")
        named = (declared for entry in transformers for declared in _declared(here, entry, reader))
        if alone or reference_of(config) in map(reference_of, named):
            message = f"mode {mode} is for validators, but this kustomization lists it under transformers:"
            raise usage_error(message, hint="list the functionConfig under validators:")


def _declared(folder: FilePath, entry: str, reader: Reader) -> Iterator[Object]:
    """The objects behind an entry: their text itself, or that of a file or of the files of a folder."""
    if "\n" in entry or "{" in entry:
        yield from _objects(entry.encode(), reader)
        return
    yield from _in_file(folder / entry, reader)
    for kustomization in _kustomizations(folder / entry, reader):
        for file in _texts(kustomization, "resources"):
            yield from _in_file(folder / entry / file, reader)


def _kustomizations(folder: FilePath, reader: Reader) -> Iterator[Object]:
    for name in _NAMES:
        yield from _in_file(folder / name, reader)


def _texts(kustomization: Object, field: str) -> list[str]:
    entries = kustomization.get(field)
    return [entry for entry in entries if isinstance(entry, str)] if isinstance(entries, list) else []


def _in_file(path: FilePath, reader: Reader) -> Iterator[Object]:
    try:
        text = path.read_bytes()
    except (OSError, ValueError):  # kustomize reports what is wrong with it
        return
    yield from _objects(text, reader)


def _objects(text: bytes, reader: Reader) -> Iterator[Object]:
    try:
        documents = all_documents(Text("", text), reader)
    except InputError:
        return
    yield from (document.value for document in documents if isinstance(document.value, dict))
