"""What every operation returns: one report, whatever was asked."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.exit_codes import COMPLETED
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.transforming.object_changes import ObjectResult
from sidecarctl.operations.transforming.run_facts import RunFacts

Facts = TypeVar("Facts")


class Report(NamedTuple, Generic[Facts]):
    """Findings, what was done to which object, and the facts that the reports of this kind are made from.

    - `kind`: which reports there are of it (`reports/formats.py`).
    - `severities`: those of findings that stand with `objects`, not in `findings`.
    - `is_objection`: whether the operation itself objects: the rollout stalls, `--check` found a difference.
    - `objections`: the same as findings, for forms of report that have no other place for them.
    - `failure`: the exit code of what failed, if anything did.
    - `wrote`: the files that were written, `-` for stdout.
    """

    kind: str
    facts: Facts
    findings: Sequence[Finding] = ()
    objects: Iterable[ObjectResult] = ()
    severities: frozenset[Severity] = frozenset()
    is_objection: bool = False
    objections: Sequence[Finding] = ()
    failure: int = COMPLETED
    wrote: Sequence[str] = ()


def failed(kind: str, fault: SidecarctlError) -> Report[Any]:
    """The report of an operation that an error ended: nothing else is known."""
    return Report(kind, None, fault.findings, failure=fault.exit_code)


def without_half_read(report: Report[Any]) -> Report[Any]:
    """The report, which says only what failed where a run wrote nothing because input could not be read."""
    facts = report.facts
    if not isinstance(facts, RunFacts) or facts.is_whole or facts.written:
        return report
    of_objects = (finding for one in report.objects for finding in one.change.findings)
    errors = [one for one in (*report.findings, *of_objects) if one.severity is Severity.ERROR]
    return Report(report.kind, None, errors, failure=report.failure)
