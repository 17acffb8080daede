"""The Kubernetes objects of a document: the document itself, or the items of a List."""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import ObjectReference, reference_of
from sidecarctl.facts.values import Object, Value


class ManifestObject(NamedTuple):
    """An object and its path in the document; `kind` and `api_version` may come from the List around it."""

    manifest: Object
    path: Path
    reference: ObjectReference

    @property
    def inherited(self) -> Object:
        """Kind and version; the items of a typed List may omit them."""
        return {"apiVersion": self.reference.api_version, "kind": self.reference.kind}

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        group, _, version = self.reference.api_version.rpartition("/")
        return group if version else ""


def objects_of(value: Value) -> Iterable[ManifestObject]:
    """The objects of a document's value, those of Lists within Lists too; none for what is no Kubernetes object."""
    if not isinstance(value, dict) or not value.get("kind"):
        return ()
    return _objects(value, (), {}) if is_list(value) else (ManifestObject(value, (), reference_of(value)),)


def is_list(value: Value) -> bool:
    """Whether a value is a List of objects."""
    kind = value.get("kind") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.endswith("List") and isinstance(value.get("items"), list)


def _objects(value: Object, path: Path, inherited: Object) -> Iterator[ManifestObject]:
    if not is_list(value):
        yield ManifestObject(value, path, reference_of(inherited | value if inherited else value))
        return
    kind = {"kind": value["kind"][:-4], "apiVersion": value.get("apiVersion")}
    for index, item in enumerate(value["items"]):
        if isinstance(item, dict):
            yield from _objects(item, (*path, "items", index), kind)
