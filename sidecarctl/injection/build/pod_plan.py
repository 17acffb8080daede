"""What the sets that apply to a pod inject together, worked out once for all pods with the same sets.

Source: docs/behaviour/injection.md, "Then the pod is assembled".
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from sidecarctl.facts.finding_subjects import naming
from sidecarctl.injection.build.patched_metadata import made_alone, patched_keys
from sidecarctl.injection.build.pod_lists import Slot, first_of_each_name, name_of
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.injection.containers.built_containers import static_containers
from sidecarctl.injection.containers.injected_marker import is_injected
from sidecarctl.injection.containers.pod_view import PodView
from sidecarctl.injection.containers.sidecars import Sidecar
from sidecarctl.releases.release import MASTER, Release

SORTS_CONTAINERS = "EnableSortSidecarContainerByName"
"""The feature gate under which containers, not only initContainers, are queued by name."""


class PodPlan:
    """The queues of several sets, in the order in which they are injected."""

    def __init__(
        self, plans: Sequence[SetPlan], feature_gates: Collection[str] = (), release: Release = MASTER
    ) -> None:
        self.plans = tuple(plans)
        self.release = release
        self.init_queue = _by_name(_slots((plan, sidecar) for plan in plans for sidecar in plan.init_sidecars))
        queue = _slots((plan, sidecar) for plan in plans for sidecar in plan.sidecars)
        is_sorted = release.sort_gate and SORTS_CONTAINERS in feature_gates
        self.queue = _by_name(queue) if is_sorted else queue
        self.volumes = tuple(first_of_each_name(volume for plan in plans for volume in plan.volumes))
        self.pull_secrets = tuple(first_of_each_name(secret for plan in plans for secret in plan.pull_secrets))
        self.volume_names = frozenset(map(name_of, self.volumes))
        self.secret_names = frozenset(map(name_of, self.pull_secrets))
        self.patches = tuple(plan.patches for plan in plans if plan.patches)
        self.merges = any(item.get("patchPolicy") == "MergePatchJson" for items in self.patches for item in items)
        self.patched_keys = patched_keys(self.patches).keys()
        self.patched_alone = made_alone(self.patches)
        owned = [(plan, sidecar) for plan in plans for sidecar in plan.all_sidecars]
        sidecars = [sidecar for _, sidecar in owned]
        self.dynamic = tuple((plan, sidecar) for plan, sidecar in owned if not sidecar.is_static)
        self.sidecar_names = frozenset(sidecar.name for sidecar in sidecars)
        self.hot_names = tuple(sidecar.name for sidecar in sidecars if sidecar.is_hot)
        self.has_policies = any(sidecar.policy is not None for sidecar in sidecars)
        self.has_false_marks = not all(is_injected({"env": sidecar.env}) for sidecar in sidecars)
        self.repeats_names = _repeats(self.init_queue) or _repeats(self.queue)
        self._queued_names = frozenset(slot.name for slot in self.queue)
        self.crashes = tuple(naming(plan.reference, [plan.crash])[0] for plan in plans if plan.crash)
        self.transfers = tuple((plan, transfer) for plan, sidecar in owned for transfer in sidecar.transfers)

    @property
    def queues_anything(self) -> bool:
        """Whether there is a container to inject; without one only metadata is patched."""
        return bool(self.init_queue or self.queue)

    def transfers_from_sidecars(self, pod: PodView) -> bool:
        """Whether a transferEnv names one of the containers that this plan injects."""
        return any(transfer.source(pod) in self._queued_names for _, transfer in self.transfers)


def _slots(owned: Iterable[tuple[SetPlan, Sidecar]]) -> tuple[Slot, ...]:
    return tuple(slot for plan, sidecar in owned for slot in _slots_of(plan, sidecar))


def _slots_of(plan: SetPlan, sidecar: Sidecar) -> Iterator[Slot]:
    containers = static_containers(sidecar) if sidecar.is_static else [None] * len(sidecar.halves)
    for half, container in enumerate(containers):
        yield Slot(sidecar.halves[half].name, plan, sidecar, half, container)


def _by_name(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    return tuple(sorted(slots, key=lambda slot: slot.name))


def _repeats(slots: tuple[Slot, ...]) -> bool:
    return len({slot.name for slot in slots}) < len(slots)
