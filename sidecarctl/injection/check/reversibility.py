"""What a pod had before that injection writes as well, so that taking it out again cannot know it.

Source: docs/behaviour/injection.md; the contract of `uninject`.
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, note, warning
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.build.injected_pod import InjectedPod
from sidecarctl.injection.build.pod_lists import Placed, name_of
from sidecarctl.injection.build.prepared import Prepared
from sidecarctl.injection.containers.injected_marker import is_injected

_LISTS = ("initContainers", "containers", "volumes", "imagePullSecrets")


def loss_findings(once: InjectedPod, prepared: Prepared) -> Iterator[Finding]:
    """A warning for each container of the pod's own that a sidecar replaces, and notes on what else is not undone."""
    if once.pod is once.parts.pod:
        if not prepared.plan.queues_anything:  # no record tells whether the annotations came from an injection
            yield from _patched(once, prepared)
        return
    for field, containers in (("initContainers", once.init), ("containers", once.main)):
        if containers and containers.replaced:
            yield from _replaced(field, containers)
    yield from _empty_parents(once)
    if prepared.plan.patches and once.parts.annotations:
        yield from _patched(once, prepared)
    if once.main:
        yield from _recorded_before(once, prepared)
        yield from _shared_names(once, prepared)
    yield from _doubled_secrets(once)


def _replaced(field: str, containers: Placed) -> Iterator[Finding]:
    for slot, place, before in containers.replaced:
        if not is_injected(before):
            message = (
                f"the app container {slot.name} is replaced by the sidecar of the same name from {slot.plan.name}"
            )
            yield warning(Reason.CONTAINER_REPLACED, message, ("spec", field, place))


def _empty_parents(once: InjectedPod) -> Iterator[Finding]:
    """Branches that are there but empty: when injection fills them, taking it out leaves nothing of them."""
    before, after = once.parts, once.pod
    for name, branch in (("metadata", before.metadata), ("spec", before.spec)):
        if not branch and name in before.pod and after.get(name):
            yield _empty((name,))
    if "annotations" in before.metadata and not before.annotations and after["metadata"]["annotations"]:
        yield _empty(("metadata", "annotations"))
    for name in _LISTS:
        if name in before.spec and not before.spec[name] and after["spec"][name]:
            yield _empty(("spec", name))


def _empty(path: Path) -> Finding:
    return note(Reason.NOT_REVERSIBLE, f"{path[-1]} is empty in the input; `uninject` will remove it", path)


def _patched(once: InjectedPod, prepared: Prepared) -> Iterator[Finding]:
    """Annotations that lost their value to a patch, or have the very one that it would have set."""
    before, made = once.parts.annotations, prepared.plan.patched_alone
    for key in once.patched.keys() & before.keys() & prepared.plan.patched_keys:
        if once.patched[key] != (before[key] or "") or once.patched[key] == made.get(key):
            message = f"the annotation {key} already exists, and a SidecarSet patches it"
            yield note(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key))


def _recorded_before(once: InjectedPod, prepared: Prepared) -> Iterator[Finding]:
    present = once.parts.annotations.keys() & prepared.recorder.keys
    if present:
        message = (
            f"the pod records earlier injections in {', '.join(sorted(present))}; `uninject` will remove all of them"
        )
        yield note(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations"))


def _shared_names(once: InjectedPod, prepared: Prepared) -> Iterator[Finding]:
    """Volumes and pull secrets that a set brings, and the pod has already."""
    for name, brought in (("volumes", prepared.plan.volume_names), ("imagePullSecrets", prepared.plan.secret_names)):
        for index, item in enumerate(once.parts.spec.get(name) or () if brought else ()):
            if name_of(item) in brought:
                message = f"{name_of(item)} also comes from a SidecarSet; the pod's own is kept"
                yield note(Reason.NOT_REVERSIBLE, message, ("spec", name, index))


def _doubled_secrets(once: InjectedPod) -> Iterator[Finding]:
    """Pull secrets that the pod names twice: injection leaves the first."""
    names: set[object] = set()
    for index, item in enumerate(once.parts.spec.get("imagePullSecrets") or ()):
        if name_of(item) in names:
            message = f"the pull secret {name_of(item)} is listed twice"
            yield note(Reason.NOT_REVERSIBLE, message, ("spec", "imagePullSecrets", index))
        names.add(name_of(item))
