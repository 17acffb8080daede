"""Where injecting a second time gives another pod than injecting once.

Source: docs/behaviour/injection.md, "Injecting twice".
"""

from collections.abc import Iterator

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.build.injected_pod import InjectedPod, outcome
from sidecarctl.injection.build.pod_lists import Placed
from sidecarctl.injection.build.prepared import Prepared
from sidecarctl.injection.containers.hot_pairs import version_annotations
from sidecarctl.injection.containers.injected_marker import is_injected
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.sidecarset.annotations.pod_annotations import WORKING_CONTAINERS, read_working_containers
from sidecarctl.sidecarset.containers import pair_names


def repetition_findings(once: InjectedPod, prepared: Prepared, options: InjectionOptions) -> Iterator[Finding]:
    """Warnings where a second injection differs, and where this one resets a hot pair that was upgraded."""
    yield from _resets(once, prepared)
    causes = list(_suspicions(once, prepared))
    if causes and _differs_again(once, prepared, options):
        message = f"injecting a second time changes the pod again: {', or '.join(causes)}"
        yield warning(Reason.NOT_IDEMPOTENT, message)


def _differs_again(once: InjectedPod, prepared: Prepared, options: InjectionOptions) -> bool:
    try:
        return outcome(once.pod, prepared, options).pod is not once.pod
    except ImpossibleError:
        return True


def _suspicions(once: InjectedPod, prepared: Prepared) -> Iterator[str]:
    """What can make a difference the second time; nothing for nearly all pods, so that they are injected once."""
    plan = prepared.plan
    if plan.merges and once.patched != once.parts.annotations:
        yield "a metadata patch is merged into its own result"
    if once.view is None or not once.main:
        return
    if plan.init_queue and not plan.release.init_containers_replace:
        yield f"{plan.release.behaviour} adds initContainers once more"
    if plan.has_policies and plan.hot_names:
        yield "a resourcesPolicy counts the two containers of a hot pair"
    if plan.repeats_names:
        yield "two injected containers have the same name"
    if plan.dynamic and (plan.transfers_from_sidecars(once.view) or plan.has_false_marks):
        yield "sidecars take mounts or env from an injected container as if it were an app container"
    if plan.dynamic and _replaces_own(once.main):
        yield "a sidecar replaced an app container that other sidecars take mounts or env from"


def _replaces_own(containers: Placed) -> bool:
    return any(not is_injected(before) for _, _, before in containers.replaced)


def _resets(once: InjectedPod, prepared: Prepared) -> Iterator[Finding]:
    """A warning for each hot pair that is not as injection leaves it."""
    hot_names, annotations = prepared.plan.hot_names, once.patched
    if not hot_names or not annotations.get(WORKING_CONTAINERS):
        return
    working = read_working_containers(annotations.get(WORKING_CONTAINERS))
    for name in hot_names:
        versions = version_annotations([name])
        moved = working.get(name, pair_names(name)[0]) != pair_names(name)[0]
        if moved or any(annotations.get(key, text) != text for key, text in versions.items()):
            message = f"the hot container {name} has been upgraded since injection; injecting again resets the pair"
            yield warning(Reason.NOT_IDEMPOTENT, message, ("metadata", "annotations", WORKING_CONTAINERS))
