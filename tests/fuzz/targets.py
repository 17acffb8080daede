"""What is tried on each text: whatever it is, there is an answer, and the promises hold."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.limits import Limits
from sidecarctl.documents.reading.streams import Chunk, split
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.reasons import Reason
from tests.corpus.trial import Promises, Verdict
from tests.fuzz.line_targets import line_edits, line_places, line_shapes, lines

_LIMITS = Limits(size=1 << 16)
_BROKEN = {Verdict.NOT_IDEMPOTENT, Verdict.NOT_RESTORED}
_SETS = Path(__file__).parents[1] / "corpus" / "sets.yaml"


def read(data: bytes) -> None:
    """Read a stream: documents with places, or an error with a place; the parts are the stream to the byte."""
    reader = Reader(_LIMITS)
    try:
        chunks = list(split([data], _LIMITS.size))
    except InputError:
        return
    assert b"".join(chunk.data for chunk in chunks) == data
    for chunk in chunks:
        _check(reader, chunk)


def _check(reader: Reader, chunk: Chunk) -> None:
    try:
        documents = reader.documents(chunk)
    except InputError as fault:
        places = [finding.place for finding in fault.findings]
    else:
        assert "".join(document.prefix + document.text for document in documents).encode() == chunk.data
        places = [
            document.place((key,))
            for document in documents
            for key in (document.value if isinstance(document.value, dict) else ())
        ]
    assert all(place and place.line for place in places)


def inject(data: bytes) -> None:
    """Inject, inject again, uninject: no internal fault, idempotent, restored or told."""
    for chunk in split([data], _LIMITS.size):
        trial = _promises().trial(chunk, "fuzzed")
        faults = [finding for finding in trial.findings if finding.reason is Reason.UNPROVEN]
        assert not faults, faults
        assert not _BROKEN.intersection(trial.verdicts), trial


@cache
def _promises() -> Promises:
    return Promises(_SETS.read_bytes(), Reader(_LIMITS))


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "read": read,
    "inject": inject,
    "lines": lines,
    "line_places": line_places,
    "line_edits": line_edits,
    "line_shapes": line_shapes,
}
