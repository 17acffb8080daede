"""Known findings, which are not reported again: those in a baseline, and those before a change."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sidecarctl.engine.api.schema_checks import schema_check
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern, sha256
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.engine.validation.suppression import Parted, refuses

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


def read_baseline(document: Document | None) -> Baseline:
    """The baseline in the only document of a file; InputError, with lines and columns, if it is not a baseline.

    Its rules are in schemas/validation-baseline.json.
    """
    if document is None:
        raise input_error(Reason.SYNTAX, f"{_NO_BASELINE}: expected one document", hint=_WRITE_IT)
    if problems := schema_check(shipped_schema(KIND))(document.value):
        raise InputError(*(_in_baseline(problem, document) for problem in problems))
    return {key: entry["count"] for key, entry in document.value["findings"].items()}


def _in_baseline(problem: Finding, document: Document) -> Finding:
    message = f"{_NO_BASELINE}: {problem.message}"
    return problem._replace(message=message, hint=problem.hint or _WRITE_IT, place=document.place(problem.path))


def parted_by(baseline: Baseline, findings: Iterable[Finding], *, keeps_refused: bool = True) -> Parted:
    """The findings that the baseline does not contain, or not as often, and whatever is refused; and the others."""
    left = dict(baseline)
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        key = fingerprint(finding)
        if left.get(key, 0) > 0 and not (keeps_refused and refuses(finding)):
            left[key] -= 1
            known.append(finding._replace(suppressed_by="baseline"))
        else:
            new.append(finding)
    return new, known


_PLACES = lazy_pattern(r"git:[^\s:]+:|:\d+(:\d+)?\b")
"""What differs in messages that name files of a revision, and lines."""


def new_in_change(findings: Iterable[Finding], before: Iterable[Finding]) -> Parted:
    """The findings that a change makes, and those that were there before it, whatever their lines."""
    left = Counter(map(_without_lines, before))
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        key = _without_lines(finding)
        if left[key]:
            left[key] -= 1
            known.append(finding._replace(suppressed_by="base"))
        else:
            new.append(finding)
    return new, known


def _without_lines(finding: Finding) -> tuple[object, ...]:
    path = tuple(step for step in finding.path if isinstance(step, str))
    return finding.severity, finding.reason, finding.rule, finding.subject, path, _PLACES.sub("", finding.message)


def beyond(findings: Iterable[Finding], baseline: Baseline) -> list[Finding]:
    """The findings that are not suppressed by the baseline."""
    return parted_by(baseline, findings)[0]
