"""The settings that affect a rollout, with their places: strategy, HotUpgrade pairs, feature gates, assumptions."""

from collections.abc import Iterator, Sequence

from sidecarctl.api.selector_text import selector_text
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.rollout.pods.targets import Target

_STRATEGY = ("spec", "updateStrategy")
_FLAGS = {"selector": "--selector", "paused": "--paused"}


class Deciding(NamedTuple):
    """A setting: its name, its value, and its origin (a place or an option; empty for a default)."""

    field: str
    text: str
    origin: str = ""


def deciding(target: Target, source: Located, options: PlanOptions, gates: frozenset[str]) -> list[Deciding]:
    """The settings in addition to partition and maxUnavailable, which are shown with numbers of pods."""
    said = [*_strategy(target, source, options), *_hot_pairs(target, source)]
    said += [Deciding("feature gate", gate, "--feature-gates") for gate in sorted(gates)]
    return [*said, *_assumptions(options)]


def _strategy(target: Target, source: Located, options: PlanOptions) -> Iterator[Deciding]:
    strategy = target.strategy
    if strategy.get("type") not in (None, "", "RollingUpdate"):
        yield Deciding("type", str(strategy["type"]), _place(source, (*_STRATEGY, "type")))
    if strategy.get("paused"):
        yield Deciding("paused", "true: no pod is updated", _origin("paused", source, options))
    if (selector := strategy.get("selector")) is not None:
        yield Deciding("selector", selector_text(selector), _origin("selector", source, options))
    yield from _priorities(strategy.get("priorityStrategy") or {}, source)
    for index, term in enumerate(strategy.get("scatterStrategy") or ()):
        text = f"{term.get('key') or ''}={term.get('value') or ''}"
        yield Deciding("scatter", text, _place(source, (*_STRATEGY, "scatterStrategy", index)))


def _priorities(priority: Object, source: Located) -> Iterator[Deciding]:
    where = (*_STRATEGY, "priorityStrategy")
    for index, term in enumerate(priority.get("weightPriority") or ()):
        text = f"{term.get('weight') or 0} for {selector_text(term.get('matchSelector'))}"
        yield Deciding("priority", text, _place(source, (*where, "weightPriority", index)))
    if not priority.get("weightPriority"):
        for index, term in enumerate(priority.get("orderPriority") or ()):
            text = f"number at the end of the label {term.get('orderedKey') or ''}"
            yield Deciding("priority", text, _place(source, (*where, "orderPriority", index)))


def _hot_pairs(target: Target, source: Located) -> Iterator[Deciding]:
    names = [container.get("name") for container in target.sidecar_set.spec.get("containers") or ()]
    for container in target.hot:
        path = ("spec", "containers", names.index(container.name), "upgradeStrategy")
        text = f"{' and '.join(container.halves)}, the idle container with {container.empty_image or 'no image'}"
        yield Deciding("hot upgrade", text, _place(source, path))


def _assumptions(options: PlanOptions) -> Iterator[Deciding]:
    if options.step_seconds:
        yield Deciding("assumed", f"the update of a pod takes {options.step_seconds:,} s", "--pod-update-duration")
    elif options.duration > 1:
        yield Deciding("assumed", f"the update of a pod takes {options.duration:,} rounds", "--pod-update-duration")
    if options.fail:
        yield Deciding("assumed", f"never ready after the update: {', '.join(options.fail)}", "--fail")
    if options.assume_ready:
        yield Deciding("assumed", "every updated pod becomes ready", "--assume-ready")
    if options.stuck:
        yield Deciding("assumed", "updates already in flight never finish", "--in-flight")
    if options.rounds is not None:
        yield Deciding("assumed", f"rounds after {options.rounds:,} are not simulated", "--rounds")


def _origin(member: str, source: Located, options: PlanOptions) -> str:
    return _FLAGS[member] if member in options.overrides else _place(source, (*_STRATEGY, member))


def _place(source: Located, path: Path) -> str:
    return str(source.place(path)) if value_at(source.manifest, path) is not None else ""


def texts_of(decided: Sequence[Deciding]) -> list[tuple[str, str]]:
    """Rows of label and text with the origin; the label is empty if it repeats."""
    texts, before = [], ""
    for item in decided:
        texts.append(
            (item.field if item.field != before else "", f"{item.text}{f' ({item.origin})' if item.origin else ''}")
        )
        before = item.field
    return texts
