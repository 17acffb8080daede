"""Batches of documents transformed: what goes to a worker process, and what comes back."""

from typing import NamedTuple

from sidecarctl.documents.reading.streams import Chunk
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.operations.transforming.chunks import ChunkResult, Transformation
from sidecarctl.operations.transforming.forms import Form
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome


class Batch(NamedTuple):
    """Some documents of one file; `first` is the index of the first of them in it."""

    source: int
    file: str
    first: int
    chunks: list[Chunk]


class Texts(NamedTuple):
    """A part of a file before and after, for a diff."""

    before: str
    after: str


class BatchResult:
    """What came of a batch: its bytes in the form that was asked for, and what was done to which object.

    - `joint`: what separates the data from another file's, when both go to one stream.
    - `texts`: all parts, where a diff is asked for: it shows lines of unchanged ones too, around the changes.
    - `failures`: of text that cannot be read; failures of objects stand with these.
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
        return any(one.change.outcome is Outcome.CHANGED for one in self.objects)


class Work(NamedTuple):
    """What is done to each batch. `with_texts`: the texts before and after are wanted, for a diff."""

    transformation: Transformation
    with_texts: bool

    def result(self, batch: Batch) -> BatchResult:
        """The batch after the transformation."""
        result = BatchResult(batch.source, sum(len(chunk.data) for chunk in batch.chunks))
        data = []
        for index, chunk in enumerate(batch.chunks, batch.first):
            part = self.transformation.chunk(chunk, batch.file, index)
            data.append(part.data)
            self._add(result, part)
            if index == batch.first and self.transformation.form in (Form.TEXT, Form.YAML):
                result.joint = _joint(part)
        result.data = b"".join(data)
        return result

    def _add(self, result: BatchResult, part: ChunkResult) -> None:
        result.kinds |= part.kinds
        result.patches += part.patches
        result.failures += part.failures
        result.objects += part.objects
        result.exit_code = max(result.exit_code, part.exit_code, *(one.exit_code for one in part.objects))
        if self.with_texts:
            after = part.data.decode(errors="replace")
            result.texts.append(Texts(after if part.before is None else part.before, after))


def _joint(part: ChunkResult) -> bytes:
    """The line that has to be before a file's first part when another file comes before it."""
    text = part.data.removeprefix("\ufeff".encode())
    if "yaml" not in part.kinds or text.startswith(b"---"):
        return b""
    return b"...\n" if text.startswith(b"%") else b"---\n"
