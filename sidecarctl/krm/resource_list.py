"""The ResourceList: what a KRM function gets on stdin and answers on stdout.

Source: the KRM Functions Specification v1 (kustomize, cmd/config/docs/api-conventions/functions-spec.md).
"""

from collections.abc import Iterator

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.streams import split
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.manifest_objects import ManifestObject, objects_of

KIND = "ResourceList"
API_VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")
ITEMS: Path = ("items",)
FUNCTION_CONFIG: Path = ("functionConfig",)
RESULTS: Path = ("results",)

_NO_LIMIT = 1 << 62  # the orchestrator has held it in memory already


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
        """Everything, with this text in the place of the document's own."""
        return f"{self.before}{self.document.prefix}{edited}{self.after}"


def parse_resource_list(data: bytes, reader: Reader) -> ResourceList:
    """The ResourceList that a text consists of; InputError for anything else."""
    documents = _documents(data, reader)
    filled = [number for number, document in enumerate(documents) if document.value is not None]
    if not filled:
        hint = "kustomize and kpt send a ResourceList; for plain manifests use `sidecarctl inject -`"
        raise input_error(Reason.WRONG_TYPE, "expected a ResourceList on standard input, got nothing", hint=hint)
    document = documents[filled[0]]
    _check(document.value, alone=len(filled) == 1)
    texts = [other.prefix + other.text for other in documents]
    before, after = texts[: filled[0]], texts[filled[0] + 1 :]
    return ResourceList(document, "".join(before), "".join(after))


def _documents(data: bytes, reader: Reader) -> list[Document]:
    try:
        return [document for chunk in split([data], _NO_LIMIT) for document in reader.documents(chunk)]
    except InputError as fault:
        raise InputError(*in_file(fault.findings, "stdin")) from None


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
