"""The exit code of a report, the same in every output format."""

from typing import Any

from sidecarctl.facts.exit_codes import COMPLETED, FINDINGS
from sidecarctl.facts.findings import Severity
from sidecarctl.operations.report import Report


def exit_code(report: Report[Any], *, strict: bool = False) -> int:
    """The code of a failure; else 1 for an objection or an error, with `strict` also for a warning; else 0."""
    if report.failure:
        return report.failure
    graves = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    severities = {finding.severity for finding in report.findings} | report.severities
    return FINDINGS if report.is_objection or severities & graves else COMPLETED
