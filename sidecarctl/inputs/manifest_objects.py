"""The Kubernetes objects of a document: the document itself, or the items of a List."""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import ObjectReference, reference_of
from sidecarctl.facts.values import Object, Value


class ManifestObject(NamedTuple):
    """An object and where it stands in its document; `kind` and `api_version` may come from the List around it."""

    manifest: Object
    path: Path
    reference: ObjectReference

    @property
    def inherited(self) -> Object:
        """Kind and version, which the items of a typed List need not say themselves."""
        return {"apiVersion": self.reference.api_version, "kind": self.reference.kind}

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        group, _, version = self.reference.api_version.rpartition("/")
        return group if version else ""


def objects_of(value: Value) -> Iterator[ManifestObject]:
    """The objects of a document's value; none for what is no Kubernetes object."""
    if not isinstance(value, dict):
        return
    kind, items = value.get("kind"), value.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
        for index, item in enumerate(items):
            if isinstance(item, dict):
                reference = reference_of({"kind": kind[:-4], "apiVersion": value.get("apiVersion"), **item})
                yield ManifestObject(item, ("items", index), reference)
    elif kind:
        yield ManifestObject(value, (), reference_of(value))
