"""The containers that a plan queues for one pod.

Source: docs/behaviour/injection.md, "Hot containers at injection".
"""

from collections.abc import Iterable

from sidecarctl.api.pod_defaults import with_resource_defaults
from sidecarctl.facts.finding_subjects import about
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.pod_lists import Queue, Slot
from sidecarctl.injection.build.pod_plan import PodPlan
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.injection.containers.built_containers import containers_for
from sidecarctl.injection.containers.pod_view import PodView
from sidecarctl.injection.containers.sidecars import Sidecar


def queues(plan: PodPlan, pod: PodView, *, fills_requests: bool) -> tuple[Queue, Queue]:
    """The queue of initContainers and that of containers.

    ImpossibleError if a resourcesPolicy cannot be computed. `fills_requests`: see `Options`.
    """
    if not plan.dynamic:
        return _filled(plan.init_queue, {}), _filled(plan.queue, {})
    excluded = plan.sidecar_names if plan.has_policies else frozenset[str]()
    spec = with_resource_defaults(pod.spec) if plan.has_policies and fills_requests else pod.spec
    built = {  # by identity: what a sidecar holds cannot be hashed
        id(sidecar): containers_for(sidecar, pod, _resources(owner, sidecar, spec, excluded))
        for owner, sidecar in plan.dynamic
    }
    return _filled(plan.init_queue, built), _filled(plan.queue, built)


def _resources(owner: SetPlan, sidecar: Sidecar, spec: Object, excluded: frozenset[str]) -> Object:
    if sidecar.policy is None:
        return sidecar.resources
    from sidecarctl.sidecarset.resources.resources_policy import (
        computed_resources,  # the expression language, which few sets use
    )

    with about(owner.reference):
        return computed_resources(sidecar.policy, spec, excluded, (*sidecar.path, "resourcesPolicy"))


def _filled(slots: Iterable[Slot], built: dict[int, list[Object]]) -> Queue:
    return [(slot, slot.container or built[id(slot.sidecar)][slot.half]) for slot in slots]
