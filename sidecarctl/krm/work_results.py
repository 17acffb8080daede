"""The outcome of a call before it becomes text: the objects with their changes, and all findings."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Edit, Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.report import Outcome, Report, RunFacts, exit_code, grave
from sidecarctl.features.inject.documents import Attempt, value_after
from sidecarctl.krm.resource_list import ResourceList
from sidecarctl.render.run.findings import summary_line

if TYPE_CHECKING:  # text is edited for some callers only
    from sidecarctl.engine.documents.editing.document_edits import EditedText


class Said(NamedTuple):
    """A finding, and the item that it is about, if any: two items may have the same name."""

    finding: Finding
    item: Object | None = None


class Done(NamedTuple):
    """The work of a call.

    `findings` are about the functionConfig and the sets, those about objects are in the attempts; `failure` is the
    exit code of what ended the work, if anything did. `is_brief`: leave out the outcome of each object. `release` is
    the Kruise whose behavior was computed.
    """

    attempts: tuple[Attempt, ...] = ()
    findings: tuple[Finding, ...] = ()
    verb: str = "injected"
    strict: bool = False
    failure: int = 0
    is_brief: bool = False
    release: Release = DEFAULT

    def failed(self, fault: SidecarctlError) -> "Done":
        """The result, ended by an error."""
        return self._replace(findings=(*self.findings, *fault.findings), failure=fault.exit_code)

    def warned_of(self, edited: "EditedText") -> "Done":
        """The result with warnings about side effects of the edit on the text."""
        return self._replace(attempts=tuple(attempt.warned_of(edited) for attempt in self.attempts))

    def unchanged(self) -> "Done":
        """The result with every object unchanged."""
        attempts = (attempt._replace(change=attempt.change._replace(after=None)) for attempt in self.attempts)
        return self._replace(attempts=tuple(attempts))

    def edits(self) -> list[Edit]:
        """What changes in the ResourceList."""
        return [edit for attempt in self.attempts for edit in attempt.edits()]

    def changed_items(self, call: ResourceList) -> dict[int, Value]:
        """The items of the ResourceList that change, by index, as they are then."""
        changed = [attempt for attempt in self.attempts if attempt.change.after is not None]
        after = value_after(call.document.value, changed)
        return {int(attempt.found.path[1]): after["items"][attempt.found.path[1]] for attempt in changed}

    def said(self) -> Iterator[Said]:
        """All findings and, unless the call fails, the outcome of each object."""
        yield from self._findings()
        if not self.is_brief and not self.exit_code:
            yield from (
                _outcome_note(attempt, self.verb) for attempt in self.attempts if attempt.change.outcome in _TOLD
            )

    def report(self) -> Report[RunFacts]:
        """What was found and done; findings about objects name them."""
        return Report(
            "run",
            RunFacts(self.verb, Counter(attempt.change.outcome for attempt in self.attempts)),
            [finding for finding, _ in self._findings()],
            failure=max(self.failure, *(attempt.exit_code for attempt in self.attempts), 0),
            release=self.release,
        )

    def objections(self) -> list[Finding]:
        """The errors; when warnings count as such (`strict`), these too."""
        graves = grave(strict=self.strict)
        return [finding for finding in self.report().findings if finding.severity in graves]

    def warnings(self) -> list[Finding]:
        """The warnings."""
        return [finding for finding in self.report().findings if finding.severity is Severity.WARNING]

    @property
    def exit_code(self) -> int:
        """As for every command."""
        return exit_code(self.report(), strict=self.strict)

    @property
    def summary(self) -> str:
        """The counts, as a report's last line has them; and the behavior, unless it is the default."""
        counts = summary_line(self.report().facts.outcomes, self.verb, len(self.warnings()))
        return counts if self.release is DEFAULT else f"{counts}; behavior: {self.release.behavior}"

    def _findings(self) -> Iterator[Said]:
        yield from (Said(_placed(finding)) for finding in self.findings)
        for attempt in self.attempts:
            found = attempt.found
            for finding in attempt.change.findings:
                own = Said(finding._replace(subject=found.reference), found.manifest)
                yield Said(_placed(finding)) if finding.subject else own


def _placed(finding: Finding) -> Finding:
    """The finding without a meaningless place (a ResourceList has no lines of a file)."""
    return finding._replace(place=None) if finding.place and not finding.place.file else finding


_TOLD = (Outcome.CHANGED, Outcome.SKIPPED)


def _outcome_note(attempt: Attempt, verb: str) -> Said:
    """The outcome of an object, as a note."""
    change = attempt.change
    word = verb if change.outcome is Outcome.CHANGED else "skipped"
    said = f"{word}: {change.summary}" if change.summary else word
    note = Finding(Severity.NOTE, change.reason or Reason.INJECTED, said, subject=attempt.found.reference)
    return Said(note, attempt.found.manifest)
