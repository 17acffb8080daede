"""A part of a file after a task: its bytes in the form that was asked for, and what the report says of it."""

from typing import NamedTuple

from sidecarctl.documents.document import Document, Reader
from sidecarctl.documents.streams import Chunk
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.operations.transforming.documents import Transformed, transformed
from sidecarctl.operations.transforming.form_names import Form
from sidecarctl.operations.transforming.forms import json_of, names_of, patches_of, text_of, yaml_of
from sidecarctl.operations.transforming.object_changes import ObjectReport, Transform


class Part(NamedTuple):
    """One chunk of a file after a task.

    `before` is its text where it changed (None: it did not). `failures` are of text that cannot be read; failures of
    objects stand in the reports.
    """

    data: bytes
    before: str | None
    reports: list[ObjectReport]
    patches: list[Object]
    kinds: frozenset[str]
    """`json` and `yaml`, for what of both stands in it."""
    failures: tuple[Finding, ...] = ()
    exit_code: int = 0


class Task(NamedTuple):
    """What is done to every document, and in which form it leaves."""

    transform: Transform
    reader: Reader = Reader()
    form: Form = Form.TEXT

    def part(self, chunk: Chunk, file: str, index: int) -> Part:
        """A chunk after the task; as it came where it cannot be read. `index` is that of its document in the file."""
        try:
            documents = self.reader.documents(chunk)
        except SidecarctlError as fault:
            findings = tuple(
                finding._replace(place=finding.place._replace(file=file)) if finding.place else finding
                for finding in fault.findings
            )
            return Part(chunk.data, None, [], [], frozenset(), findings, fault.exit_code)
        results = [transformed(document, file, self.transform, self.reader) for document in documents]
        return self._part(chunk, documents, results, file, index)

    def _part(
        self, chunk: Chunk, documents: list[Document], results: list[Transformed], file: str, index: int
    ) -> Part:
        pairs = list(zip(documents, results, strict=True))
        changed = any(result.text is not None for result in results)
        patches = []
        if self.form is Form.JSONPATCH:
            patches = [patch for at, pair in enumerate(pairs, index) for patch in patches_of(*pair, file, at)]
        return Part(
            data=self._bytes(chunk, pairs, changed=changed),
            before="".join(document.prefix + document.text for document in documents) if changed else None,
            reports=[report for result in results for report in result.reports],
            patches=patches,
            kinds=frozenset("json" if document.is_json else "yaml" for document in documents if document.value),
        )

    def _bytes(self, chunk: Chunk, pairs: list[tuple[Document, Transformed]], *, changed: bool) -> bytes:
        if self.form is Form.TEXT and not changed:
            return chunk.data
        written = _WRITTEN.get(self.form)
        return "".join(written(*pair) for pair in pairs).encode() if written else b""


_WRITTEN = {Form.TEXT: text_of, Form.YAML: yaml_of, Form.JSON: json_of, Form.NAME: names_of}
