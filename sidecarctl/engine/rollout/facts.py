"""The facts of a rollout: patches, conditions, what budgets refuse, rounds, endings.

It does not import the budget code, because few runs have budgets. Source: docs/behavior/pod-unavailable-budget.md.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import StrEnum
from typing import Literal, NamedTuple, TypeVar

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.rollout.predicates import StatusCounts
from sidecarctl.engine.rollout.simulated_pods import PodName, UpgradableCondition
from sidecarctl.engine.sidecarset.budget_spec import BudgetName
from sidecarctl.engine.sidecarset.inplace_update_state import UpdateState
from sidecarctl.engine.sidecarset.pod_annotations import HashEntry

_Item = TypeVar("_Item")


class Window(NamedTuple):
    """Partition and maxUnavailable as written, and as numbers of pods."""

    partition: int | str
    partition_pods: int
    max_unavailable: int | str
    max_unavailable_pods: int


class WindowUse(NamedTuple):
    """The numbers behind the choice of a round.

    `unavailable` is U: updated pods that are not consistent or not ready. The partition
    holds back the last `held_back` of the `candidates`; `waiting` are those that the budget leaves for later.
    """

    window: Window
    unavailable: int
    candidates: int
    held_back: int
    waiting: int
    not_selected: int
    busy: int
    not_upgradable: int


class BaseKey(NamedTuple):
    """The sort key: the first difference decides, the smaller value first.

    `scheduled` and `ready` are 0 or 1; `phase` 0 Pending (and any other), 1 Unknown, 2 Running; `ready_since`
    (0 unless Ready) and `created` negative microseconds; the restart counts are negative too.
    """

    scheduled: int
    phase: int
    ready: int
    ready_since: int
    restarts: int
    native_sidecar_restarts: int
    created: int


Priority = tuple[int, ...]
"""The smaller goes first: `(-weight,)`, or `(index of the key, -number)`."""


class BudgetNumbers(NamedTuple):
    """The status of a budget: how many pods there should be, must be and are available, and how many more may go.

    `unavailable` and `disrupted` are the pods, by name, that hold a place after an update or a deletion.
    """

    name: BudgetName
    total: int
    desired: int
    current: int
    allowed: int
    unavailable: tuple[str, ...] = ()
    disrupted: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """A pod whose update a budget refuses; `message` is what Kruise says."""

    pod: PodName
    budget: BudgetName
    numbers: BudgetNumbers
    message: str


class ImageChange(NamedTuple):
    """A container that gets a different image; `among` is the list of the pod spec that contains it."""

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
    refusal: Refusal | None = None
    """The pod at which a PodUnavailableBudget ended the pass; the pods behind it were not tried."""
    budgets: tuple[BudgetNumbers, ...] = ()
    """The PodUnavailableBudgets before the pass, if any can refuse an update."""

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
    UNKNOWN = "Unknown"

    @property
    def is_objection(self) -> bool:
        """Whether this is an objection: the rollout cannot reach its goal."""
        return self in OBJECTIONS


OBJECTIONS = frozenset((Ending.STALLED, Ending.BLOCKED, Ending.ERROR, Ending.UNKNOWN))
"""The endings for which `plan` exits with 1 unless --fail-on names others."""
UNFINISHED = tuple(ending for ending in Ending if ending not in (Ending.COMPLETE, Ending.NOTHING_TO_DO))
"""The endings that --fail-on can name."""


class RolloutOutcome(NamedTuple):
    """How the rollout of a SidecarSet ended; pods by index, in pod order.

    `holding_budget` are updated but not consistent or not ready. Of the pods that were not updated,
    `held_by_partition` are the last candidates in their order, `waiting` the candidates before those,
    `busy` have an update in flight that does not end; the other names give the reason. `begun`: the updates
    that were in flight at the start and are assumed to finish. `others`: containers of the pods that hold the budget
    which are not of the SidecarSet, and not ready, by name, and in how many of these pods they are.
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
    others: tuple[tuple[str, ...], int] = ((), 0)
    error: Finding | None = None
    doubtful: tuple[PodName, ...] = ()
    """The pods that may take part or not: the labels of their namespaces decide, and are not known."""
    refusal: Refusal | None = None
    """The refusal at which a rollout is stuck, if a PodUnavailableBudget never has room for its next pod."""

    @property
    def held(self) -> int:
        """The pods that the strategy keeps as they are."""
        kept = len(self.held_by_partition) + len(self.not_selected)
        return kept + (len(self.waiting) if self.ending in (Ending.PAUSED, Ending.NOT_UPDATE) else 0)


def one_a_pod(resets: Sequence[PodPatch], upgrades: Sequence[PodPatch]) -> list[PodPatch]:
    """The patches of a round in their order; a pod that was reset and upgraded has one, at the place of the first."""
    if not (resets and upgrades):
        return [*resets, *upgrades]
    later = {patch.pod_index: patch for patch in upgrades}
    both = [_combined(patch, later.pop(patch.pod_index)) if patch.pod_index in later else patch for patch in resets]
    return [*both, *later.values()]


def _combined(first: PodPatch, second: PodPatch) -> PodPatch:
    images = _joined(
        [*first.images, *second.images],
        lambda change: (change.among, change.container),
        lambda then, now: now._replace(before=then.before),
    )
    edits = _joined([*first.annotations, *second.annotations], lambda edit: edit.key, _joined_edit)
    return second._replace(
        images=tuple(change for change in images if change.before != change.after),
        annotations=tuple(edit for edit in edits if edit.before != edit.after),
    )


def _joined_edit(then: AnnotationEdit, now: AnnotationEdit) -> AnnotationEdit:
    entries = _joined(
        [*then.entries, *now.entries],
        lambda entry: entry.set_name,
        lambda first, last: last._replace(is_new=first.is_new),
    )
    return now._replace(before=then.before, entries=tuple(entries))


def _joined(
    items: Iterable[_Item], key: Callable[[_Item], Hashable], join: Callable[[_Item, _Item], _Item]
) -> Iterable[_Item]:
    """The items, those with the same key joined in pairs, at the place of the first."""
    found: dict[Hashable, _Item] = {}
    for item in items:
        known = found.get(key(item))
        found[key(item)] = item if known is None else join(known, item)
    return found.values()
