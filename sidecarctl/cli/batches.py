"""Files cut into batches of documents, and the work that is done to a batch, in this process or another."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.documents.streams import Chunk
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.operations.transforming.chunks import Part, Task
from sidecarctl.operations.transforming.form_names import Form
from sidecarctl.operations.transforming.object_changes import Outcome
from sidecarctl.reports.layout.lines import finding_line
from sidecarctl.reports.run.text import Verbosity, object_lines

_BATCH = 256 * 1024  # bytes: enough to make sending it worth while, little enough to keep several in memory


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
    """What came of a batch: its bytes in the asked form, the lines of the report, the counts.

    - `joint`: what parts the data from another file's, when both stand in one stream.
    - `texts`: all parts, where a diff is asked for: it shows lines of unchanged ones too, around the changes.
    """

    def __init__(self, source: int, size: int) -> None:
        self.source = source
        self.size = size
        self.data = b""
        self.joint = b""
        self.texts: list[Texts] = []
        self.lines: list[str] = []
        self.outcomes: Counter[Outcome] = Counter()
        self.warnings = 0
        self.exit_code = 0
        self.kinds: frozenset[str] = frozenset()
        self.patches: list[Object] = []


def batches(sources: Iterable[Input], size_limit: int) -> Iterator[Batch]:
    """The files in batches, in order; an empty file is a batch without documents."""
    for number, source in enumerate(sources):
        chunks: list[Chunk] = []
        first = size = 0
        for chunk in source.chunks(size_limit):
            chunks.append(chunk)
            size += len(chunk.data)
            if size >= _BATCH:
                yield Batch(number, source.name, first, chunks)
                first, size, chunks = first + len(chunks), 0, []
        if chunks or not first:
            yield Batch(number, source.name, first, chunks)


class Work(NamedTuple):
    """What is done to each batch."""

    task: Task
    verb: str
    verbosity: Verbosity
    with_texts: bool
    """Whether the texts before and after are wanted, for a diff."""

    def result(self, batch: Batch) -> BatchResult:
        """The batch after the task."""
        result = BatchResult(batch.source, sum(len(chunk.data) for chunk in batch.chunks))
        data = []
        for index, chunk in enumerate(batch.chunks, batch.first):
            part = self.task.part(chunk, batch.file, index)
            data.append(part.data)
            self._add(result, part)
            if index == batch.first:
                result.joint = _joint(part) if self.task.form in (Form.TEXT, Form.YAML) else b""
        result.data = b"".join(data)
        return result

    def _add(self, result: BatchResult, part: Part) -> None:
        result.kinds |= part.kinds
        result.patches += part.patches
        if self.with_texts:
            after = part.data.decode(errors="replace")
            result.texts.append(Texts(after if part.before is None else part.before, after))
        self._add_findings(result, part.failures, part.exit_code)
        for report in part.reports:
            result.outcomes[report.change.outcome] += 1
            result.lines += object_lines(report, self.verb, self.verbosity)
            result.warnings += sum(finding.severity is Severity.WARNING for finding in report.change.findings)
            result.exit_code = max(result.exit_code, report.exit_code)

    def _add_findings(self, result: BatchResult, failures: Iterable[Finding], exit_code: int) -> None:
        result.lines += map(finding_line, failures)
        result.exit_code = max(result.exit_code, exit_code)


def _joint(part: Part) -> bytes:
    """The line that has to stand before a file's first part when another file comes before it."""
    text = part.data.removeprefix("\ufeff".encode())
    if "yaml" not in part.kinds or text.startswith(b"---"):
        return b""
    return b"...\n" if text.startswith(b"%") else b"---\n"
