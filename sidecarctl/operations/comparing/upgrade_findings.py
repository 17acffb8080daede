"""What an upgrade of Kruise changes, as findings: for reports that have no other form for it, and for a gate."""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import World
from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.comparing.release_effects import Effect, Topic

_SHOWN = 3
"""The number of fields that a finding names."""


def effect_findings(name: str, effects: Iterable[Effect], world: World) -> list[Finding]:
    """The effects on a SidecarSet, each at its field in the manifest.

    Fields that stop working are among the findings about the later release (`World.gaps`).
    """
    shown = (effect for effect in effects if effect.topic is not Topic.FIELD_CEASES)
    return world.sources[name].findings(map(_finding, shown))


def _finding(effect: Effect) -> Finding:
    return Finding(effect.severity, Reason.KRUISE_UPGRADE, effect.message, effect.path, rule=effect.rule)


def recreated_findings(recreated: Iterable[RecreatedPods]) -> Iterator[Finding]:
    """The pods that are injected differently: an error for pods that only the later release rejects."""
    for pods in recreated:
        severity = Severity.ERROR if pods.breaks else Severity.WARNING
        yield Finding(severity, Reason.KRUISE_UPGRADE, _sentence(pods), subject=pods.reference)


def _sentence(pods: RecreatedPods) -> str:
    others = (pods.number or 1) - 1 if pods.reference.kind == "Pod" else 0
    more = f" (and {others} more)" if others else ""
    fields = ", ".join(field.text for field in pods.fields[:_SHOWN]) + (" ..." if len(pods.fields) > _SHOWN else "")
    if pods.before != pods.after:
        what = f"{pods.after or 'nothing'} instead of {pods.before or 'nothing'}"
        return f"injected differently when created again{more}: {what}"
    return f"injected differently when created again{more}: {fields}"
