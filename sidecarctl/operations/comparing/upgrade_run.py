"""An upgrade of Kruise: the same files, read by either release, and compared or validated."""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from sidecarctl.files.inputs import Input
from sidecarctl.inputs.opening import Named, Sources, opened
from sidecarctl.inputs.pods import read_inputs, whole_pods
from sidecarctl.inputs.reading import Reading, no_sidecarset, read_manifests
from sidecarctl.operations.comparing.kruise_upgrade import UpgradeFacts, UpgradeRequest, upgrade_report
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import ValidateOptions, ValidationFacts, gate_report, validate_report
from sidecarctl.releases.release import Release

Releases: TypeAlias = tuple[Release, Release]
"""The release before, and the one after."""


def upgraded(
    releases: Releases,
    named: Named,
    how: Reading,
    gates: frozenset[str],
    only: Sequence[str],
    fails: Collection[str] | None = None,
) -> Report[UpgradeFacts]:
    """The effects of the upgrade; an objection if something breaks, or, if `fails` are given, a verdict among these.

    InputError if something cannot be read, or there is no SidecarSet.
    """
    with opened(named, lenient=True) as (sources,):
        report = _upgraded(sources, releases, named, how, gates, only)
    if fails is None:
        return report
    return report._replace(is_objection=any(item.verdict in fails for item in report.facts.sets))


def gated(releases: Releases, named: Named, how: Reading, options: ValidateOptions) -> Report[ValidationFacts]:
    """What the upgrade breaks or changes, as a validation; InputError if something cannot be read."""
    with opened(named, lenient=True) as (sources,):
        of_upgrade = _upgraded(sources, releases, named, how, options.gates, ())
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


def _upgraded(
    sources: Sources[Input],
    releases: Releases,
    named: Named,
    how: Reading,
    gates: frozenset[str],
    only: Sequence[str],
) -> Report[UpgradeFacts]:
    before = read_inputs(sources, how._replace(release=releases[0])).whole(only)
    computed = how._replace(release=releases[1], trust_annotated_hash=False)  # what the next write records
    after = read_inputs(sources, computed).whole(only)
    if not after.world.sidecarsets:
        raise no_sidecarset(named)
    request = UpgradeRequest(before, after, whole_pods(sources, how), how.namespace, how.workloads, gates, only)
    return upgrade_report(request)
