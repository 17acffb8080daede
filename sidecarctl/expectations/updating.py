"""Tests with what is true now in the place of expectations that do not hold (`test --update`)."""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.changes import difference
from sidecarctl.documents.editing.document_edits import edited_text, prove
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.expectations.document import Case
from sidecarctl.expectations.results import CaseResult, UpdatedFile
from sidecarctl.facts.values import Edit, Path, Value, applied
from sidecarctl.inputs.objects import Source, all_documents


def updated_file(source: Source, reader: Reader, results: Iterable[tuple[Case, CaseResult]]) -> UpdatedFile:
    """The file with the values that expectations would need to hold; everything else stays, comments too.

    What is so for some objects only stays as it is, and so does what no value can say: a container that is missing.
    """
    edits: dict[int, list[Edit]] = {}
    for case, result in results:
        edits.setdefault(case.document.line, []).extend(_edits(case, result))
    documents = all_documents(source, reader)
    before = "".join(document.prefix + document.text for document in documents)
    after = "".join(_edited(document, edits.get(document.line, ()), reader) for document in documents)
    return UpdatedFile(source.name, before, after)


def _edits(case: Case, result: CaseResult) -> Iterator[Edit]:
    found: dict[Path, list[Value]] = {}
    for failure in result.failures:
        found.setdefault(failure.path, []).append(failure.new)
    for path, values in found.items():
        if len(values) == 1 and values[0]:
            yield Edit("set", (*case.path, "expect", *path), values[0][0])


def _edited(document: Document, edits: Sequence[Edit], reader: Reader) -> str:
    if not edits:
        return document.prefix + document.text
    intended = applied(document.value, edits)
    edited = edited_text(document, difference(document.value, intended))  # of a list only the items that differ
    prove(reader, document, edited, intended)
    return document.prefix + edited.text
