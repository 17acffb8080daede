"""Whether a pod that is as planned was patched by this push, or by somebody else."""

from collections.abc import Collection

from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.live_pods import LivePod


def is_ours(step: Step, live: LivePod, times: Collection[str]) -> bool:
    """By the time that the pod records, which is one of those that our patches had; a reset records none."""
    if not times or step.is_reset:
        return bool(times)
    entry = live.pod.hashes.entries.get(step.set_name)
    return bool(entry and entry.update_timestamp in times)
