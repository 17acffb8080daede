"""What a validation came to, for its reports."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Finding, Severity


class ValidationFacts(NamedTuple):
    """Everything that was found, in the order of the files and their lines, and how much was looked at.

    - `failures`: what could not be read, and so is not among the findings.
    - `suppressed`: findings that are not told, because an option or the baseline says so.
    """

    findings: Sequence[Finding]
    failures: Sequence[Finding]
    sidecarsets: int
    files: int
    suppressed: int
    gates: frozenset[str]

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity, the gravest first."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in Severity}
