"""What nobody rejects in how a SidecarSet is to be updated, but is hardly intended: its pace, and its hot upgrades.

Source: docs/behavior/rollout.md, "One round"; docs/behavior/injection.md, "Hot containers at injection".
"""

from collections.abc import Iterator

from sidecarctl.engine.api.quantities import percentage
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.sidecarset.conversion import spec_in_v1beta1
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_hot
from sidecarctl.engine.validation.admission.ports_and_probes import PROBES
from sidecarctl.engine.validation.admission.spec import placed
from sidecarctl.engine.validation.rules import Parameter, warned

_HOT = "upgradeStrategy: {{upgradeType: HotUpgrade, hotUpgradeEmptyImage: '{}'}}"
_MIGRATES = "lifecycle: {postStart: {exec: {command: [/migrate.sh]}}}"

PACE = warned(
    "max-unavailable",
    "Update of no pods, or of all at once",
    "maxUnavailable is neither 0 nor 100%.",
    why="With 0, Kruise never updates a ready pod. With 100%, it restarts the sidecar in all pods at the same time.",
    mend="write a number, or a percentage such as 20%; to hold an update back, use paused or partition",
    source="docs/behavior/rollout.md",
    within="spec",
    fails="updateStrategy: {maxUnavailable: 0}",
    passes="updateStrategy: {maxUnavailable: 20%}",
    parameters={"below": Parameter("100%", "the percentage that maxUnavailable must stay below")},
)
HOT = warned(
    "hot-upgrade",
    "Hot upgrade that may fail",
    "A HotUpgrade container has another image as its empty image, a postStart hook that takes over, and no probes.",
    why="One of the two containers runs the empty image; it has the probes too, and must pass them. The new "
    "container takes over from the old one in its postStart hook, the only place that Kruise provides for that.",
    mend="write the image of a program that only waits, a postStart that takes over, and no probes",
    source="https://openkruise.io/docs/user-manuals/sidecarset",
    fails=_HOT.format("agent:1.2") + "\n" + _MIGRATES,
    passes=_HOT.format("empty:1.0") + "\n" + _MIGRATES,
)
_PATH: Path = ("spec", "updateStrategy", "maxUnavailable")


def update_findings(sidecarset: SidecarSet, given: Object) -> Iterator[Finding]:
    """Findings about the pace and the hot upgrades of a SidecarSet; `given` are parameters of the pace."""
    spec = spec_in_v1beta1(sidecarset)
    strategy = spec["updateStrategy"]
    if strategy.get("type") == "RollingUpdate" and not strategy.get("paused"):
        yield from _pace(strategy, PACE.parameter("below", given))
    for container, path in (*placed(spec, "containers"), *placed(spec, "initContainers")):
        if is_hot(container):
            yield from _hot(container, path)


def _pace(strategy: Object, most: str) -> Iterator[Finding]:
    given = strategy.get("maxUnavailable", 1)
    percent = percentage(given) if isinstance(given, str) else None
    if given == 0 or percent == 0:
        found = PACE.at(_PATH, f"with {given}, no ready pod is ever updated")
        yield found._replace(severity=Severity.NOTE)  # as for partition 100%: so one holds back a rollout on purpose
    elif percent is not None and percent >= 100:
        yield PACE.at(_PATH, f"with {given}, the sidecars of all pods are restarted at once")
    elif percent is not None and percent >= (percentage(most) or 0):
        message = f"{given} is not below {most}, which the settings of this repository require"
        yield PACE.at(_PATH, message, "write a lower percentage")


def _hot(container: Object, path: Path) -> Iterator[Finding]:
    empty = container["upgradeStrategy"].get("hotUpgradeEmptyImage")
    if empty and empty == container.get("image"):
        where = (*path, "upgradeStrategy", "hotUpgradeEmptyImage")
        yield HOT.at(where, "the empty image is the image: both containers run it at the same time")
    for probe in PROBES:
        if container.get(probe) is not None:
            yield HOT.at((*path, probe), f"the empty container has the {probe} too, and must pass it")
    if not (container.get("lifecycle") or {}).get("postStart"):
        message = f'"{container.get("name", "")}" has no postStart in which the new container takes over'
        yield HOT.at(path, message)
