"""One rule makes an exit code of a report: for every command, for push and for the KRM function."""

import pytest

from sidecarctl.engine.facts.exit_codes import COMPLETED, FINDINGS, IMPOSSIBLE
from sidecarctl.engine.facts.findings import Finding, Severity, error, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.report import Report, exit_code
from sidecarctl.krm.work_results import Done

_SAID = {make.__name__: make(Reason.DOUBTFUL, "said") for make in (note, warning, error)}


@pytest.mark.parametrize(
    ("severity", "strict", "code"),
    [
        ("note", False, COMPLETED),
        ("note", True, COMPLETED),
        ("warning", False, COMPLETED),
        ("warning", True, FINDINGS),
        ("error", False, FINDINGS),
        ("error", True, FINDINGS),
    ],
)
def test_findings_decide_alike_for_commands_and_the_function(severity: str, code: int, *, strict: bool) -> None:
    finding: Finding = _SAID[severity]
    assert exit_code(Report("run", None, [finding]), strict=strict) == code
    assert exit_code(Report("run", None, severities=frozenset({finding.severity})), strict=strict) == code
    assert Done(findings=(finding,), strict=strict).exit_code == code


def test_a_failure_outweighs_findings() -> None:
    assert exit_code(Report("run", None, [_SAID["error"]], failure=IMPOSSIBLE)) == IMPOSSIBLE
    assert Done(findings=(_SAID["error"],), failure=IMPOSSIBLE).exit_code == IMPOSSIBLE


def test_an_operation_can_object_without_a_finding() -> None:
    assert exit_code(Report("plan", None, is_objection=True)) == FINDINGS
    assert {finding.severity for finding in _SAID.values()} == set(Severity)
