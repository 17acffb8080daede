"""How an upgrade of Kruise is looked at: the same files, read by either release."""

from collections.abc import Sequence

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.flags.upgrade import Upgrade
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import Sources, opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_manifests import read_manifests
from sidecarctl.inputs.reading_pods import read_inputs, whole_pods
from sidecarctl.operations.kruise_upgrade import UpgradeFacts, UpgradeRequest, upgrade_report
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import ValidateOptions, validate_report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.operations.validating.upgrade_gate import gate_report


def upgraded(upgrade: Upgrade, how: Reading, gates: frozenset[str], only: Sequence[str]) -> Report[UpgradeFacts]:
    """The effects of the upgrade; InputError if something cannot be read, or there is no SidecarSet."""
    with opened(upgrade.named, lenient=True) as (sources,), without_collector():
        return _upgraded(sources, upgrade, how, gates, only)


def gated(upgrade: Upgrade, how: Reading, options: ValidateOptions) -> Report[ValidationFacts]:
    """What the upgrade breaks or changes, as a validation; InputError if something cannot be read."""
    with opened(upgrade.named, lenient=True) as (sources,), without_collector():
        of_upgrade = _upgraded(sources, upgrade, how, options.gates, ())
        named = how._replace(names_release=True)
        before, after = (
            validate_report(
                read_manifests(sources.every, reading),
                read_manifests((), reading),
                reading,
                options._replace(baseline=None),
            )
            for reading in (named._replace(release=release) for release in (upgrade.before, upgrade.after))
        )
        return gate_report(before, after, of_upgrade, options)


def _upgraded(
    sources: Sources[Input], upgrade: Upgrade, how: Reading, gates: frozenset[str], only: Sequence[str]
) -> Report[UpgradeFacts]:
    before = read_inputs(sources, how._replace(release=upgrade.before)).whole(only)
    computed = how._replace(release=upgrade.after, trust_annotated_hash=False)  # what the next write records
    after = read_inputs(sources, computed).whole(only)
    if not after.world.sidecarsets:
        raise no_sidecarset(upgrade.named)
    request = UpgradeRequest(
        before, after, lambda: whole_pods(sources, how), how.namespace, how.workloads, gates, only
    )
    return upgrade_report(request)
