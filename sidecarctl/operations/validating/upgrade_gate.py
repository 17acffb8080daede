"""The gate of an upgrade of Kruise: what a validation finds only under the later release, and what breaks."""

from collections.abc import Collection, Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.kruise_upgrade import UpgradeFacts
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import ValidateOptions
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.validation.baselines import beyond
from sidecarctl.validation.checking import refuses
from sidecarctl.validation.suppression import without

Key = tuple[object, ...]
"""What is the same of a finding under both releases."""


def gate_report(
    before: Report[ValidationFacts],
    after: Report[ValidationFacts],
    upgrade: Report[UpgradeFacts],
    options: ValidateOptions,
) -> Report[ValidationFacts]:
    """The effects of the upgrade as findings; `before` and `after` validate under either release.

    What both releases find is not part of it.
    """
    known = {_key(finding) for finding in before.facts.findings}
    every = without([*_of_upgrade(upgrade, known), *_new(after, known)], options.ignored)
    reported = every if options.baseline is None else beyond(every, options.baseline)
    facts = after.facts._replace(
        findings=reported, suppressed=len(every) - len(reported), upgraded_from=upgrade.facts.before.behaviour
    )
    return after._replace(facts=facts, findings=reported)


def _of_upgrade(upgrade: Report[UpgradeFacts], known: Collection[Key]) -> Iterator[Finding]:
    """What stops working, what else the upgrade changes, and what cannot be computed of it."""
    for finding in upgrade.findings:
        is_unknown = finding.reason is Reason.UNKNOWN_TO_RELEASE
        if _key(finding) not in known if is_unknown else finding.severity is Severity.ERROR:
            yield finding
    yield from upgrade.objections


def _new(after: Report[ValidationFacts], known: Collection[Key]) -> Iterator[Finding]:
    """What else only the later release finds."""
    for finding in after.facts.findings:
        is_effect = refuses(finding) or finding.reason is Reason.UNKNOWN_TO_RELEASE
        if not is_effect and _key(finding) not in known:
            yield finding


def _key(finding: Finding) -> Key:
    return finding.subject, finding.place, finding.rule, finding.reason, finding.path, finding.severity
