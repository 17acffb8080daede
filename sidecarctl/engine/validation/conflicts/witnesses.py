"""Whether two selectors overlap, as Kruise decides; a pod that two SidecarSets match, or the proof of none."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels, is_empty, matches
from sidecarctl.engine.api.text_forms import is_dns_label, is_label_value, is_qualified_name
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.conversion import spec_in_v1beta1
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL, SidecarSet

IsValue = Callable[[str], bool]


class Left(NamedTuple):
    """The remaining choices for a key: the values `only` (None: any) except `never`, and whether it may be absent."""

    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()
    absent: bool = True
    present: bool = True

    def narrowed(self, operator: str, values: frozenset[str]) -> "Left":
        """The remaining choices with one more requirement; nothing remains for an unknown operator."""
        match operator:
            case "In":
                return self._replace(only=values if self.only is None else self.only & values, absent=False)
            case "NotIn":
                return self._replace(never=self.never | values)
            case "Exists":
                return self._replace(absent=False)
            case "DoesNotExist":
                return self._replace(present=False)
        return self._replace(absent=False, present=False)

    def value(self, is_value: IsValue, wanted: Iterable[str]) -> str | None:
        """A value that the key may have, preferably the first of those wanted; None if no value is allowed."""
        if not self.present:
            return None
        invented = (f"x{number}" if number else "x" for number in range(len(self.never) + 1))
        candidates = [*wanted, *invented] if self.only is None else [*wanted, *sorted(self.only)]
        return next((candidate for candidate in candidates if self._allows(candidate) and is_value(candidate)), None)

    def _allows(self, value: str) -> bool:
        return value not in self.never and (self.only is None or value in self.only)


def common_labels(
    selectors: Iterable[Object], *, always: Labels | None = None, is_value: IsValue = is_label_value
) -> dict[str, str] | None:
    """The fewest labels that match all selectors; None if no labels do. An empty selector has no requirements.

    `always` are keys that are always present, with preferred values. `is_value` decides which values these keys may
    have; others have label values.
    """
    always = always or {}
    left = _left(selectors, always)
    labels: dict[str, str] = {}
    for key, choice in left.items():
        if choice.absent and key not in always:
            continue
        wanted = [always[key]] if key in always else []
        value = choice.value(is_value if key in always else is_label_value, wanted)
        if value is None or not is_qualified_name(key):
            return None
        labels[key] = value
    return labels


def _left(selectors: Iterable[Object], always: Labels) -> dict[str, Left]:
    left = {key: Left(absent=False) for key in always}
    for selector in selectors:
        for key, value in selector.get("matchLabels", {}).items():
            left[key] = left.get(key, Left()).narrowed("In", frozenset((value,)))
        for expression in selector.get("matchExpressions", ()):
            key, values = expression.get("key", ""), frozenset(expression.get("values", ()))
            left[key] = left.get(key, Left()).narrowed(expression.get("operator", ""), values)
    return left


class Witness(NamedTuple):
    """A pod that would match: its namespace, the labels that the namespace must have, and the pod's own labels."""

    namespace: str
    namespace_labels: Labels
    labels: Labels

    def __str__(self) -> str:
        beside = {key: value for key, value in self.namespace_labels.items() if key != NAMESPACE_NAME_LABEL}
        where = f"namespace {self.namespace}" + (f" (labeled {_text(beside)})" if beside else "")
        return f"{where}, labels {_text(self.labels)}" if self.labels else f"{where}, without labels"


class Scope(NamedTuple):
    """The pods that a SidecarSet selects; `namespace_selector` None selects every namespace."""

    selector: Object
    namespace_selector: Object | None


def scope_of(sidecarset: SidecarSet) -> Scope:
    """The scope of a SidecarSet; a selector that is empty or absent selects no pod."""
    spec = spec_in_v1beta1(sidecarset)
    namespaces: Object | None = spec.get("namespaceSelector")
    own = sidecarset.spec.get("namespaceSelector")
    if own and namespaces and "namespace" in sidecarset.spec and not sidecarset.release.namespace_wins:
        namespaces = {**own, "matchLabels": {**own.get("matchLabels", {}), **namespaces["matchLabels"]}}
    return Scope(spec.get("selector", {}), namespaces)


def witness(item: Scope, other: Scope, namespaces: Mapping[str, Labels]) -> Witness | None:
    """A pod that both scopes select, given the known namespaces with their labels.

    A known namespace is preferred to an unknown one; None if no pod can match both.
    """
    if is_empty(item.selector) or is_empty(other.selector):
        return None
    labels = common_labels((item.selector, other.selector))
    if labels is None:
        return None
    selectors = [scope.namespace_selector for scope in (item, other) if scope.namespace_selector is not None]
    namespace = _namespace(selectors, namespaces)
    return Witness(namespace[NAMESPACE_NAME_LABEL], namespace, labels) if namespace else None


def _namespace(selectors: list[Object], namespaces: Mapping[str, Labels]) -> Labels | None:
    """The labels of a namespace that matches all selectors."""
    for name, labels in namespaces.items():
        known = {**labels, NAMESPACE_NAME_LABEL: name}
        if all(matches(selector, known) for selector in selectors):
            return known
    other = {"matchExpressions": [{"key": NAMESPACE_NAME_LABEL, "operator": "NotIn", "values": list(namespaces)}]}
    always = {NAMESPACE_NAME_LABEL: DEFAULT_NAMESPACE}
    return common_labels([*selectors, other], always=always, is_value=is_dns_label)


def _text(labels: Labels) -> str:
    return ",".join(f"{key}={value}" for key, value in labels.items())


EVERYTHING = "ALL"
"""The value that means "any" in Kruise's own table, even if a manifest contains it."""


class Requirement(NamedTuple):
    """The requirements of a selector for one key; `fixed` are the values of matchLabels and In together."""

    fixed: frozenset[str]
    needs: tuple[tuple[str, frozenset[str]], ...]
    """Each requirement: its operator (In for matchLabels) and values."""


class Selector(NamedTuple):
    """A selector, as given and by keys; prepared once, compared with many others."""

    given: Object
    by_key: dict[str, Requirement]


def compiled(selector: Object) -> Selector:
    """A selector in typed form for comparisons."""
    needs: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for key, value in selector.get("matchLabels", {}).items():
        needs.setdefault(key, []).append(("In", frozenset((value,))))
    for expression in selector.get("matchExpressions", ()):
        need = (expression.get("operator", ""), frozenset(expression.get("values", ())))
        needs.setdefault(expression.get("key", ""), []).append(need)
    by_key = {key: Requirement(_fixed(listed), tuple(listed)) for key, listed in needs.items()}
    return Selector(selector, by_key)


def may_overlap(selector: Selector, other: Selector) -> bool:
    """Whether Kruise assumes that some pod may match both; the caller handles absent selectors."""
    return not (_excludes(selector, other) or _excludes(other, selector))


def _fixed(needs: list[tuple[str, frozenset[str]]]) -> frozenset[str]:
    values = frozenset(value for operator, listed in needs if operator == "In" for value in listed)
    return values | {EVERYTHING} if any(operator == "Exists" for operator, _ in needs) else values


def _excludes(selector: Selector, other: Selector) -> bool:
    """Whether the first selector rules out a single requirement of the other."""
    for key, requirement in other.by_key.items():
        mine = selector.by_key.get(key)
        fixed = mine.fixed if mine else frozenset()
        for operator, values in requirement.needs:
            if operator == "In":
                if fixed and EVERYTHING not in fixed and fixed.isdisjoint(values):
                    return True
            elif operator == "NotIn":
                if fixed and fixed <= values:
                    return True
            elif (operator == "Exists" and not fixed) or (operator == "DoesNotExist" and fixed):
                return True
    return False


class Namespaces(NamedTuple):
    """The namespaces of a SidecarSet.

    - `name`: the namespace, which old releases compare as text; empty if it counts as a selector.
    - `selector`: None selects every namespace.
    """

    name: str = ""
    selector: Selector | None = None


def may_share(item: Namespaces, other: Namespaces, known: Mapping[str, Labels]) -> bool:
    """Whether Kruise assumes that both may apply to the same namespace, when it checks `item`.

    `known` are the labels of the existing namespaces, which old releases compare. These match the name of `other`
    against the selector of `other`, so a SidecarSet with a selector never overlaps with one with a name.
    """
    if item.name and other.name and item.name != other.name:
        return False
    if item.selector and other.selector and not may_overlap(item.selector, other.selector):
        return False
    if item.name and other.selector and not _selected(item.name, other.selector, known):
        return False
    return not (other.name and item.selector) or _selected(other.name, other.selector, known)


def _selected(namespace: str, selector: Selector | None, known: Mapping[str, Labels]) -> bool:
    """Whether a namespace exists and matches a selector."""
    if selector is None or namespace not in known:
        return False
    return matches(selector.given, {**known[namespace], NAMESPACE_NAME_LABEL: namespace})
