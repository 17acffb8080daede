"""One injection with all that there is to know about it."""

from collections.abc import Mapping

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.build.injection_records import HASHES, read_entries
from sidecarctl.injection.build.patched_metadata import patched_annotations
from sidecarctl.injection.build.pod_branches import PodBranches, branches_of, rebuilt
from sidecarctl.injection.build.pod_lists import Placed, appended, placed, with_pull_secrets, with_volumes
from sidecarctl.injection.build.prepared import Prepared
from sidecarctl.injection.build.queued_containers import queues
from sidecarctl.injection.containers.pod_view import PodView
from sidecarctl.injection.options import InjectionOptions


class InjectedPod(NamedTuple):
    """A pod before (`parts`) and after (`pod`) one injection.

    `patched` are the annotations after the metadata patches. `init` and `main` are the two lists of containers; both
    and `view` are None if no container was queued, and only metadata was patched.
    """

    parts: PodBranches
    pod: Object
    patched: Mapping[str, Value]
    view: PodView | None = None
    init: Placed | None = None
    main: Placed | None = None


def outcome(pod: Object, prepared: Prepared, options: InjectionOptions) -> InjectedPod:
    """What comes of a pod; ImpossibleError if it is rejected."""
    plan, parts = prepared.plan, branches_of(pod)
    if plan.crashes:
        raise ImpossibleError(*plan.crashes)
    patched = patched_annotations(parts.annotations, plan.patches) if plan.patches else parts.annotations
    if not plan.queues_anything:
        for key in HASHES:
            read_entries(key, patched.get(key))
        return InjectedPod(parts, rebuilt(parts, patched, {}), patched)
    spec = parts.spec
    view = PodView(spec, parts.labels, patched, plan.release)
    init_queue, queue = queues(plan, view, fills_requests=options.fills_requests)
    place_init = placed if plan.release.init_containers_replace else appended
    init, main = place_init(spec.get("initContainers"), init_queue), placed(spec.get("containers"), queue)
    recorded = prepared.recorder.recorded(patched)
    members = {
        "initContainers": init.containers,
        "containers": main.containers,
        "volumes": with_volumes(spec.get("volumes"), plan.volumes),
        "imagePullSecrets": with_pull_secrets(spec.get("imagePullSecrets"), plan.pull_secrets),
    }
    annotations = {**patched, **recorded} if plan.patches else recorded
    return InjectedPod(parts, rebuilt(parts, annotations, members), patched, view, init, main)
