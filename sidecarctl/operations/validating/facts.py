"""The result of a validation, for its reports."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple


class ValidationFacts(NamedTuple):
    """All findings, in the order of files and lines, and how much was checked.

    - `failures`: inputs that could not be read.
    - `upgraded_from`: the release before the upgrade of Kruise that was asked about.
    - `suppressed`: findings that an option or the baseline suppresses.
    - `excerpts`: of each file the lines around findings, by number, where a page is to show them.
    """

    findings: Sequence[Finding]
    failures: Sequence[Finding]
    sidecarsets: int
    files: int
    suppressed: int
    gates: frozenset[str]
    upgraded_from: str = ""
    excerpts: Mapping[str, Mapping[int, str]] = {}

    @property
    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity, most severe first."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in Severity}
