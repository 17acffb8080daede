"""All findings of a run in one row, for the forms that list nothing else: with rule, path, and fingerprint."""

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.paths import path_text
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts

_ORDER = list(Severity)


def every_finding(report: Report[Any]) -> Iterator[Finding]:
    """Those of the run, those of its objects, and what it objects to."""
    yield from report.findings
    for one in report.objects:
        yield from findings_of(one, report.facts)
    yield from report.objections


def findings_of(one: ObjectResult, facts: object) -> Iterator[Finding]:
    """The findings of an object; under `--check` also that it would change."""
    yield from one.change.findings
    if isinstance(facts, RunFacts) and not facts.writes and one.change.outcome is Outcome.CHANGED:
        message = " ".join(filter(None, [facts.word, one.change.summary]))
        yield error(facts.differs, message)._replace(subject=one.reference, place=one.place)


def most_severe_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, warnings, notes; each in the order in which they came."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def said(finding: Finding) -> str:
    """The message with its hint; object, file and position are told elsewhere."""
    where = path_text(finding.path)
    text = f"{where}: {finding.message}" if where else finding.message
    return f"{text} ({finding.hint})" if finding.hint else text


def relative_file(file: str, folder: str) -> str:
    """A file's path from the folder that the command was started in; one that is elsewhere stays absolute."""
    path = posixpath.normpath(file)
    inside = posixpath.join(folder, "")
    return path.removeprefix(inside) if folder else path


def with_fingerprints(findings: Iterable[Finding], folder: str) -> Iterator[tuple[Finding, str]]:
    """Each with a fingerprint that is unique in the run, and stays when lines above it come or go."""
    seen: Counter[str] = Counter()
    for finding in findings:
        told = _identity(finding, folder)
        seen[told] += 1
        yield finding, hashlib.sha256(f"{told}\0{seen[told]}".encode(errors="replace")).hexdigest()


def _identity(finding: Finding, folder: str) -> str:
    file = relative_file(finding.place.file, folder) if finding.place else ""
    message = re.sub(r"[0-9]+", "", finding.message)  # lines and counts that are told in it
    return "\0".join([finding.reason, file, str(finding.subject or ""), path_text(finding.path), message])
