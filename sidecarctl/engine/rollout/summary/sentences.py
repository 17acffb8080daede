"""A rollout in sentences: why a pod is at its position among the waiting pods, and how the rollout ends.

docs/behavior/rollout.md, "Order".
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.engine.api.label_selectors import Labels, selector_text
from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.new_pods import RECREATE
from sidecarctl.engine.rollout.facts import BaseKey, BudgetNumbers, Ending, PodPatch, Priority, SortKey
from sidecarctl.engine.rollout.round.update_order import NO_TIME, sort_time, update_priority
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.sidecarset.sets import selector_test
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP

if TYPE_CHECKING:  # a status has no plan, and few runs have budgets
    from sidecarctl.engine.rollout.summary.rollout_plan import SetRolloutPlan
    from sidecarctl.engine.sidecarset.budget_spec import BudgetSpec


def ending_sentence(rollout: "SetRolloutPlan") -> str:
    """A sentence with the numbers that decided."""
    begun = rollout.outcome.begun
    finishes = "finishes" if begun == 1 else "finish"
    assumed = f" Assumed: {number(begun, 'update')} in flight from before {finishes}." if begun else ""
    doubtful = rollout.outcome.doubtful
    unknown = f" {doubt(doubtful)}." if doubtful and rollout.outcome.ending is not Ending.UNKNOWN else ""
    return _SENTENCES[rollout.outcome.ending](rollout) + assumed + unknown


def doubt(pods: Sequence[PodName]) -> str:
    """Which pods may take part or not, what is missing to know it, and the command that gets it."""
    namespaces = list(dict.fromkeys(pod.namespace for pod in pods))
    one = len(pods) == 1
    whose = "namespace" if len(namespaces) == 1 else "namespaces"
    which = f"{pods[0]}" if one else f"{number(len(pods))} ({_some(pods)})"
    return (
        f"Unknown: {which} {'matches' if one else 'match'} only if the labels of {whose} {_some(namespaces)} do; "
        f"add the Namespaces to the inputs ({DUMP}), or use --namespace-labels"
    )


_NAMED = 3


def _some(names: Sequence[object]) -> str:
    more = f" +{len(names) - _NAMED:,}" if len(names) > _NAMED else ""
    return ", ".join(map(str, names[:_NAMED])) + more


def number(count: int, word: str = "pod") -> str:
    """`1 pod`, `1,200 pods`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def of_all(count: int, every: int) -> str:
    """`3 of 5 pods`, `all 5 pods`, `1 pod`."""
    if count != every:
        return f"{count:,} of {number(every)}"
    return f"all {number(every)}" if every > 1 else number(every)


def no_room(numbers: BudgetNumbers, spec: "BudgetSpec") -> str:
    """`PUB shop/web never has room (maxUnavailable 0)`, or why it has none now."""
    return f"PUB {numbers.name} {lack_of_room(numbers, spec)}"


def lack_of_room(numbers: BudgetNumbers, spec: "BudgetSpec") -> str:
    """Why a budget has no room, without its name."""
    if numbers.desired >= max(numbers.total, 1):
        return f"{NEVER_HAS_ROOM} ({spec.limit_text})"
    return (
        f"has no room ({spec.limit_text}: {numbers.desired:,} of {number(numbers.total)} must be "
        f"available, and {numbers.current:,} {'is' if numbers.current == 1 else 'are'})"
    )


NEVER_HAS_ROOM = "never has room"


def _complete(rollout: "SetRolloutPlan") -> str:
    down = len(rollout.outcome.holding_budget)
    matched = rollout.outcome.status.matched
    who = f"{down:,} of them {'is' if down == 1 else 'are'} not"
    who = ("it is not" if down == 1 else "none of them is") if down == matched else who
    but = f", but {who} available at the end" if down else ""
    return f"Completes: {_updated(rollout)} after {_waves(rollout)}{but}."


def _nothing(rollout: "SetRolloutPlan") -> str:
    matched, left = rollout.outcome.status.matched, len(rollout.left_out)
    done = f"{number(matched)} already updated{_put_back(rollout)}" if matched else "the SidecarSet has no pods"
    return f"Nothing to do: {done}{f'; {number(left)} selected but left out' if left else ''}."


def _by_partition(rollout: "SetRolloutPlan") -> str:
    held = len(rollout.outcome.held_by_partition)
    partition = f"partition {rollout.window.partition} holds back {held:,}"
    return f"Stops as asked: {_updated(rollout)} after {_waves(rollout)}; {partition}."


def _by_selector(rollout: "SetRolloutPlan") -> str:
    held = len(rollout.outcome.not_selected)
    selector = f"the selector of updateStrategy leaves out {held:,}"
    if rollout.target.only:
        selector = f"the rollback leaves {held:,} as {'it is' if held == 1 else 'they are'}"
    return f"Stops as asked: {_updated(rollout)} after {_waves(rollout)}; {selector}."


def _stalled(rollout: "SetRolloutPlan") -> str:
    outcome = rollout.outcome
    said = f"Stalls: {_updated(rollout)} after {_waves(rollout)}"
    if outcome.refusal and not outcome.waiting:
        said += f"; the idle half of a hot upgrade waits, since {_why_waiting(rollout)}"
    elif outcome.waiting:
        waiting = len(outcome.waiting)
        said += f"; {number(waiting)} wait{'s' if waiting == 1 else ''}, since {_why_waiting(rollout)}"
    elif outcome.busy:
        said += f"; {number(len(outcome.busy))} with an update already in flight that never finishes"
    else:
        names, pods = outcome.others
        cause = f"{number(pods)} {'has' if pods == 1 else 'have'} {_other_containers(names)}"
        said += f"; a hot upgrade is incomplete, {cause if names else 'and its new containers do not become ready'}"
    return f"{said}."


def _why_waiting(rollout: "SetRolloutPlan") -> str:
    if refusal := rollout.outcome.refusal:
        specs = {item.spec.name: item.spec for item in rollout.budgets}
        return no_room(refusal.numbers, specs[refusal.budget])
    holding, most = len(rollout.outcome.holding_budget), rollout.window.max_unavailable_pods
    if most <= 0:
        return f"maxUnavailable {rollout.window.max_unavailable} lets no ready pod be updated"
    said = f"{holding:,} updated and unavailable {'uses' if holding == 1 else 'use'} up maxUnavailable of {most:,}"
    names, pods = rollout.outcome.others
    if not names:
        return said
    who = f"{pods:,} of them {'has' if pods == 1 else 'have'}"
    who = ("it has" if holding == 1 else "they have") if pods == holding else who
    return f"{said}; {who} {_other_containers(names)}"


def _other_containers(names: Sequence[str]) -> str:
    what = "another container that is" if len(names) == 1 else "other containers that are"
    return f"{what} not ready: {_some(names)}" if names else ""


def _blocked(rollout: "SetRolloutPlan") -> str:
    blocked, advice = number(len(rollout.outcome.not_upgradable)), advice_sentence(rollout.recreation.values())
    said = f"Blocked: {_updated(rollout)} after {_waves(rollout)}; {blocked} cannot be updated in place"
    return f"{said}; {advice}." if advice else f"{said} and must be recreated."


def advice_sentence(advice: Iterable[str]) -> str:
    """`3 of them: a new pod gets ...; 2 of them: recreate it`; empty if recreating helps all of these pods."""
    advised = Counter(advice)
    if not advised.keys() - {RECREATE}:
        return ""
    every = advised.total()
    parts = (f"{pods:,} of them: {text}" if pods < every else text for text, pods in advised.most_common())
    return "; ".join(parts)


def _error(rollout: "SetRolloutPlan") -> str:
    error = rollout.outcome.error
    return f"Ends with an error: {_updated(rollout)}; {error.message if error else 'unknown'}."


def _unknown(rollout: "SetRolloutPlan") -> str:
    others = f"; as far as is known, {_updated(rollout)}" if rollout.outcome.status.matched else ""
    return f"{doubt(rollout.outcome.doubtful)}{others}."


def _updated(rollout: "SetRolloutPlan") -> str:
    status = rollout.outcome.status
    return f"{of_all(status.updated, status.matched)} updated{_put_back(rollout)}"


def _put_back(rollout: "SetRolloutPlan") -> str:
    """Kruise goes by the recorded hash, and counts these as updated."""
    return f" ({len(rollout.put_back):,} with other images)" if rollout.put_back else ""


def _waves(rollout: "SetRolloutPlan") -> str:
    return number(len(rollout.waves), "wave")


_SENTENCES: Mapping[Ending, Callable[["SetRolloutPlan"], str]] = {
    Ending.COMPLETE: _complete,
    Ending.NOTHING_TO_DO: _nothing,
    Ending.HELD_BY_PARTITION: _by_partition,
    Ending.HELD_BY_SELECTOR: _by_selector,
    Ending.PAUSED: lambda it: f"Does nothing: updateStrategy.paused is true; {_updated(it)}.",
    Ending.NOT_UPDATE: lambda it: f"Does nothing: updateStrategy.type is NotUpdate; {_updated(it)}.",
    Ending.ROUND_LIMIT: lambda it: f"Not finished after {number(it.rounds, 'round')}, the limit: {_updated(it)}.",
    Ending.STALLED: _stalled,
    Ending.BLOCKED: _blocked,
    Ending.ERROR: _error,
    Ending.UNKNOWN: _unknown,
}


def why_here(key: SortKey, neighbor: SortKey | None, strategy: Object, labels: Mapping[str, str]) -> str:
    """`not ready first, priority 50 by tier=gold, then created 2026-01-01T00:00:00Z, place 6 by scatter`.

    `neighbor` is the pod before (for the first pod, the pod after); the first difference from it is named.
    """
    return ", ".join(_reasons(key, neighbor, strategy.get("priorityStrategy") or {}, labels))


def _reasons(key: SortKey, neighbor: SortKey | None, strategy: Object, labels: Mapping[str, str]) -> Iterator[str]:
    if key.priority:
        yield _priority(key.priority, strategy, labels)
    if not key.base.ready:
        yield "not ready first"
    if neighbor is not None and neighbor.priority == key.priority:
        difference = _difference(key.base, neighbor.base)
        difference = "input order, a tie" if neighbor.base == key.base else difference
        if difference:
            yield f"then {difference}" if key.priority or not key.base.ready else difference
    if key.scattered:
        yield f"place {key.place} by scatter"


def first_wave(rollout: "SetRolloutPlan", pods: Sequence[SimulatedPod]) -> str:
    """Which pods scatterStrategy keeps out of the first wave, though priorityStrategy puts them before others in it.

    Empty if not both order the pods, or if no pod is left for later waves.
    """
    strategy, held = rollout.target.strategy.get("priorityStrategy") or {}, rollout.outcome.held_by_partition
    ordered = [[patch for patch in wave.patches if patch.sort_key] for wave in rollout.waves]
    first, *later = [patches for patches in ordered if patches] or [[]]
    keys = [patch.sort_key for patch in first if patch.sort_key]
    others = [*(patch.pod_index for patches in later for patch in patches), *rollout.outcome.waiting, *held]
    if not (keys and keys[0].priority and keys[0].scattered and others):
        return ""
    priority_of, last = update_priority(strategy), max(key.priority for key in keys)
    ahead = {index: own for index in others if (own := priority_of(pods[index].labels)) < last}
    spreads = "scatterStrategy spreads the pods after priorityStrategy has sorted them"
    if not ahead:
        return f"no pod of higher priority has to wait, though {spreads}"
    weights = sorted({-own[0] for own in ahead.values()}, reverse=True) if strategy.get("weightPriority") else []
    which = f" ({named([*map(str, weights)], _NAMED)})" if weights else ""
    back = sum(index in ahead for index in held)
    of_them = "" if back == len(ahead) else f"{back:,} of them "
    held_back = f", {of_them}held back by partition" if back else ""
    are = "is" if len(ahead) == 1 else "are"
    return f"{number(len(ahead))} of higher priority{which} {are} not in it{held_back}: {spreads}"


def _priority(priority: Priority, strategy: Object, labels: Mapping[str, str]) -> str:
    if terms := strategy.get("weightPriority"):
        by = " and ".join(_matching(terms, labels))
        return f"priority {-priority[0]}" + (f" by {by}" if by else ", no term matches")
    keys = [term.get("orderedKey") or "" for term in strategy.get("orderPriority") or ()]
    index, number = priority
    if index < 0 or index >= len(keys):
        return "none of the ordered keys: before all others"
    return f"key {keys[index]}, number {-number}"


def _matching(terms: Sequence[Object], labels: Mapping[str, str]) -> Iterator[str]:
    for term in terms:
        selector = term.get("matchSelector")
        if selector is not None and selector_test(selector, ())(labels):
            yield selector_text(selector)


def _difference(base: BaseKey, other: BaseKey) -> str:
    """The first member that differs, with its value; readiness without a value."""
    for member in BaseKey._fields:
        value = getattr(base, member)
        if value != getattr(other, member):
            return _key_text(member, value)
    return ""


def _key_text(member: str, value: int) -> str:
    match member:
        case "scheduled":
            return "on a node" if value else "on no node"
        case "phase":
            return f"phase {('Pending', 'Unknown', 'Running')[value]}"
        case "ready":
            return "ready" if value else ""
        case "ready_since":
            return "ready since an unknown time" if value == NO_TIME else f"ready since {sort_time(value)}"
        case "created":
            return "age not known" if value == NO_TIME else f"created {sort_time(value)}"
    return number(-value, "restart") + (" of native sidecars" if member == "native_sidecar_restarts" else "")


def with_neighbors(
    patches: Sequence[PodPatch], before: PodPatch | None
) -> Iterator[tuple[PodPatch, PodPatch | None]]:
    """Each pod of a wave with the one before it; the first with the last of the previous wave, or else the second."""
    for index, patch in enumerate(patches):
        if index:
            yield patch, patches[index - 1]
        else:
            yield patch, before or (patches[1] if len(patches) > 1 else None)


def why_of(patch: PodPatch, neighbor: PodPatch | None, strategy: Object, labels: Labels) -> str:
    """The explanation; empty for a reset, which has no order, and for a pod without a difference."""
    if patch.sort_key is None:
        return ""
    return why_here(patch.sort_key, neighbor.sort_key if neighbor else None, strategy, labels)
