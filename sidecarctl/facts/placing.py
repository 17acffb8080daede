"""Findings get the object, the file and the position that they are about."""

from collections.abc import Callable, Iterable

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import ObjectReference, Place


def in_file(findings: Iterable[Finding], file: str) -> list[Finding]:
    """The findings with their file: at the line that is known, else the file alone."""
    return [finding._replace(place=(finding.place or Place(file))._replace(file=file)) for finding in findings]


def placed(findings: Iterable[Finding], subject: ObjectReference, place_of: Callable[[Path], Place]) -> list[Finding]:
    """The findings with the object and the position of their field; what a finding already names stays."""
    return [
        finding._replace(subject=finding.subject or subject, place=finding.place or place_of(finding.path))
        for finding in findings
    ]
