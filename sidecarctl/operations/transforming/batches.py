"""Transforming batches of documents: what is sent to a worker process, and what comes back."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sidecarctl.documents.reading.streams import Chunk
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.values import Object
from sidecarctl.operations.transforming.chunks import ChunkResult, Transformation
from sidecarctl.operations.transforming.forms import Form
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome

if TYPE_CHECKING:  # few files hold a long list
    from sidecarctl.documents.lists.list_parts import ListPart
    from sidecarctl.documents.reading.document import Document, Reader

LONG = 1 << 20
"""Bytes from which on a list is transformed in parts."""


_TOGETHER = 16
"""Unchanged documents whose new lines the parser reads together: more would gain nothing."""


class Batch(NamedTuple):
    """Some documents of a file; `first` is the index of the first of them in the file."""

    source: int
    file: str
    first: int
    chunks: "Sequence[Chunk | ListPart]"


class Texts(NamedTuple):
    """A part of a file before and after, for a diff."""

    before: str
    after: str


class BatchResult:
    """The result of a batch: its bytes in the requested form, and the outcome of each object.

    - `joint`: the separator from the data of another file on the same stream.
    - `texts`: all parts, if a diff is requested: it shows unchanged lines around the changes too.
    - `failures`: of text that cannot be read; failures of objects are in their results.
    """

    def __init__(self, source: int, size: int) -> None:
        self.source = source
        self.size = size
        self.data = b""
        self.joint = b""
        self.texts: list[Texts] = []
        self.objects: list[ObjectResult] = []
        self.failures: list[Finding] = []
        self.exit_code = 0
        self.kinds: frozenset[str] = frozenset()
        self.patches: list[Object] = []

    @property
    def changed(self) -> bool:
        """Whether any object of the batch changed."""
        return any(result.change.outcome is Outcome.CHANGED for result in self.objects)


class Work(NamedTuple):
    """The work for each batch. `with_texts`: return the texts before and after, for a diff."""

    transformation: Transformation
    with_texts: bool

    def parts(self, chunk: Chunk, reader: "Reader") -> "Iterator[ListPart] | None":
        """The parts of a document that is a long list, if its form can be made in parts; a diff needs whole lines."""
        if len(chunk.data) < LONG:
            return None
        from sidecarctl.documents.lists.list_parts import list_parts
        from sidecarctl.operations.transforming.parts import FORMS

        is_json = chunk.data.lstrip()[:1] == b"{"
        is_fit = self.transformation.form in FORMS and not (is_json and self.with_texts)
        return list_parts(chunk, reader) if is_fit else None

    def result(self, batch: Batch) -> BatchResult:
        """The batch after the transformation."""
        result = BatchResult(batch.source, sum(len(chunk.data) for chunk in batch.chunks))
        data = []
        unconfirmed: list[Document] = []
        for index, chunk in enumerate(batch.chunks, batch.first):
            part = self._part(chunk, batch.file, index, unconfirmed)
            data.append(part.data)
            self._add(result, part)
            if len(unconfirmed) >= _TOGETHER:
                self._confirm(unconfirmed, batch.file, result)
            if index == batch.first and self.transformation.form in (Form.TEXT, Form.YAML):
                result.joint = _joint(part)
        result.data = b"".join(data)
        if unconfirmed:
            self._confirm(unconfirmed, batch.file, result)
        return result

    def _confirm(self, documents: "list[Document]", file: str, result: BatchResult) -> None:
        """Confirm the documents, and leave none: with the first one the parser reads the new lines of all."""
        from sidecarctl.documents.editing.proof import confirm

        reader = self.transformation.reader
        for document in documents:
            try:
                confirm(reader, document)
            except SidecarctlError as fault:
                result.failures += in_file(fault.findings, file)
                result.exit_code = max(result.exit_code, fault.exit_code)
        documents.clear()
        reader.line_reader.make_room()

    def _part(self, chunk: "Chunk | ListPart", file: str, index: int, unconfirmed: "list[Document]") -> ChunkResult:
        if isinstance(chunk, Chunk):
            return self.transformation.chunk(chunk, file, index, unconfirmed)
        from sidecarctl.operations.transforming.parts import part_result

        return part_result(chunk, self.transformation, file, index)

    def _add(self, result: BatchResult, part: ChunkResult) -> None:
        result.kinds |= part.kinds
        result.patches += part.patches
        result.failures += part.failures
        result.objects += part.objects
        result.exit_code = max(result.exit_code, part.exit_code, *(item.exit_code for item in part.objects))
        if self.with_texts:
            after = part.data.decode(errors="replace")
            result.texts.append(Texts(after if part.before is None else part.before, after))


def _joint(part: ChunkResult) -> bytes:
    """The line needed before the first part of a file that follows another file."""
    text = part.data.removeprefix("\ufeff".encode())
    if "yaml" not in part.kinds or text.startswith(b"---"):
        return b""
    return b"...\n" if text.startswith(b"%") else b"---\n"
