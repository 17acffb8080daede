"""Baselines: files of known findings, which are not reported again."""

from collections.abc import Iterable, Mapping

from sidecarctl.api.schema_checks import schema_check
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.digests import sha256
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.shipped_schemas import shipped_schema

VERSION, KIND = "sidecarctl.dev/v1alpha1", "ValidationBaseline"
_NO_BASELINE, _WRITE_IT = "not a baseline", "create one with --write-baseline"

Baseline = Mapping[str, int]
"""The number of occurrences of each finding, by fingerprint."""


def fingerprint(finding: Finding) -> str:
    """What remains of a finding when lines move: object, rule, path without indices, and message."""
    path = path_text(tuple(step for step in finding.path if isinstance(step, str)))
    parts = (str(finding.subject or ""), finding.rule, path, finding.message)
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]


def baseline_of(findings: Iterable[Finding]) -> Object:
    """The document of a baseline file: each finding's fingerprint with its rule, for people to read."""
    entries: dict[str, Object] = {}
    for finding in findings:
        known = {"subject": str(finding.subject or ""), "rule": finding.rule, "message": finding.message}
        entry = entries.setdefault(fingerprint(finding), known | {"count": 0})
        entry["count"] += 1
    return {
        "apiVersion": VERSION,
        "kind": KIND,
        "findings": dict(
            sorted(entries.items(), key=lambda entry: (entry[1]["subject"], entry[1]["rule"], entry[0]))
        ),
    }


def read_baseline(text: str) -> Baseline:
    """The baseline in a file; InputError, with lines and columns, if the file is not a baseline.

    Its rules are in schemas/validation-baseline.json.
    """
    documents = [document for document in Reader().documents_of(text) if document.value is not None]
    if len(documents) != 1:
        raise input_error(Reason.SYNTAX, f"{_NO_BASELINE}: it is empty", hint=_WRITE_IT)
    [document] = documents
    if problems := schema_check(shipped_schema(KIND))(document.value):
        raise InputError(*(_told(problem, document) for problem in problems))
    return {key: entry["count"] for key, entry in document.value["findings"].items()}


def _told(problem: Finding, document: Document) -> Finding:
    message = f"{_NO_BASELINE}: {problem.message}"
    return problem._replace(message=message, hint=problem.hint or _WRITE_IT, place=document.place(problem.path))


def beyond(findings: Iterable[Finding], baseline: Baseline) -> list[Finding]:
    """The findings that the baseline does not contain, or not as often."""
    left = dict(baseline)
    new = []
    for finding in findings:
        key = fingerprint(finding)
        if left.get(key, 0) > 0:
            left[key] -= 1
        else:
            new.append(finding)
    return new
