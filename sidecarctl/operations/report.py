"""What every operation returns: one report, whatever was asked."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.exit_codes import COMPLETED
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.transforming.object_changes import ObjectResult

Facts = TypeVar("Facts")


class Report(NamedTuple, Generic[Facts]):
    """Findings, what was done to which object, and the facts that the reports of this kind are made from.

    - `kind`: which reports there are of it (`reports/formats.py`).
    - `severities`: those of findings that stand with `objects`, not in `findings`.
    - `is_objection`: whether the operation itself objects: the rollout stalls, `--check` found a difference.
    - `failure`: the exit code of what failed, if anything did.
    """

    kind: str
    facts: Facts
    findings: Sequence[Finding] = ()
    objects: Iterable[ObjectResult] = ()
    severities: frozenset[Severity] = frozenset()
    is_objection: bool = False
    failure: int = COMPLETED


def failed(kind: str, fault: SidecarctlError) -> Report[Any]:
    """The report of an operation that an error ended: nothing else is known."""
    return Report(kind, None, fault.findings, failure=fault.exit_code)
