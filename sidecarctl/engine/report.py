"""The report that every operation returns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.exit_codes import COMPLETED, FINDINGS
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place, Severity, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.opening import Live
from sidecarctl.engine.releases.release import DEFAULT, Release


class Form(StrEnum):
    """The form of transformed manifests on stdout. `text` is the edited input text."""

    TEXT = "text"
    YAML = "yaml"
    JSON = "json"
    JSONPATCH = "jsonpatch"
    NAME = "name"


class Outcome(StrEnum):
    """The outcome of an object."""

    CHANGED = "changed"
    DRIFTED = "drifted"  # a running pod, which nothing is injected into
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    OTHER = "other"  # not affected by the transformation


class InjectedSet(NamedTuple):
    """A SidecarSet that a pod gets, and the containers that it brings."""

    name: str
    containers: tuple[str, ...] = ()


class PodDecision(NamedTuple):
    """Whether a SidecarSet is injected into the pod or template at `path`, and why; `place` is the deciding field."""

    sidecarset: str
    reason: Reason
    message: str
    place: Place | None
    path: Path

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"{self.sidecarset}: {self.reason}: {self.message}{place}"


class ObjectChange(NamedTuple):
    """An object after a transformation.

    `after` is None if the object is unchanged. `pods` are printed instead of the object, if they were asked
    for. `summary` goes into the line of the report, `decisions` into the additional lines of a verbose report.
    `injected` are the SidecarSets that the pods get.
    """

    outcome: Outcome
    after: Object | None = None
    summary: str = ""
    reason: Reason | None = None
    findings: tuple[Finding, ...] = ()
    decisions: tuple[PodDecision, ...] = ()
    pods: tuple[Object, ...] | None = None
    injected: tuple[InjectedSet, ...] = ()


class ObjectResult(NamedTuple):
    """A change without the object; findings have places.

    `exit_code` is that of the failure, if any. `place` is where the object begins; None for an object that the
    transformation does not apply to, since finding its place may take longer than reading it.
    """

    reference: ObjectReference
    change: ObjectChange
    exit_code: int = 0
    place: Place | None = None


def lacks_namespace(change: ObjectChange) -> bool:
    """Whether an object was skipped, though a SidecarSet may apply: the labels of its namespace are not known."""
    return change.outcome is Outcome.SKIPPED and any(
        finding.reason is Reason.NAMESPACE_UNKNOWN for finding in change.findings
    )


Transform: TypeAlias = Callable[[ManifestObject], ObjectChange]
"""A transformation of one object; SidecarctlError if it fails."""


class RunFacts(NamedTuple):
    """The number of objects for each outcome.

    - `word`: for a changed object: `injected`, `to inject` with --check, `would inject` if nothing was written.
    - `writes`: whether the run writes at all; `written`: whether it did.
    - `is_whole`: whether all inputs could be read.
    - `files`: how many files were read, if any is from a folder.
    - `differs`: the reason code that `--check` reports for an object that would change.
    """

    word: str
    outcomes: Mapping[Outcome, int]
    writes: bool = True
    written: bool = True
    is_whole: bool = True
    files: int = 0
    differs: Reason = Reason.INJECTION_DIFFERS


class Checked(NamedTuple):
    """A SidecarSet that an operation checked, and its place; `reasons`: the reasons that were checked for."""

    reference: ObjectReference
    place: Place | None = None
    reasons: tuple[Reason, ...] = ()


Facts = TypeVar("Facts")


class Report(NamedTuple, Generic[Facts]):
    """Findings, the outcome of each object, and the facts that the reports of this kind are made from.

    - `kind`: selects the report functions (`cli/formats.py`).
    - `severities`: of the findings in `objects`, which `findings` does not repeat.
    - `is_objection`: whether the operation itself objects: the rollout stalls, `--check` found a difference.
    - `objections`: the objection as findings, for report forms that have no other place for it.
    - `checked`: the SidecarSets that were checked, for report forms that list what is in order too.
    - `suppressed`: findings that are not reported, which say what suppresses them.
    - `failure`: the exit code of a failure, if any.
    - `release`: the Kruise whose behavior was computed.
    - `wrote`: the files that were written, `-` for stdout.
    - `read_at`: the resourceVersion at which each kind was read from a cluster, by its plural.
    """

    kind: str
    facts: Facts
    findings: Sequence[Finding] = ()
    objects: Iterable[ObjectResult] = ()
    severities: frozenset[Severity] = frozenset()
    is_objection: bool = False
    objections: Sequence[Finding] = ()
    checked: Sequence[Checked] = ()
    suppressed: Sequence[Finding] = ()
    failure: int = COMPLETED
    release: Release = DEFAULT
    wrote: Sequence[str] = ()
    read_at: Mapping[str, str] = {}

    def cluster(self) -> Object:
        """The cluster that was read, for documents; empty if none was."""
        return {"cluster": {"resourceVersions": dict(self.read_at)}} if self.read_at else {}


def of_cluster(report: Report[Any], live: Live) -> Report[Any]:
    """The report, with findings about unreadable parts of a cluster first, and the resourceVersions of the rest."""
    return report._replace(findings=[*live.findings, *report.findings], read_at=live.versions)


def failed(kind: str, fault: SidecarctlError) -> Report[Any]:
    """The report of an operation that ended with an error, about which nothing else is known."""
    return Report(kind, None, fault.findings, failure=fault.exit_code)


def noting_release(report: Report[Any]) -> Report[Any]:
    """The report, with notes about its release of Kruise (`release_notes`); validation already has them."""
    notes = [item for item in release_notes(report.release) if item not in report.findings]
    return report._replace(findings=[*notes, *report.findings]) if notes else report


def release_notes(release: Release) -> list[Finding]:
    """Notes on which release is computed instead of an unknown patch release, and on one that was not recorded."""
    found = []
    if release.stands_for:
        message = f"Kruise {release.stands_for} is not known here, and computed as {release.name}"
        found.append(note(Reason.UNKNOWN_PATCH_RELEASE, message))
    if release.derived:
        message = f"{release.behavior} is derived from its source and from the releases around it, not recorded"
        found.append(note(Reason.DERIVED_RELEASE, message))
    return found


def without_half_read(report: Report[Any]) -> Report[Any]:
    """The report, reduced to the failure if a run wrote nothing because input could not be read."""
    facts = report.facts
    if not isinstance(facts, RunFacts) or facts.is_whole or facts.written:
        return report
    of_objects = (finding for result in report.objects for finding in result.change.findings)
    errors = [item for item in (*report.findings, *of_objects) if item.severity is Severity.ERROR]
    return Report(report.kind, None, errors, failure=report.failure)


def exit_code(report: Report[Any], *, strict: bool = False) -> int:
    """The code of a failure; else 1 for an objection or an error, with `strict` also for a warning; else 0."""
    if report.failure:
        return report.failure
    severities = {finding.severity for finding in report.findings} | report.severities
    return FINDINGS if report.is_objection or severities & grave(strict=strict) else COMPLETED


def grave(*, strict: bool) -> frozenset[Severity]:
    """The severities that make a command exit with 1."""
    return frozenset({Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR})
