"""Updates in flight in the input: patched pods whose sidecars have not yet restarted or become ready.

How they end is not recorded. A plan assumes that they finish as any other update, and reports it.
"""

from sidecarctl.rollout.order.waiting_pods import Member
from sidecarctl.rollout.pods.pod_progress import Eligibility
from sidecarctl.rollout.pods.predicates import is_consistent
from sidecarctl.rollout.pods.simulated_pods import ContainerStatus, SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.simulation.kubelet import image_id


def restarting(target: Target, member: Member) -> frozenset[str]:
    """The sidecars of a pod that an earlier patch is restarting; none if no update is in flight."""
    progress, pod = member.progress, member.pod
    if progress.available and progress.eligibility is not Eligibility.BUSY:
        return frozenset()
    if pod.container_count != pod.status_count or pod.update_states is None:
        return frozenset()  # no restart of a sidecar would change that
    stale = {name for name in target.names if name in pod.statuses and not is_consistent(target, pod, (name,))}
    return frozenset(stale | _unready_since(target, pod))


def _unready_since(target: Target, pod: SimulatedPod) -> set[str]:
    """The sidecars that the last update replaced and that are not ready, if all other containers are."""
    state = (pod.update_states or {}).get(target.name)
    replaced = (state.last_image_ids if state else None) or {}
    unready = {name for name, status in pod.statuses.items() if not status.ready}
    return unready if unready <= replaced.keys() else set()


def finish_begun(pod: SimulatedPod, restarted: frozenset[str], *, fails: bool) -> bool:
    """Let the restarted sidecars run the images of the spec, ready unless the pod fails; whether readiness changed.

    A running pod becomes Ready with them if all its other containers are ready.
    """
    changed = {
        name: ContainerStatus(pod.images[name], image_id(pod.images[name]), ready=not fails)
        for name in restarted
        if name in pod.images
    }
    pod.statuses = {**pod.statuses, **changed}
    was_ready = pod.ready
    if fails:
        pod.ready = False
    elif all(status.ready for status in pod.statuses.values()):
        pod.ready = pod.phase == "Running" or was_ready
    return pod.ready is not was_ready
