"""Running pods that a SidecarSet selects and that lack its sidecars, as after a time when the webhook was down."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.injection.select.namespace_rules import CONTROL_PLANE_LABEL
from sidecarctl.inputs.world import World
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import SetStatus, StatusFacts
from sidecarctl.sidecarset.matching import is_injection_paused

_LACKING = (Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING)


def objecting(report: Report[StatusFacts], world: World) -> Report[StatusFacts]:
    """The same report, which objects where a pod lacks sidecars."""
    lacking = [item for status in report.facts.sets for item in _lacking(status, world)]
    return report._replace(is_objection=bool(lacking), objections=lacking)


def _lacking(status: SetStatus, world: World) -> Iterator[Finding]:
    """An error for each such pod, unless injection is paused or Kruise's webhook skips the pod's namespace."""
    if is_injection_paused(status.sidecarset.spec):
        return
    for pod in status.left_out:
        is_skipped = CONTROL_PLANE_LABEL in world.namespaces.get(pod.pod.namespace, {})
        if pod.reason in _LACKING and not is_skipped:
            subject = ObjectReference("v1", "Pod", pod.pod.namespace, pod.pod.name)
            yield error(pod.reason, f"SidecarSet {status.sidecarset.name}: {pod.message}")._replace(subject=subject)
