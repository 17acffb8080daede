"""The facts of a rollout: patches, conditions, rounds, endings."""

from enum import StrEnum
from typing import Literal

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.rollout.order.base_order import BaseKey
from sidecarctl.rollout.order.priority import Priority
from sidecarctl.rollout.pods.pod_progress import StatusCounts
from sidecarctl.rollout.pods.simulated_pods import PodName, UpgradableCondition
from sidecarctl.rollout.round.partition_and_max_unavailable import WindowUse
from sidecarctl.sidecarset.annotations.inplace_update_state import UpdateState
from sidecarctl.sidecarset.annotations.pod_annotations import HashEntry


class ImageChange(NamedTuple):
    """A container that gets another image; `among` is the list of the pod spec that contains it."""

    container: str
    before: str
    after: str
    among: Literal["containers", "initContainers"]


class EntryEdit(NamedTuple):
    """The new entry of a SidecarSet in an annotation, and whether it had none before."""

    set_name: str
    after: HashEntry | UpdateState
    is_new: bool


class AnnotationEdit(NamedTuple):
    """An annotation that changes, as text; None if it was absent.

    `entries` are those that change in an annotation with an entry per SidecarSet. An old hash annotation is
    converted to the new format as a whole: then every SidecarSet has one.
    """

    key: str
    before: str | None
    after: str
    entries: tuple[EntryEdit, ...] = ()


class ConditionChange(NamedTuple):
    """The condition `SidecarSetUpgradable` of a pod, before (None: it had none) and after."""

    pod_index: int
    pod: PodName
    before: UpgradableCondition | None
    after: UpgradableCondition


class SortKey(NamedTuple):
    """The sort key of a waiting pod: priority, then the base order, then the input order.

    `place` is its position in the final order, from 1; `scattered`: whether a scatter term affects it.
    """

    priority: Priority
    base: BaseKey
    place: int
    scattered: bool = False


class PodPatch(NamedTuple):
    """A pod patched in a round; `pod_index` is its position in the input.

    `was_ready` marks upgrades that count against maxUnavailable. Resets have no `sort_key`.
    """

    pod_index: int
    pod: PodName
    kind: Literal["upgrade", "reset"]
    images: tuple[ImageChange, ...]
    annotations: tuple[AnnotationEdit, ...]
    was_ready: bool
    sort_key: SortKey | None


class Round(NamedTuple):
    """A pass of a SidecarSet, and the step of the cluster after it.

    `window` is None if nothing was chosen (paused, NotUpdate, a round of resets, all updated, an error).
    `unavailable_after` counts the pods that are not consistent or not ready after the pass; `went_down` (indices)
    became so in the pass, `came_back` recovered in the step of the cluster after it or in the passes of other
    SidecarSets.
    """

    number: int
    set_name: str
    status: StatusCounts
    window: WindowUse | None
    patches: tuple[PodPatch, ...]
    conditions: tuple[ConditionChange, ...]
    events: tuple[str, ...]
    unavailable_after: int
    went_down: tuple[int, ...]
    came_back: tuple[int, ...]
    error: Finding | None = None

    @property
    def is_wave(self) -> bool:
        """Whether it patched a pod."""
        return bool(self.patches)


class Ending(StrEnum):
    """Why a rollout ended."""

    COMPLETE = "Complete"
    NOTHING_TO_DO = "NothingToDo"
    HELD_BY_PARTITION = "HeldByPartition"
    HELD_BY_SELECTOR = "HeldBySelector"
    PAUSED = "Paused"
    NOT_UPDATE = "NotUpdate"
    ROUND_LIMIT = "RoundLimit"
    STALLED = "Stalled"
    BLOCKED = "Blocked"
    ERROR = "Error"

    @property
    def is_objection(self) -> bool:
        """Whether this is an objection: the rollout cannot reach its goal."""
        return self in (Ending.STALLED, Ending.BLOCKED, Ending.ERROR)


class RolloutOutcome(NamedTuple):
    """How the rollout of a SidecarSet ended; pods by index, in pod order.

    `holding_budget` are updated but not consistent or not ready. Of the pods that were not updated,
    `held_by_partition` are the last candidates in their order, `waiting` the candidates before those,
    `busy` have an update in flight that does not end; the other names give the reason. `begun`: the updates
    that were in flight at the start and are assumed to finish.
    """

    set_name: str
    ending: Ending
    status: StatusCounts
    largest_unavailable: int
    holding_budget: tuple[int, ...]
    waiting: tuple[int, ...]
    held_by_partition: tuple[int, ...]
    not_selected: tuple[int, ...]
    busy: tuple[int, ...]
    not_upgradable: tuple[int, ...]
    begun: int = 0
    error: Finding | None = None
