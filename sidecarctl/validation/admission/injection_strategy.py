"""injectionStrategy.revision: the older revision that new pods get.

Source: docs/behaviour/validation.md, "Strategies".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.sidecarset.revisions.revision_choice import Chooser
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.rules import kruise

_PATH: Path = ("spec", "injectionStrategy", "revision")
_POLICIES = ("Always", "Partial")
_OLD_POLICIES = ("", "Always")
"""Policies of releases that do not know Partial; their API server sets no default."""

NAMED = kruise(
    "injection-revision",
    "injectionStrategy.revision names a revision or a custom version that exists in kruise-system.",
    why="Otherwise no new pods can be created.",
    mend="add the ControllerRevision to the inputs, or delete injectionStrategy.revision",
    within="spec",
    fails="injectionStrategy: {revision: {revisionName: log-agent-gone}}",
    passes="injectionStrategy: {paused: false}",
)
POLICY = kruise(
    "injection-revision-policy",
    "The policy of injectionStrategy.revision is Always or Partial.",
    why="It decides whether all new pods get the older revision, or only some of them.",
    mend="write Always or Partial, or omit it",
    within="spec",
    fails="injectionStrategy: {revision: {revisionName: log-agent-gone, policy: Sometimes}}",
    passes="injectionStrategy: {paused: false}",
)


def injection_strategy_findings(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> Iterator[Finding]:
    """Errors in the injectionStrategy of a SidecarSet, given the existing revisions."""
    revision = sidecarset.spec.get("injectionStrategy", {}).get("revision")
    if revision is None:
        return
    if "revisionName" not in revision and "customVersion" not in revision:
        yield NAMED.at(_PATH, "revisionName or customVersion is required")
    elif missing := _missing(sidecarset, revisions):
        yield NAMED.at(_PATH, missing)
    policy = revision.get("policy", "")
    if policy not in (_POLICIES if sidecarset.release.partial_policy else _OLD_POLICIES):
        yield POLICY.at((*_PATH, "policy"), f'unknown policy "{policy}"')


def _missing(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> str:
    try:
        Chooser(sidecarset, revisions).choose("", "", {})
    except ImpossibleError as problem:
        [finding] = problem.findings  # others than this one are about the updateStrategy
        return finding.message if finding.reason is Reason.REVISION_NOT_FOUND else ""
    return ""
