"""The report that every operation returns."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.exit_codes import COMPLETED
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.operations.transforming.object_changes import ObjectResult
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.releases.release import MASTER, Release

Facts = TypeVar("Facts")


class Report(NamedTuple, Generic[Facts]):
    """Findings, the outcome of each object, and the facts that the reports of this kind are made from.

    - `kind`: selects the report functions (`reports/formats.py`).
    - `severities`: of the findings in `objects`, which `findings` does not repeat.
    - `is_objection`: whether the operation itself objects: the rollout stalls, `--check` found a difference.
    - `objections`: the objection as findings, for report forms that have no other place for it.
    - `failure`: the exit code of a failure, if any.
    - `release`: the Kruise whose behaviour was computed.
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
    release: Release = MASTER
    wrote: Sequence[str] = ()


def failed(kind: str, fault: SidecarctlError) -> Report[Any]:
    """The report of an operation that ended with an error: nothing else is known."""
    return Report(kind, None, fault.findings, failure=fault.exit_code)


def without_half_read(report: Report[Any]) -> Report[Any]:
    """The report, reduced to the failure if a run wrote nothing because input could not be read."""
    facts = report.facts
    if not isinstance(facts, RunFacts) or facts.is_whole or facts.written:
        return report
    of_objects = (finding for result in report.objects for finding in result.change.findings)
    errors = [item for item in (*report.findings, *of_objects) if item.severity is Severity.ERROR]
    return Report(report.kind, None, errors, failure=report.failure)
