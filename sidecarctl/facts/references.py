"""Which object, and where in which file."""

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object


class Place(NamedTuple):
    """A position in an input file; lines and columns count from 1, None if unknown."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


class ObjectReference(NamedTuple):
    """The identity of an object."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {name}".strip()


def reference_of(manifest: Object) -> ObjectReference:
    """The reference of a manifest; parts that are absent or no text are empty."""
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    name = metadata.get("name") or metadata.get("generateName")
    parts = (manifest.get("apiVersion"), manifest.get("kind"), metadata.get("namespace"), name)
    return ObjectReference(*[part if isinstance(part, str) else "" for part in parts])
