"""Whether labels exist that match several label selectors at once, and which.

The answer is exact. Each key is independent: a selector is a conjunction of requirements about one key each, and the
values that remain for a key follow from sets.
"""

from collections.abc import Callable, Iterable

from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.names import is_label_value
from sidecarctl.api.qualified_names import is_qualified_name
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object

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
