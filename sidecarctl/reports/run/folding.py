"""Findings as lines, of which the same one about very many objects is told a few times only."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.reports.layout.lines import finding_line

_TOLD = 3


def folded_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each, then one for every reason of which more than a few have the same message."""
    told: Counter[tuple[str, str, str]] = Counter()
    for finding in findings:
        kind = finding.severity, finding.rule or finding.reason, finding.message
        told[kind] += 1
        if told[kind] <= _TOLD:
            yield finding_line(finding)
    for (severity, code, message), number in told.items():
        if number > _TOLD:
            yield f"{severity}: {number - _TOLD} more: {message} [{code}]"
