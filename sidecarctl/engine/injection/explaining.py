"""Which containers a pod gets, in which order and place, and what each sidecar takes from the pod.

Source: docs/behavior/injection.md, "What is written".
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.api.quantities import with_resource_defaults
from sidecarctl.engine.facts.values import Object, Path, value_at
from sidecarctl.engine.injection.decisions import InjectionOptions, Selection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.injected_pod import PodWithSidecars, outcome
from sidecarctl.engine.injection.pod.pod_plan import Placed, PodPlan, Slot, name_of
from sidecarctl.engine.injection.pod.pod_view import PodView, is_injected, transferred, unused
from sidecarctl.engine.injection.pod.sidecars import Sidecar
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets

if TYPE_CHECKING:  # the expression language, which few SidecarSets use
    from sidecarctl.engine.sidecarset.resources_policy import Computation

_FIELDS = ("initContainers", "containers")


class Transferred(NamedTuple):
    """An env that a sidecar gets from a container of the pod."""

    env: str
    container: str


class InjectedSidecar(NamedTuple):
    """A container that a SidecarSet puts into a pod.

    - `path`: of the container in the SidecarSet; `place`: its index in the pod's list `field`.
    - `policy`: its podInjectPolicy, empty for none; `heeds_policy`: whether the release looks at it there.
    - `replaces`: it takes the place of a container of that name; `replaces_app`: one that Kruise did not inject.
    - `volumes`: those that come with it, `kept_volumes`: those that the pod has already, and keeps; `mounts`,
      `devices`: the paths that app containers share with it.
    - `may_take`: the fields by which it asks for something of the app containers.
    """

    set_name: str
    field: str
    name: str
    place: int
    path: Path
    goes_first: bool
    policy: str
    heeds_policy: bool
    is_native: bool
    replaces: bool
    replaces_app: bool
    volumes: Sequence[str] = ()
    kept_volumes: Sequence[str] = ()
    mounts: Sequence[str] = ()
    devices: Sequence[str] = ()
    transfers: Sequence[Transferred] = ()
    resources: "Sequence[Computation]" = ()
    may_take: Sequence[str] = ()


class ContainerPlace(NamedTuple):
    """A container of the injected pod, in its order; `set_name` is empty for one that no SidecarSet puts there."""

    field: str
    name: str
    set_name: str


class InjectedContainers(NamedTuple):
    """The sidecars, and all containers in their order; annotations that metadata patches change.

    `former` are containers of a running pod that were injected and that no SidecarSet brings anymore.
    """

    sidecars: Sequence[InjectedSidecar] = ()
    order: Sequence[ContainerPlace] = ()
    annotations: Sequence[str] = ()
    former: Sequence[str] = ()


def injected_containers(pod: Object, selection: Selection, context: InjectionContext) -> InjectedContainers:
    """What `injecting.inject` makes of the same arguments, by container; raises the same ImpossibleErrors."""
    if not selection.matched:
        return InjectedContainers()
    prepared = context.prepared(selection.sidecarsets)
    once = outcome(pod, prepared, context.options)
    spec = once.pod.get("spec") or {}
    owners = {
        (field, place): slot.plan.name
        for field, placed in _lists(once)
        for slot, place in _places(placed, heeds=_heeds(field, prepared.plan))
    }
    order = [
        ContainerPlace(field, name_of(container), owners.get((field, place), ""))
        for field in _FIELDS
        for place, container in enumerate(spec.get(field) or ())
    ]
    sidecars = list(_sidecars(once, prepared.plan, context.options))
    changed = [key for key, value in once.patched.items() if value != once.parts.annotations.get(key)]
    return InjectedContainers(sidecars, order, changed)


def _lists(once: PodWithSidecars) -> Iterator[tuple[str, Placed]]:
    for field, placed in zip(_FIELDS, (once.init, once.main), strict=True):
        if placed is not None:
            yield field, placed


def without_former(containers: InjectedContainers, pod: Object) -> InjectedContainers:
    """The containers of a new pod like a running one: without those that would no longer be injected."""
    injected = [
        (field, name_of(item))
        for field in _FIELDS
        for item in value_at(pod, ("spec", field)) or ()
        if is_injected(item or {})
    ]
    still = {(each.field, each.name) for each in containers.order if each.set_name}
    former = [each for each in injected if each not in still]
    kept = [each for each in containers.order if (each.field, each.name) not in former]
    return containers._replace(order=kept, former=tuple(name for _, name in former))


def _heeds(field: str, plan: PodPlan) -> bool:
    return field == "containers" or plan.release.init_containers_replace


def _places(placed: Placed, *, heeds: bool) -> Iterator[tuple[Slot, int]]:
    """The index of each injected container: names may repeat."""
    first = [slot for slot in placed.new if slot.sidecar.goes_first and heeds]
    last = [slot for slot in placed.new if not (slot.sidecar.goes_first and heeds)]
    yield from ((slot, place) for place, slot in enumerate(first))
    yield from ((slot, len(first) + place) for place, slot in placed.replaced.items())
    behind = len(placed.containers or ()) - len(last)
    yield from ((slot, behind + place) for place, slot in enumerate(last))


def _sidecars(once: PodWithSidecars, plan: PodPlan, options: InjectionOptions) -> Iterator[InjectedSidecar]:
    view = once.view
    own = {name_of(volume) for volume in once.parts.spec.get("volumes") or ()}
    recorded = injected_sets(once.parts.annotations.get(INJECTED_LIST))
    for field, placed in _lists(once):
        present = once.parts.spec.get(field) or ()
        before = {slot.name: present[place] or {} for place, slot in placed.replaced.items()}
        heeds = _heeds(field, plan)
        for slot, place in sorted(_places(placed, heeds=heeds), key=lambda item: item[1]):
            kept = own if slot.plan.name not in recorded else set[str]()
            volumes = tuple(dict.fromkeys(slot.sidecar.volume_names))
            declared = {volume["name"] for volume in slot.plan.volumes}
            sidecar = InjectedSidecar(
                set_name=slot.plan.name,
                field=field,
                name=slot.name,
                place=place,
                path=slot.sidecar.path,
                goes_first=slot.sidecar.goes_first and heeds,
                policy=_written(slot, "podInjectPolicy"),
                heeds_policy=heeds,
                is_native=slot.sidecar.is_native,
                replaces=slot.name in before,
                replaces_app=slot.name in before and not is_injected(before[slot.name]),
                volumes=tuple(name for name in volumes if name in declared - kept),
                kept_volumes=tuple(name for name in volumes if name in kept),
                may_take=tuple(_may_take(slot.sidecar)),
            )
            yield sidecar if view is None else _with_what_it_takes(sidecar, slot, view, plan, options)


def _written(slot: Slot, field: str) -> str:
    container = value_at(slot.plan.sidecarset.manifest, slot.sidecar.path) or {}
    return str(container.get(field) or "")


def _may_take(sidecar: Sidecar) -> Iterator[str]:
    if sidecar.shares_mounts:
        yield "shareVolumePolicy"
    if sidecar.shares_devices:
        yield "shareVolumeDevicePolicy"
    if sidecar.transfers:
        yield "transferEnv"
    if sidecar.policy is not None:
        yield "resourcesPolicy"


def _with_what_it_takes(
    injected: InjectedSidecar, slot: Slot, view: PodView, plan: PodPlan, options: InjectionOptions
) -> InjectedSidecar:
    sidecar = slot.sidecar
    shared = unused(view.mounts(), "mountPath", sidecar.used_paths) if sidecar.shares_mounts else []
    devices = unused(view.devices(), "devicePath", sidecar.used_paths) if sidecar.shares_devices else []
    return injected._replace(
        mounts=tuple(item["mountPath"] for item in shared),
        devices=tuple(item["devicePath"] for item in devices),
        transfers=tuple(
            Transferred(env["name"], transfer.source(view) or "")
            for transfer in sidecar.transfers
            for env in transferred(transfer, view)
        ),
        resources=_resources(slot, view, plan, options),
    )


def _resources(slot: Slot, view: PodView, plan: PodPlan, options: InjectionOptions) -> "Sequence[Computation]":
    policy = slot.sidecar.policy
    if policy is None:
        return ()
    from sidecarctl.engine.sidecarset.resources_policy import computations

    spec = with_resource_defaults(view.spec) if options.fills_requests else view.spec
    return tuple(computations(policy, spec, plan.sidecar_names, slot.sidecar.path))
