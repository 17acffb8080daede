"""Why a running pod that a SidecarSet selects was never injected, as far as times, revisions and the webhook show.

Source: docs/behavior/injection.md, "Which sets apply".
"""

import json
from collections.abc import Callable

from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import value_at
from sidecarctl.engine.injection.new_pods import of_the_pod
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, own_revisions
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_injection_paused
from sidecarctl.engine.sidecarset.world import World

_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def why_absent(
    sidecarset: SidecarSet, world: World, advice: Callable[[SimulatedPod], str]
) -> Callable[[SimulatedPod], tuple[Reason, str]]:
    """For a pod that the SidecarSet selects: the reason, and a sentence; `advice` is on recreating it."""
    created = _time(sidecarset.metadata.get("creationTimestamp"))
    history = [(_time(item.created), item) for item in own_revisions(sidecarset, world.revisions) if item.created]

    def why(pod: SimulatedPod) -> tuple[Reason, str]:
        namespace = pod.name.namespace
        unseen = world.webhook.unseen(namespace, world.namespaces.get(namespace)) or world.webhook.unseen_pod(
            pod.labels
        )
        if unseen:
            return unseen.reason, f"never injected: {unseen.message}"
        if is_injection_paused(sidecarset.spec):
            return Reason.INJECTION_PAUSED, "never injected: injectionStrategy.paused is true"
        if not sidecarset.brings_containers:
            return Reason.NOTHING_RECORDED, "the SidecarSet has no container, so no pod records it"
        born = _time((pod.manifest.get("metadata") or {}).get("creationTimestamp"))
        if born is None or created is None:
            return Reason.NEVER_INJECTED, f"older than the SidecarSet, or the webhook was down: {advice(pod)}"
        if born < created:
            return Reason.NEVER_INJECTED, f"created before the SidecarSet: {of_the_pod(advice(pod))}"
        then = max(
            ((time, item) for time, item in history if time and time <= born), default=None, key=lambda item: item[0]
        )
        if then and _was_paused(then[1]):
            return (
                Reason.NEVER_INJECTED,
                f"injection was paused when it was created ({then[1].name}): {of_the_pod(advice(pod))}",
            )
        asked = "was Kruise down, the namespace excluded, or did it get its labels later?"
        return Reason.NEVER_INJECTED, f"created after the SidecarSet, but the webhook did not see it: {asked}"

    return why


def _was_paused(revision: Revision) -> bool:
    """Whether injection was paused when Kruise stored a revision.

    Its data has no strategies, but its annotations are those of the SidecarSet, including what kubectl applied.
    """
    try:
        applied = json.loads(revision.annotations.get(_APPLIED) or "null")
    except (ValueError, RecursionError):
        return False
    return value_at(applied, ("spec", "injectionStrategy", "paused")) is True


def _time(text: object) -> float | None:
    time = parse_time(text) if isinstance(text, str) else None
    return time.timestamp() if time else None
