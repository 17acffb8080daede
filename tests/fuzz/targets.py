"""The checks for each text: any text gets an answer, and all promises are kept."""

import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from sidecarctl.cli.app import app
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk, DocumentLimits, split
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.reasons import Reason
from tests.corpus.trial import Promises, Verdict
from tests.fuzz.alike_targets import alike, nulls
from tests.fuzz.edit_targets import edits, proof
from tests.fuzz.look_targets import look

_LIMITS = DocumentLimits(size=1 << 16)
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


_USAGE = 2


def patch(data: bytes) -> None:
    """`inject --diff | patch` gives what `inject` gives."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "manifest.yaml")
        path.write_bytes(data)
        (code, whole), (diff_code, diff) = _injected(path), _injected(path, "--diff")
        if (code, diff_code) == (_USAGE, 0):
            return  # no stream can hold both JSON and YAML, a diff can
        assert code == diff_code
        if not code and diff:
            words = ["patch", "--silent", "--binary", "--fuzz=0", str(path)]
            subprocess.run(words, input=diff, check=True, capture_output=True)
        if not code:
            assert path.read_bytes() == whole


def _injected(path: Path, *options: str) -> tuple[int, bytes]:
    words = ["inject", "--quiet", "--allow-empty", "-s", str(_SETS), str(path), *options]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code != 4, ended.stderr
    return ended.exit_code, ended.stdout_bytes


@cache
def _promises() -> Promises:
    return Promises(_SETS.read_bytes(), Reader(_LIMITS))


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "read": read,
    "inject": inject,
    "patch": patch,
    "edits": edits,
    "proof": proof,
    "alike": alike,
    "nulls": nulls,
    "look": look,
}
