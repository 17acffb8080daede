"""Findings as lines; the same finding about many objects is repeated only a few times."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.reports.layout.lines import finding_line, shown
from sidecarctl.reports.run.rule_texts import rule_id

_SHOWN = 3


class Folding:
    """Counts findings with the same message; the first `most` of them have their own lines."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def shows(self, finding: Finding) -> bool:
        """Count a finding; whether it has its own line."""
        kind = finding.severity, rule_id(finding), finding.message
        self._counts[kind] += 1
        return self._counts[kind] <= self._most

    def rest(self) -> Iterator[str]:
        """A line for all others of a kind."""
        for (severity, code, message), number in self._counts.items():
            if number > self._most:
                yield shown(f"{severity}: {number - self._most:,} more: {message} [{code}]")


def folded_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each finding, each note once, then a line for the rest of those with the same message."""
    notes, others = Folding(1), Folding(_SHOWN)
    for finding in findings:
        folding = notes if finding.severity is Severity.NOTE else others
        if folding.shows(finding):
            yield finding_line(finding)
    yield from others.rest()
    yield from notes.rest()
