"""Transforming a chunk of a file: its bytes in the requested form, and the outcome of its objects."""

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.streams import Chunk
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.values import Object
from sidecarctl.operations.transforming.documents import Transformed, transformed
from sidecarctl.operations.transforming.forms import WRITTEN, Form, patches_of
from sidecarctl.operations.transforming.object_changes import ObjectResult, Transform


class ChunkResult(NamedTuple):
    """A chunk of a file after a transformation.

    `before` is its text if it changed, else None. `failures` are of text that cannot be read; failures of objects are
    in their results.
    """

    data: bytes
    before: str | None
    objects: list[ObjectResult]
    patches: list[Object]
    kinds: frozenset[str]
    """`json` and `yaml`, for what of both it holds."""
    failures: tuple[Finding, ...] = ()
    exit_code: int = 0


class Transformation(NamedTuple):
    """The work for every document, and the form of the result."""

    transform: Transform
    reader: Reader = Reader()
    form: Form = Form.TEXT

    def chunk(self, chunk: Chunk, file: str, index: int, unconfirmed: list[Document] | None = None) -> ChunkResult:
        """The chunk after the transformation; unchanged if it cannot be read. `index` is that of its document.

        `unconfirmed` is as for `transformed`.
        """
        try:
            documents = self.reader.documents(chunk, confirmed=False)
            results = [transformed(item, file, self.transform, self.reader, unconfirmed) for item in documents]
        except SidecarctlError as fault:
            failures = tuple(in_file(fault.findings, file))
            return ChunkResult(chunk.data, None, [], [], frozenset(), failures, fault.exit_code)
        return self._result(chunk, documents, results, file, index)

    def _result(
        self, chunk: Chunk, documents: list[Document], results: list[Transformed], file: str, index: int
    ) -> ChunkResult:
        pairs = list(zip(documents, results, strict=True))
        changed = any(result.text is not None for result in results)
        patches = []
        if self.form is Form.JSONPATCH:
            patches = [patch for at, pair in enumerate(pairs, index) for patch in patches_of(*pair, file, at)]
        return ChunkResult(
            data=self._bytes(chunk, pairs, changed=changed),
            before="".join(document.prefix + document.text for document in documents) if changed else None,
            objects=[item for result in results for item in result.objects],
            patches=patches,
            kinds=frozenset("json" if document.is_json else "yaml" for document in documents if document.value),
        )

    def _bytes(self, chunk: Chunk, pairs: list[tuple[Document, Transformed]], *, changed: bool) -> bytes:
        if self.form is Form.TEXT and not changed:
            return chunk.data
        written = WRITTEN.get(self.form)
        return "".join(written(*pair) for pair in pairs).encode() if written else b""
