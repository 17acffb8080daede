"""The rows of the table of workload kinds: where the templates are, how many pods they create.

Paths may have wildcards: `spec.tasks[*].template`, `spec.replicaSpecs.*.template`; `.` is the object itself.

Source: docs/workload-kinds.md.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Path, Value


class Each(Enum):
    """A wildcard."""

    ITEM = "[*]"
    MEMBER = ".*"


Pattern: TypeAlias = tuple[str | int | Each, ...]
"""A path whose steps may be wildcards."""

_STEP = lazy_pattern(r'(?:^|\.)([A-Za-z0-9_-]+)|(?:^|\.)(\*)|\[([0-9]{1,6}|\*)\]|\["([^"\]]+)"\]')


@cache
def parse_pattern(text: str) -> Pattern | None:
    """The steps of a pattern as text; None if it is not a pattern."""
    text = text if text.startswith("..") else text.removeprefix(".")
    if not text:
        return ()
    if _STEP.sub("", text):
        return None
    steps: list[str | int | Each] = []
    for name, star, index, quoted in _STEP.findall(text):
        if star:
            steps.append(Each.MEMBER)
        elif index:
            steps.append(Each.ITEM if index == "*" else int(index))
        else:
            steps.append(name or quoted)
    return tuple(steps)


def places(value: Value, pattern: Pattern, before: Path = ()) -> Iterator[Path]:
    """The existing paths in a value that match a pattern, in the value's order."""
    if value is None:
        return
    if not pattern:
        yield before
        return
    step, *rest = pattern
    for key, member in _members(value, step):
        yield from places(member, tuple(rest), (*before, key))


def _members(value: Value, step: str | int | Each) -> Iterator[tuple[str | int, Value]]:
    if step is Each.ITEM:
        yield from enumerate(value) if isinstance(value, list) else ()
    elif step is Each.MEMBER:
        yield from (
            ((key, member) for key, member in value.items() if isinstance(key, str))
            if isinstance(value, dict)
            else ()
        )
    elif isinstance(step, str):
        if isinstance(value, dict):
            yield step, value.get(step)
    elif isinstance(value, list) and step < len(value):
        yield step, value[step]


def stands_for(pattern: Pattern, path: Path) -> bool:
    """Whether a path may match a pattern."""
    kinds = {Each.ITEM: int, Each.MEMBER: str}
    return len(pattern) == len(path) and all(
        isinstance(step, kinds[part]) if isinstance(part, Each) else part == step
        for part, step in zip(pattern, path, strict=True)
    )


def bound(pattern: Pattern, path: Path) -> list[str | int]:
    """What the wildcards of a pattern matched in a path."""
    return [step for part, step in zip(pattern, path, strict=True) if isinstance(part, Each)]


def filled(pattern: Pattern, steps: Sequence[str | int]) -> Path | None:
    """The path of a pattern with these steps for its wildcards; None if it has more of them."""
    left = iter(steps)
    path = [next(left, None) if isinstance(step, Each) else step for step in pattern]
    return None if None in path else tuple(step for step in path if step is not None)


class Number(NamedTuple):
    """A field that holds a number, or a number; absent, it counts as `default`, which None leaves out.

    `less` is subtracted. `assumed`: what else follows from its absence; `is_seldom_set`: its absence is not reported.
    """

    path: str
    default: int | None = None
    less: int = 0
    assumed: str = ""
    is_seldom_set: bool = False


class Factor(NamedTuple):
    """A number that is multiplied with the others: the smallest of its fields, but at least `at_least`."""

    fields: tuple[Number, ...]
    at_least: str = ""


class FieldLabel(NamedTuple):
    """A label whose value is that of a field, or `default` where it is absent, instead of `{}`."""

    key: str
    path: str
    default: str = ""
    form: str = "{}"


class Labels(NamedTuple):
    """Labels of pods that follow from more than names.

    - `fields`: labels with the value of a field.
    - `maps`: fields that hold labels.
    - `hashed`: the SHA-1 of a text, in hexadecimal.
    - `of_masters`: of all pods at the keys of a map that `masters` names; if the map has none of them, of the
      first pod at the key `otherwise`.
    """

    fields: tuple[FieldLabel, ...] = ()
    maps: tuple[str, ...] = ()
    hashed: tuple[tuple[str, str], ...] = ()
    of_masters: tuple[tuple[str, str], ...] = ()
    masters: tuple[str, ...] = ()
    otherwise: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The labels, as far as their names are known."""
        return tuple(found[0] for found in (*self.fields, *self.hashed, *self.of_masters))


class TemplateRow(NamedTuple):
    """A pod template of a kind, and its pods.

    - `path`: `[*]` stands for each item of a list, `.*` for each member of a map; in the paths of numbers they are
      the same item or member. `.` is the object itself.
    - `counts`: the factors of the number of pods, one if there is none; with a field of `none_if` there are none
      (`PATH=VALUE`: with that value).
    - `pod`: the name of a pod; the controller completes one that ends with a hyphen. `labels`: what the controller
      adds to those of the template, `defaults` only if it has none. Both are made of `{name}` (the object's),
      `{namespace}`, `{key}` (of the item or member at the wildcard), `{ordinal}`, and of the last factor `{index}`,
      counted from `first`, and `{group}`; labels of `{pod}` too. `more`: labels that follow from fields.
    - `peers`: the field of each item of the list that names what it belongs to, for `{total}`, `{place}` (the group
      among all of the first factor), `{peers}` and `{peer}` (among those that belong together).
    - `owner`: apiVersion and kind of what controls the pods; the object itself if empty. `owner_name`: its name,
      if that is not what the names of the pods begin with.
    """

    path: str = "spec.template"
    counts: tuple[Factor, ...] = (Factor((Number("spec.replicas", 1),)),)
    none_if: tuple[str, ...] = ()
    pod: str = "{name}-"
    labels: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    more: Labels = Labels()
    owner: tuple[str, str] = ("", "")
    owner_name: str = ""
    first: int = 0
    peers: str = ""

    @property
    def added_keys(self) -> tuple[str, ...]:
        """The labels that the controller writes whatever the template has, as far as their names are known."""
        return (*(key for key, _ in self.labels), *self.more.keys)

    @property
    def label_keys(self) -> tuple[str, ...]:
        """The labels that the controller adds, as far as their names are known."""
        return (*(key for key, _ in (*self.labels, *self.defaults)), *self.more.keys)


class WorkloadKind(NamedTuple):
    """A kind of object, in any version of its API group; the group None means all groups.

    - `pods`: what their number follows from: the object, the cluster's nodes, something that scales them, or
      nothing: other objects make pods of the template.
    - `restriction`: why the kind's own controller may refuse or misunderstand an injected template.
    - `versions`: those that the kind has had, the one to write first; none are known of a kind that a user teaches.
    - `place`: where the user says so, a file or an option.
    """

    kind: str
    group: str | None
    templates: tuple[TemplateRow, ...] = (TemplateRow(),)
    pods: Literal["replicas", "nodes", "scaled", "none"] = "replicas"
    restriction: str = ""
    versions: tuple[str, ...] = ()
    place: Place | None = None

    @property
    def name(self) -> str:
        """`Deployment.apps`, `Pod`; the kind alone for a row of all groups."""
        return ".".join(filter(None, (self.kind, self.group)))
