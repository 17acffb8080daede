"""Likely mistakes in how a SidecarSet is updated that nobody rejects: its pace, and its hot upgrades.

Source: docs/behavior/rollout.md, "One round"; docs/behavior/injection.md, "Hot containers at injection".
"""

from collections.abc import Iterator

from sidecarctl.engine.api.field_table import fields_of
from sidecarctl.engine.api.quantities import percentage
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL, spec_in_v1beta1
from sidecarctl.engine.sidecarset.held_back import NOT_UPDATE, held_back_unpinned
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_hot
from sidecarctl.engine.validation.admission.ports_and_probes import PROBES
from sidecarctl.engine.validation.admission.spec import placed
from sidecarctl.engine.validation.rules import Parameter, noted, warned

_HOT = "upgradeStrategy: {{upgradeType: HotUpgrade, hotUpgradeEmptyImage: '{}'}}"
_MIGRATES = "lifecycle: {postStart: {exec: {command: [/migrate.sh]}}}"

_SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:2'}}]
  updateStrategy: {{partition: 90%}}{}
"""
_REVISION = """\
---
apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: agent-1
  namespace: kruise-system
  labels: {kruise.io/sidecarset-name: agent, apps.kruise.io/sidecarset-custom-version: v1}
revision: 1
data: {spec: {$patch: replace, containers: [{name: agent, image: 'agent:1'}]}}
"""

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
UNPINNED = noted(
    "canary-without-pin",
    "New pods that bypass the canary",
    "While partition, selector or paused hold back running pods, injectionStrategy.revision holds back new ones.",
    why="Otherwise every pod that is scaled up, rescheduled or recreated gets the new version at once.",
    mend=f"first write customVersion: v1 in the version that runs (v1alpha1: the label {CUSTOM_VERSION_LABEL}: v1), "
    "then customVersion: v2 in the new one, and until its rollout ends injectionStrategy: "
    "{revision: {customVersion: v1}}",
    source="docs/behavior/hash-and-revisions.md",
    within="stream",
    fails=_SET.format(""),
    passes=_SET.format("\n  injectionStrategy: {revision: {customVersion: v1}}") + _REVISION,
)
_PATH: Path = ("spec", "updateStrategy", "maxUnavailable")
_INJECTION = "v1alpha1.SidecarSetInjectionStrategy"


def update_findings(sidecarset: SidecarSet, given: Object) -> Iterator[Finding]:
    """Findings about the pace and the hot upgrades of a SidecarSet; `given` are parameters of the pace."""
    spec = spec_in_v1beta1(sidecarset)
    strategy = spec["updateStrategy"]
    if strategy.get("type") == "RollingUpdate" and not strategy.get("paused"):
        yield from _pace(strategy, PACE.parameter("below", given))
    knows_pins = any(field.name == "revision" for field in fields_of(_INJECTION, sidecarset.release) or ())
    if (held := held_back_unpinned(spec)) and held != NOT_UPDATE and knows_pins:
        member = held.removeprefix("updateStrategy.").split()[0]
        yield UNPINNED.at(
            (*_PATH[:-1], member), f"new pods get this version at once: {held} holds back running pods only"
        )
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
