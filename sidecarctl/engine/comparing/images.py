"""Which images the sidecars of pods have, which their SidecarSets want, and what it takes to get there.

Whether a pod is updated in place or must be recreated comes from `status`.

Source: docs/behavior/rollout.md, "Cold upgrade of one pod", "Hot upgrade of one pod".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from sidecarctl.engine.comparing.counted_pods import CountedPods, CountRequest, counted_pods
from sidecarctl.engine.facts.findings import Finding, named, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.pods import whole_pods
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import Report, of_cluster
from sidecarctl.engine.rollout.pod_budgets import budget_notes
from sidecarctl.engine.rollout.predicates import idle_half, is_consistent, working_half
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.statuses import (
    LACKING,
    PodStatus,
    SetStatus,
    chosen_statuses,
    flipped_defaults,
    simulated_pods,
    with_blocking_fields,
)
from sidecarctl.engine.rollout.summary.sentences import advice_sentence
from sidecarctl.engine.rollout.summary.sidecar_comparison import WholePods
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, is_injection_paused, is_native_sidecar
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.warnings import warnings_of


class Role(StrEnum):
    """What a container of a SidecarSet is in a pod."""

    CONTAINER = "container"
    WORKING = "workingHalf"
    IDLE = "idleHalf"
    NATIVE = "nativeSidecar"
    INIT = "initContainer"


class Way(StrEnum):
    """How a pod gets the image that the SidecarSet wants, the hardest first."""

    RECREATE = "Recreate"
    IN_PLACE = "InPlace"
    PENDING = "Pending"
    CURRENT = "Current"

    @property
    def sentence(self) -> str:
        """What it means."""
        return _SENTENCES[self]


_SENTENCES = {
    Way.RECREATE: "Only a new pod gets the wanted image.",
    Way.IN_PLACE: "Kruise updates the image in place, as far as the update strategy lets it.",
    Way.PENDING: "The pod has the wanted image in its spec, and its status does not show it yet.",
    Way.CURRENT: "The pod has the wanted image.",
}


class ImageUse(NamedTuple):
    """The pods in which a container of a SidecarSet has the same image, and reaches the wanted one the same way.

    `image` is empty for pods that lack the container. `states`: these pods by their state in `status`, or by the
    reason why they take no part in the rollout. `digests`: by the digest that their status shows, if any.
    """

    container: str
    role: Role
    image: str
    wanted: str
    way: Way
    states: Mapping[str, int]
    digests: Mapping[str, int]

    @property
    def pods(self) -> int:
        """How many pods."""
        return sum(self.states.values())


class SetImages(NamedTuple):
    """The images of a SidecarSet, container by container, the hardest way first.

    `ways`: its pods by the hardest way among their containers. `left_out`: the pods that are selected and not looked
    at, by reason, such as ended ones. `doubtful`: other pods that may be its pods (`RolloutOutcome`).
    """

    name: str
    uses: Sequence[ImageUse]
    ways: Mapping[Way, int]
    left_out: Mapping[str, int]
    doubtful: Sequence[PodName] = ()


class ImagesFacts(NamedTuple):
    """The SidecarSets by name, and the feature gates; `image` is the pattern that selects uses, empty for all.

    `synthetic`: the pods were made of workloads.
    """

    sets: Sequence[SetImages]
    gates: frozenset[str]
    image: str = ""
    synthetic: bool = False


def images(
    sources: Sources[Input], old: Sources[Input], how: Reading, request: CountRequest, image: str = ""
) -> Report[ImagesFacts]:
    """The images over the pods of files and a cluster, or of workloads (`counted_pods`, which says what it raises).

    UsageError for an unknown SidecarSet.
    """
    how = how.of_cluster(sources.live.release)
    counted = counted_pods(sources, old, how, request)
    whole = None if counted.synthetic else partial(whole_pods, sources, how)
    return of_cluster(images_report(counted, request, image, whole, how.namespace), sources.live)


def images_report(
    counted: CountedPods,
    request: CountRequest,
    image: str = "",
    whole: WholePods | None = None,
    namespace: str = DEFAULT_NAMESPACE,
) -> Report[ImagesFacts]:
    """The images of sidecars over pods that were read; UsageError for an unknown SidecarSet.

    `whole` reads the pods untrimmed, if they run: what keeps them from an update in place shows only then.
    """
    inputs, world, gates = counted.inputs, counted.inputs.world, request.gates
    pods = simulated_pods(counted.pods)
    statuses, found = chosen_statuses(inputs, pods, request.only, gates)
    by_name = {pod.name: pod for pod in pods}
    sets = [_set_images(status, by_name, image, shows_digests=not counted.synthetic) for status in statuses]
    findings = [*warnings_of(world, gates), *counted.findings]
    findings += [item for item in found if item.reason is not Reason.NO_PODS]
    findings += budget_notes(gates, inputs)
    for status, item in zip(statuses, sets, strict=True):
        if any(use.way is Way.RECREATE for use in item.uses):
            findings += _new_pods(status, by_name, world)
    if whole:
        blocked = with_blocking_fields(statuses, whole, namespace, gates, world.revisions)
        findings += flipped_defaults(blocked, by_name, world)
    findings += _elsewhere(pods, statuses, image) if image else []
    facts, objects = ImagesFacts(sets, gates, image, counted.synthetic), any(item.doubtful for item in sets)
    return Report("images", facts, findings, is_objection=objects, release=world.release)


class _Slot(NamedTuple):
    """A container of a SidecarSet in a pod: its name in both, what it is, and the image that it is to have."""

    container: str
    role: Role
    wanted: str
    name: str


def _set_images(
    status: SetStatus, pods: Mapping[PodName, SimulatedPod], pattern: str, *, shows_digests: bool
) -> SetImages:
    found: dict[tuple[str, Role, str, str, Way], tuple[Counter[str], Counter[str]]] = {}
    hardest: Counter[Way] = Counter()
    left_out: Counter[str] = Counter()
    for pod, state, member in _selected(status, pods, left_out):
        own = [*_uses(status, pod, member, shows_digests=shows_digests)]
        own = [(key, digest) for key, digest in own if _is_like(key, digest, pattern)]
        for key, digest in own:
            states, digests = found.setdefault(key, (Counter(), Counter()))
            states[state] += 1
            digests.update([digest] if digest else [])
        if own:
            hardest[min((key[-1] for key, _ in own), key=_ORDER.index)] += 1
    uses = [ImageUse(*key, dict(states), dict(digests)) for key, (states, digests) in found.items()]
    uses.sort(key=lambda use: _ORDER.index(use.way))
    in_order = {name: place for place, name in enumerate(_names(status))}
    uses.sort(key=lambda use: (in_order[use.container], use.role is Role.IDLE))
    ways = {way: hardest[way] for way in _ORDER if hardest[way]}
    return SetImages(status.sidecarset.name, uses, ways, left_out, status.doubtful)


_ORDER = list(Way)


def _uses(
    status: SetStatus, pod: SimulatedPod, member: PodStatus | None, *, shows_digests: bool
) -> Iterator[tuple[tuple[str, Role, str, str, Way], str]]:
    """The key of each use in a pod, and the digests."""
    for slot in _slots(status, pod):
        image = _image(pod, slot)
        way = _way(slot, image, pod, status, member)
        digest = _digest(pod, slot.name) if shows_digests and way is not Way.PENDING else ""
        yield (slot.container, slot.role, image, slot.wanted, way), digest


def _selected(
    status: SetStatus, pods: Mapping[PodName, SimulatedPod], left_out: Counter[str]
) -> Iterator[tuple[SimulatedPod, str, PodStatus | None]]:
    """The pods that have or should have the sidecars, with their state; the others are counted."""
    for member in status.pods:
        if member.is_mirror:
            left_out[str(member.state)] += 1
        else:
            yield pods[member.pod], str(member.state), member
    for item in status.left_out:
        if item.reason in LACKING:
            yield pods[item.pod], str(item.reason), None
        else:
            left_out[str(item.reason)] += 1


def _names(status: SetStatus) -> list[str]:
    return [container.name for container in status.target.containers] + [
        item.get("name") or "" for item in status.sidecarset.spec.get("initContainers") or ()
    ]


def _slots(status: SetStatus, pod: SimulatedPod) -> Iterator[_Slot]:
    for container in status.target.containers:
        if container.hot:
            yield _Slot(container.name, Role.WORKING, container.image, working_half(container, pod))
            yield _Slot(container.name, Role.IDLE, container.empty_image, idle_half(container, pod))
        else:
            yield _Slot(container.name, Role.CONTAINER, container.image, container.name)
    for item in status.sidecarset.spec.get("initContainers") or ():
        name = item.get("name") or ""
        role = Role.NATIVE if is_native_sidecar(item) else Role.INIT
        yield _Slot(name, role, item.get("image") or "", name)


def _image(pod: SimulatedPod, slot: _Slot) -> str:
    return pod.init_images.get(slot.name, "") if slot.role in _BEFORE else pod.image_of(slot.name)


_BEFORE = (Role.NATIVE, Role.INIT)
"""InitContainers, whose images Kruise never updates in place."""


def _way(slot: _Slot, image: str, pod: SimulatedPod, status: SetStatus, member: PodStatus | None) -> Way:
    if image == slot.wanted:
        runs = slot.role in _BEFORE or is_consistent(status.target, pod, (slot.name,))
        return Way.CURRENT if runs else Way.PENDING
    if member is None or slot.role in _BEFORE:
        return Way.RECREATE
    if member.updated:  # Kruise only has to empty an idle half
        return Way.IN_PLACE if slot.role is Role.IDLE else Way.RECREATE
    return Way.IN_PLACE if member.upgradable else Way.RECREATE


def _digest(pod: SimulatedPod, name: str) -> str:
    """The digest that the status of a container shows; empty if it shows none."""
    status = pod.statuses.get(name)
    image_id = status.image_id if status else _init_image_id(pod.manifest, name)
    digest = image_id.rpartition("@")[2]
    return digest if digest.startswith("sha256:") else ""


def _init_image_id(pod: Object, name: str) -> str:
    statuses = (pod.get("status") or {}).get("initContainerStatuses") or ()
    return next((item.get("imageID") or "" for item in statuses if item and item.get("name") == name), "")


def _is_like(key: tuple[str, Role, str, str, Way], digest: str, pattern: str) -> bool:
    _, _, image, wanted, _ = key
    return not pattern or any(fnmatchcase(text, pattern) for text in (image, wanted, digest))


def _new_pods(status: SetStatus, pods: Mapping[PodName, SimulatedPod], world: World) -> list[Finding]:
    """A note if new pods would not get the wanted images either, where only they can."""
    slots = ((pod, member, _slots(status, pod)) for pod, _, member in _selected(status, pods, Counter()))
    advice = [
        status.target.recreation(pod)
        for pod, member, own in slots
        if any(_way(slot, _image(pod, slot), pod, status, member) is Way.RECREATE for slot in own)
    ]
    if not (said := advice_sentence(advice)):
        return []
    is_paused = is_injection_paused(status.sidecarset.spec)
    reason = Reason.INJECTION_PAUSED if is_paused else Reason.HAS_NO_EFFECT
    path = ("spec", "injectionStrategy", "paused" if is_paused else "revision")
    found = note(reason, f"a new pod may not have the wanted images: {said}", path)
    return world.sources[status.sidecarset.name].findings([found])


_NAMED = 5


def _elsewhere(pods: Iterable[SimulatedPod], sets: Sequence[SetStatus], pattern: str) -> list[Finding]:
    """A note on the pods in which other containers than those of the SidecarSets have such an image."""
    names: dict[PodName, set[str]] = {}
    every = {pod.name: pod for pod in pods}
    for status in sets:
        for pod, _, _ in _selected(status, every, Counter()):
            names.setdefault(pod.name, set()).update(slot.name for slot in _slots(status, pod))
    found = [
        str(pod.name)
        for pod in every.values()
        if any(
            fnmatchcase(image, pattern) and name not in names.get(pod.name, ())
            for name, image in (*pod.init_images.items(), *pod.images.items())
        )
    ]
    if not found:
        return []
    containers = f"other containers of {len(found):,} pod{'s' * (len(found) != 1)} have such an image"
    return [note(Reason.IMAGE_RUNS, f"{containers}: {named(found, _NAMED)}")]
