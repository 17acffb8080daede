"""An object of a manifest, and where it was read."""

from collections.abc import Iterable

from sidecarctl.documents.reading.document import Document
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.placing import placed
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.values import Object


class Located(NamedTuple):
    """An object, with its file and its path in a document of that file."""

    manifest: Object
    reference: ObjectReference
    file: str
    document: Document
    path: Path

    def place(self, path: Path = ()) -> Place:
        """File, line and column of one of its fields."""
        return self.document.place((*self.path, *path))._replace(file=self.file)

    def findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings about its fields, with the object and the place."""
        return placed(findings, self.reference, self.place)
