"""All findings of a run, for report forms that list only findings, with relative paths and fingerprints."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sidecarctl.facts.digests import sha256
from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.paths import path_text
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.reports.run.rule_texts import rule_id

_ORDER = list(Severity)


def every_finding(report: Report[Any]) -> Iterator[Finding]:
    """The findings of the run, of its objects, and its objections."""
    yield from report.findings
    for result in report.objects:
        yield from findings_of(result, report.facts)
    yield from report.objections


def findings_of(result: ObjectResult, facts: object) -> Iterator[Finding]:
    """The findings of an object; with `--check` also that it would change."""
    yield from result.change.findings
    if isinstance(facts, RunFacts) and not facts.writes and result.change.outcome is Outcome.CHANGED:
        message = " ".join(filter(None, [facts.word, result.change.summary]))
        yield error(facts.differs, message)._replace(subject=result.reference, place=result.place)


def most_severe_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, warnings, notes, each in their original order."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def said(finding: Finding) -> str:
    """The message with its hint, without object, file and position."""
    where = path_text(finding.path)
    text = f"{where}: {finding.message}" if where else finding.message
    return f"{text} ({finding.hint})" if finding.hint else text


def relative_file(file: str, folder: str) -> str:
    """The path of a file relative to the folder that the command was started in; absolute if it is elsewhere."""
    path = posixpath.normpath(file)
    inside = posixpath.join(folder, "")
    return path.removeprefix(inside) if folder else path


def with_fingerprints(findings: Iterable[Finding], folder: str) -> Iterator[tuple[Finding, str]]:
    """The findings with fingerprints that are unique in the run and do not change when lines above them do."""
    seen: Counter[str] = Counter()
    for finding in findings:
        identity = _identity(finding, folder)
        seen[identity] += 1
        yield finding, sha256(f"{identity}\0{seen[identity]}".encode(errors="replace")).hexdigest()


def _identity(finding: Finding, folder: str) -> str:
    file = relative_file(finding.place.file, folder) if finding.place else ""
    message = re.sub(r"[0-9]+", "", finding.message)  # lines and counts in the message
    return "\0".join([rule_id(finding), file, str(finding.subject or ""), path_text(finding.path), message])
