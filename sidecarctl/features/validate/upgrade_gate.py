"""An upgrade of Kruise as a validation: what it breaks, and what else changes."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from sidecarctl.engine.comparing.kruise_upgrade import Releases, UpgradeFacts, upgrade_of_manifests
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.inputs.manifests import read_manifests
from sidecarctl.engine.inputs.opening import Named, Sources, opened
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import Report, release_notes
from sidecarctl.engine.validation.suppression import refuses
from sidecarctl.features.validate.validate import ValidateOptions, ValidationFacts, parted_by_options, validate_report

if TYPE_CHECKING:  # few runs upgrade, or have a baseline
    from sidecarctl.engine.comparing.kruise_upgrade import UpgradeFacts


def gated(releases: Releases, named: Named, how: Reading, options: ValidateOptions) -> Report[ValidationFacts]:
    """What the upgrade breaks or changes, as a validation; InputError if something cannot be read."""
    with opened(named, lenient=True) as (sources,):
        of_upgrade = upgrade_of_manifests(sources, releases, named, how, options.gates, ())
        before, after = (
            validate_report(
                read_manifests(sources, reading),
                read_manifests(Sources(), reading),
                reading,
                options._replace(baseline=None),
            )
            for reading in (how._replace(release=release) for release in releases)
        )
        return gate_report(before, after, of_upgrade, options)


Key = tuple[object, ...]
"""The part of a finding that is the same under both releases."""


def gate_report(
    before: Report[ValidationFacts],
    after: Report[ValidationFacts],
    upgrade: "Report[UpgradeFacts]",
    options: ValidateOptions,
) -> Report[ValidationFacts]:
    """The effects of the upgrade as findings; `before` and `after` validate under either release.

    Findings of both releases are not included.
    """
    notes = [*release_notes(before.release), *release_notes(after.release)]
    known = {_key(finding) for finding in (*notes, *before.facts.findings)}
    every = [*notes, *_of_upgrade(upgrade, known), *_new(after, known)]
    reported, suppressed = parted_by_options(every, options, keeps_refused=False)
    facts = after.facts._replace(
        findings=reported,
        suppressed=len(suppressed),
        upgraded_from=upgrade.facts.before.behavior,
        is_downgrade=upgrade.facts.is_downgrade,
    )
    return after._replace(facts=facts, findings=reported, suppressed=suppressed)


def _of_upgrade(upgrade: "Report[UpgradeFacts]", known: Collection[Key]) -> Iterator[Finding]:
    """What stops working, what else the upgrade changes, and what about it cannot be computed."""
    for finding in upgrade.findings:
        is_unknown = finding.reason is Reason.UNKNOWN_TO_RELEASE
        if _key(finding) not in known if is_unknown else finding.severity is Severity.ERROR:
            yield finding
    yield from upgrade.objections


def _new(after: Report[ValidationFacts], known: Collection[Key]) -> Iterator[Finding]:
    """Other findings of the later release only."""
    for finding in after.facts.findings:
        is_effect = refuses(finding) or finding.reason is Reason.UNKNOWN_TO_RELEASE
        if not is_effect and _key(finding) not in known:
            yield finding


def _key(finding: Finding) -> Key:
    return finding.subject, finding.place, finding.rule, finding.reason, finding.path, finding.severity
