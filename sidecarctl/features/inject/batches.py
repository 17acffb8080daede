"""Batches of documents, and parts of long lists, transformed: what a worker process gets, and what comes back.

A part of a list is transformed as a list of its items alone, with places and paths as in the whole list.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.documents.reading.document import Document, GivenNamespace, Reader
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.errors import InternalFaultError, SidecarctlError, in_file
from sidecarctl.engine.facts.exit_codes import COMPLETED, UNREADABLE
from sidecarctl.engine.facts.findings import Finding, Place, Severity, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.inputs.first_look import EVERYTHING, FirstLook, strangers
from sidecarctl.engine.report import Form, ObjectChange, ObjectResult, Outcome, Transform
from sidecarctl.features.inject.documents import WRITTEN, Transformed, names_of, patches_of, transformed

if TYPE_CHECKING:  # few lists are long
    from sidecarctl.engine.documents.list_parts import ListPart


class ChunkResult(NamedTuple):
    """A chunk of a file after a transformation.

    `before` is its text if it changed, else None. `failures` are of text that cannot be read, and notes about
    documents that are no objects; failures of objects are in their results.
    """

    data: bytes
    before: str | None
    objects: list[ObjectResult]
    patches: list[Object]
    kinds: frozenset[str]
    """`json` and `yaml`, whichever it contains."""
    failures: tuple[Finding, ...] = ()
    exit_code: int = 0


LONG = 1 << 20
"""From this many bytes on, a list is transformed in parts."""


class Batch(NamedTuple):
    """Some documents of a file; `first` is the index of the first of them in the file, `given` as Input has it."""

    source: int
    file: str
    first: int
    chunks: "Sequence[Chunk | ListPart]"
    given: GivenNamespace | None = None


class BatchResult:
    """The result of a batch: its bytes in the requested form, and the outcome of each object.

    - `joint`: the separator from the data of another file on the same stream.
    - `texts`: all parts before and after, if a diff is requested: it shows unchanged lines around the changes too.
    - `failures`: of text that cannot be read, and notes on the rest; failures of objects are in their results.
    """

    def __init__(self, source: int, size: int) -> None:
        self.source = source
        self.size = size
        self.data = b""
        self.joint = b""
        self.texts: list[tuple[str, str]] = []
        self.objects: list[ObjectResult] = []
        self.failures: list[Finding] = []
        self.exit_code = 0
        self.kinds: frozenset[str] = frozenset()
        self.patches: list[Object] = []

    @property
    def changed(self) -> bool:
        """Whether any object of the batch changed."""
        return any(result.change.outcome is Outcome.CHANGED for result in self.objects)


_YAML = frozenset(("yaml",))


class Transformation(NamedTuple):
    """The work for every document, and the form of the result; `look`: which documents need not be parsed.

    `with_texts`: return the texts before and after, for a diff. `proves`: the texts will be written or shown.
    """

    transform: Transform
    reader: Reader = Reader()
    form: Form = Form.TEXT
    as_pods: bool = False
    look: FirstLook = EVERYTHING
    with_texts: bool = False
    proves: bool = True

    @property
    def copies_text(self) -> bool:
        """Whether a document that does not change is copied, not rewritten."""
        return self.form in (Form.TEXT, Form.YAML) and not self.as_pods

    def chunk(self, chunk: Chunk, file: str, index: int) -> ChunkResult:
        """The chunk after the transformation; unchanged if it cannot be read. `index` is that of its document."""
        if self.copies_text and (passed := self.look.passed(chunk.data)):
            return ChunkResult(chunk.data, None, [ObjectResult(passed, ObjectChange(Outcome.OTHER))], [], _YAML)
        try:
            documents = self.reader.documents(chunk)
            results = [self.document(item, file) for item in documents]
        except SidecarctlError as fault:
            failures = tuple(in_file(fault.findings, file))
            return ChunkResult(chunk.data, None, [], [], frozenset(), failures, fault.exit_code)
        return self._result(chunk, documents, results, file, index)

    def document(self, document: Document, file: str) -> Transformed:
        """The document after the transformation."""
        return transformed(document, file, self.transform, self.reader, proves=self.proves)

    def _result(
        self, chunk: Chunk, documents: list[Document], results: list[Transformed], file: str, index: int
    ) -> ChunkResult:
        pairs = list(zip(documents, results, strict=True))
        changed = any(result.text is not None for result in results)
        strange = [finding for document in documents for finding in strangers(document, file)]
        unread = any(finding.severity is Severity.ERROR for finding in strange)
        patches = []
        if self.form is Form.JSONPATCH:
            patches = [patch for at, pair in enumerate(pairs, index) for patch in patches_of(*pair, file, at)]
        return ChunkResult(
            data=self._bytes(chunk, pairs, changed=changed),
            before="".join(document.prefix + document.text for document in documents) if changed else None,
            objects=[item for result in results for item in result.objects],
            patches=patches,
            kinds=frozenset(
                "json" if document.is_json and not self.as_pods else "yaml"
                for document in documents
                if document.value
            ),
            failures=tuple(strange),
            exit_code=UNREADABLE if unread else COMPLETED,
        )

    def _bytes(self, chunk: Chunk, pairs: list[tuple[Document, Transformed]], *, changed: bool) -> bytes:
        if self.as_pods:
            from sidecarctl.features.inject.created_pods import pods_of  # few runs ask for pods

            return "".join(pods_of(*pair) for pair in pairs).encode()
        if self.form is Form.TEXT and not changed:
            return chunk.data
        written = WRITTEN.get(self.form)
        return "".join(written(*pair) for pair in pairs).encode() if written else b""

    def parts(self, chunk: Chunk, reader: Reader) -> "Iterator[ListPart] | None":
        """The parts of a document that is a long list, if its form can be made in parts; a diff needs whole lines."""
        if len(chunk.data) < LONG:
            return None
        from sidecarctl.engine.documents.list_parts import list_parts

        is_json = chunk.data.lstrip()[:1] == b"{"
        is_fit = self.form in FORMS and not (is_json and self.with_texts)
        is_fit &= not self.as_pods
        return list_parts(chunk, reader) if is_fit else None

    def passes(self, batch: Batch) -> bool:
        """Whether nothing of a batch is to be parsed."""
        return self.copies_text and all(
            isinstance(chunk, Chunk) and self.look.passed(chunk.data) for chunk in batch.chunks
        )

    def results(self, batches: Sequence[Batch]) -> list[BatchResult]:
        """Some batches, transformed."""
        return [self.result(batch) for batch in batches]

    def result(self, batch: Batch) -> BatchResult:
        """The batch, transformed."""
        work = self._replace(reader=self.reader._replace(given=batch.given)) if batch.given else self
        result = BatchResult(batch.source, sum(len(chunk.data) for chunk in batch.chunks))
        data = []
        for index, chunk in enumerate(batch.chunks, batch.first):
            if isinstance(chunk, Chunk):
                part = work.chunk(chunk, batch.file, index)
            else:
                part = part_result(chunk, work, batch.file, index)
            data.append(part.data)
            self._add(result, part)
            if index == batch.first and self.form in (Form.TEXT, Form.YAML):
                result.joint = _joint(part)
        result.data = b"".join(data)
        return result

    def _add(self, result: BatchResult, part: ChunkResult) -> None:
        result.kinds |= part.kinds
        result.patches += part.patches
        result.failures += part.failures
        result.objects += part.objects
        result.exit_code = max(result.exit_code, part.exit_code, *(item.exit_code for item in part.objects))
        if self.with_texts:
            after = part.data.decode(errors="replace")
            result.texts.append((after if part.before is None else part.before, after))


def _joint(part: ChunkResult) -> bytes:
    """The line needed before the first part of a file that follows another file."""
    text = part.data.removeprefix("\ufeff".encode())
    if "yaml" not in part.kinds or text.startswith(b"---"):
        return b""
    return b"...\n" if text.startswith(b"%") else b"---\n"


FORMS = (Form.TEXT, Form.NAME, Form.JSONPATCH)
"""The forms that need not hold the whole list."""


def part_result(part: "ListPart", transformation: Transformation, file: str, index: int) -> ChunkResult:
    """The part after the transformation; unchanged if it cannot be read. `index` is that of the list's document."""
    line = part.line - part.lead.count("\n")
    try:
        [document] = transformation.reader.documents_of(part.document, line)
        result = transformation.document(document, file)
    except SidecarctlError as fault:
        failures = tuple(_placed(item, part) for item in in_file(fault.findings, file))
        return ChunkResult(part.data, None, [], [], frozenset(), failures, fault.exit_code)
    return ChunkResult(
        data=_bytes(part, document, result, transformation.form),
        before=None if result.text is None else part.whole(part.text),
        objects=[_in_whole_list(item, part) for item in result.objects],
        patches=_patches(part, document, result, file, index) if transformation.form is Form.JSONPATCH else [],
        kinds=frozenset(("json" if document.is_json else "yaml",)),
    )


def _bytes(part: "ListPart", document: Document, result: Transformed, form: Form) -> bytes:
    if form is Form.NAME:
        return names_of(document, result).encode()
    if form is not Form.TEXT:
        return b""
    if result.text is None:
        return part.data
    if not (result.text.startswith(part.lead) and result.text.endswith(part.trail)):
        message = "an edit of an item of a list changed what is around it"
        raise InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this with the manifest"))
    return part.whole(result.text[len(part.lead) : len(result.text) - len(part.trail)]).encode()


def _patches(part: "ListPart", document: Document, result: Transformed, file: str, index: int) -> list[Object]:
    """The patches of the objects, whose paths begin at the root of the whole list."""
    made = patches_of(document, result, file, index)
    for operation in (operation for item in made for operation in item["patch"]):
        _, items, place, *rest = operation["path"].split("/")
        operation["path"] = "/".join(["", items, str(int(place) + part.first), *rest])
    return made


def _in_whole_list(result: ObjectResult, part: "ListPart") -> ObjectResult:
    """The result with places in the file; lines are counted so already."""
    findings = tuple(_placed(finding, part) for finding in result.change.findings)
    change = result.change._replace(findings=findings)
    return result._replace(change=change, place=_moved(result.place, part))


def _placed(finding: Finding, part: "ListPart") -> Finding:
    return finding._replace(place=_moved(finding.place, part))


def _moved(place: Place | None, part: "ListPart") -> Place | None:
    """A place in the file; only in the first line of JSON columns are counted from another character."""
    if place is None or place.line != part.line or place.column is None or "\n" in part.lead:
        return place
    return place._replace(column=place.column - len(part.lead) + part.column - 1)
