"""How `diff --kruise-from --kruise-to` runs: the same files, read by either release."""

from collections.abc import Sequence

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.flags.diff import Upgrade
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import read_inputs, whole_pods
from sidecarctl.operations.kruise_upgrade import UpgradeFacts, UpgradeRequest, upgrade_report
from sidecarctl.operations.report import Report


def upgraded(upgrade: Upgrade, how: Reading, gates: frozenset[str], only: Sequence[str]) -> Report[UpgradeFacts]:
    """What the upgrade does; InputError where something cannot be read, or there is no SidecarSet."""
    with opened(upgrade.named, lenient=True) as (sources,), without_collector():
        before = read_inputs(sources, how._replace(release=upgrade.before)).whole(only)
        computed = how._replace(release=upgrade.after, trust_annotated_hash=False)  # what the next write records
        after = read_inputs(sources, computed).whole(only)
        if not after.world.sidecarsets:
            raise no_sidecarset(upgrade.named)
        request = UpgradeRequest(
            before, after, lambda: whole_pods(sources, how), how.namespace, how.workloads, gates, only
        )
        return upgrade_report(request)
