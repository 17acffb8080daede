"""What came of a call, before it becomes text: the objects with their changes, and everything to say."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.krm.results import in_order, result_of, statement
from sidecarctl.reports.object_lines import object_line, summary_line
from sidecarctl.tasks.changes import Outcome
from sidecarctl.tasks.transformation import Attempt

_OBJECTION = 1


class Done(NamedTuple):
    """The work of a call. `findings` are about the functionConfig and the sets, those about objects stand in the
    attempts; `failure` is the exit code of what ended the work, if anything did.
    """

    attempts: tuple[Attempt, ...] = ()
    findings: tuple[Finding, ...] = ()
    verb: str = "injected"
    strict: bool = False
    failure: int = 0

    def failed(self, fault: SidecarctlError) -> "Done":
        """The same, ended by an error."""
        return self._replace(findings=(*self.findings, *fault.findings), failure=fault.exit_code)

    def warned_of(self, rewritten: Iterable[Path]) -> "Done":
        """The same, with warnings for branches that had to be written anew."""
        branches = tuple(rewritten)
        return self._replace(attempts=tuple(attempt.warned_of(branches) for attempt in self.attempts))

    def all_findings(self) -> Iterator[Finding]:
        """Everything that is to say, with its object."""
        yield from self.findings
        for attempt in self.attempts:
            for finding in attempt.change.findings:
                yield finding if finding.subject else finding._replace(subject=attempt.found.reference)

    @property
    def exit_code(self) -> int:
        """As of every command: 0, 1 when there is something to object, else that of the worst failure."""
        code = max(self.failure, *(attempt.exit_code for attempt in self.attempts), 0)
        severities = {finding.severity for finding in self.all_findings()}
        objection = Severity.ERROR in severities or (self.strict and Severity.WARNING in severities)
        return code or (_OBJECTION if objection else 0)

    def results(self, subjects: dict[ObjectReference, Object]) -> list[Object]:
        """All of it as results; `subjects` are the objects that results may be about."""
        said = [result_of(finding, subjects.get(finding.subject)) for finding in self.all_findings() if ...]
        return in_order(said)
