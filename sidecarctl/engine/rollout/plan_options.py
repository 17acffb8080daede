"""The options of a simulation, and the settings that decide the order and the pace of a rollout."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import selector_text
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value, value_at
from sidecarctl.engine.rollout.facts import OBJECTIONS, Ending
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.engine.sidecarset.set_images import SetImage
from sidecarctl.engine.sidecarset.world import Located


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How the rollout is simulated.

    `duration` counts steps, of `step_seconds` each if known; `stuck`: updates in flight in the input never finish;
    `fail` are patterns of NAMESPACE/NAME or NAME; `overrides` are members of updateStrategy that replace those of the
    SidecarSets; `by` are pod labels, `by_node` node labels.
    """

    only: Sequence[str] = ()
    duration: int = 1
    step_seconds: int | None = None
    fail: Sequence[str] = ()
    assume_ready: bool = False
    stuck: bool = False
    rounds: int | None = None
    timestamp: str | None = None
    resource_version: str = ""
    overrides: Mapping[str, Value] = field(default_factory=dict)
    by: Sequence[str] = ()
    by_node: Sequence[str] = ()


class PlanRequest(NamedTuple):
    """What to plan.

    - `sweep`: the member of updateStrategy to vary, and its values; None for a single plan. `sweep_columns`: another
      one, each value of which is combined with each of those.
    - `fails`: the endings to which the report objects; `strict`: warnings count as errors.
    - `replicas` and `seed`: of the pods that are made of workloads.
    - `images`: what SidecarSets are to have in place of the images of their manifests.
    - `recreates`: which workloads to restart is asked too.
    """

    options: PlanOptions
    gates: frozenset[str] = frozenset()
    fails: Collection[Ending] = OBJECTIONS
    sweep: tuple[str, Sequence[int | str]] | None = None
    sweep_columns: tuple[str, Sequence[int | str]] | None = None
    strict: bool = False
    replicas: Sequence[str] = ()
    seed: int = 0
    images: Sequence[SetImage] = ()
    recreates: bool = False


_MOST_STEPS = 1000
_TIME = lazy_pattern(r"(?:([0-9]{1,4})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,8})s)?")
_SIZES = (3600, 60, 1)


def update_duration(text: str, option: str = "--pod-update-duration") -> tuple[int, int | None]:
    """The number of rounds, or a round of that many seconds; UsageError for anything else."""
    if text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= _MOST_STEPS:
        return int(text), None
    seconds = seconds_of(text)
    if not seconds:
        message = f"{option} {text} is neither a number of rounds up to {_MOST_STEPS} nor a time"
        raise usage_error(message, hint="such as 3, 45s or 1m30s")
    return 1, seconds


def seconds_of(text: str) -> int:
    """The seconds of a time such as `1m30s`; 0 for what is none."""
    found = _TIME.fullmatch(text)
    return sum(int(part or 0) * size for part, size in zip(found.groups(), _SIZES, strict=True)) if found else 0


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
