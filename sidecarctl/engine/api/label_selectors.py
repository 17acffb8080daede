"""Label selectors: which labels match, and selectors as text.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections.abc import Callable, Iterator, Mapping

from sidecarctl.engine.api.text_forms import is_label_value, is_qualified_name
from sidecarctl.engine.facts.values import Object, Path, Value

Labels = Mapping[str, str]


def as_labels(written: Object | None) -> dict[str, str]:
    """Labels or annotations of a manifest as Go decodes them: null is an empty text."""
    if not written or None not in written.values():
        return written or {}
    return {key: value or "" for key, value in written.items()}


Matches = Callable[[Labels], bool]


class UnknownOperatorError(ValueError):
    """A matchExpressions operator is none of In, NotIn, Exists and DoesNotExist."""

    def __init__(self, index: int, operator: Value) -> None:
        super().__init__(f'unknown operator "{operator}": use In, NotIn, Exists or DoesNotExist')
        self.index = index
        self.operator = operator


def matches(selector: Object | None, labels: Labels | None) -> bool:
    """Whether a selector matches labels; an empty one everything, an absent one and an unknown operator nothing."""
    try:
        return selector is not None and compile_selector(selector)(labels or {})
    except UnknownOperatorError:
        return False


def is_empty(selector: Object | None) -> bool:
    """Whether a selector has neither labels nor expressions to match."""
    return not selector or not (selector.get("matchLabels") or selector.get("matchExpressions"))


def compile_selector(selector: Object) -> Matches:
    """A test of labels, for use on very many pods; UnknownOperatorError if an operator is unknown."""
    wanted = tuple((selector.get("matchLabels") or {}).items())
    expressions = selector.get("matchExpressions") or ()
    tests = tuple(_compile_requirement(index, expression) for index, expression in enumerate(expressions))

    def matches_all(labels: Labels) -> bool:
        for key, value in wanted:  # plain loops: this runs for every pod of a cluster
            if labels.get(key) != value:
                return False
        for test in tests:  # noqa: SIM110 - as above
            if not test(labels):
                return False
        return True

    return matches_all


def malformation(selector: Object) -> tuple[Path, str] | None:
    """Where and how a selector is malformed although it can be evaluated; None if it is well-formed.

    Old releases of Kruise reject such selectors, newer ones evaluate them (docs/behavior/releases.md).
    """
    return next(_malformations(selector), None)


def _malformations(selector: Object) -> Iterator[tuple[Path, str]]:
    for key, value in (selector.get("matchLabels") or {}).items():
        path = ("matchLabels", key)
        if not is_qualified_name(key):
            yield path, f'"{key}" is not a valid label key'
        if not is_label_value(value or ""):
            yield path, f'"{value}" is not a valid label value'
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        operator, values = expression.get("operator", ""), expression.get("values") or ()
        path = ("matchExpressions", index)
        if not is_qualified_name(expression.get("key", "")):
            yield (*path, "key"), f'"{expression.get("key", "")}" is not a valid label key'
        if operator in {"In", "NotIn"} and not values:
            yield (*path, "values"), f"{operator} requires values"
        if operator in {"Exists", "DoesNotExist"} and values:
            yield (*path, "values"), f"{operator} takes no values"
        if not all(is_label_value(value or "") for value in values):
            yield (*path, "values"), "a value is not a valid label value"


def _compile_requirement(index: int, expression: Object) -> Matches:
    key, operator = expression.get("key", ""), expression.get("operator", "")
    values = frozenset(expression.get("values") or ())
    match operator:
        case "In":
            return lambda labels: labels.get(key) in values
        case "NotIn":
            return lambda labels: labels.get(key) not in values
        case "Exists":
            return lambda labels: key in labels
        case "DoesNotExist":
            return lambda labels: key not in labels
    raise UnknownOperatorError(index, operator)


def selector_text(selector: Object | None) -> str:
    """`app=web,tier in (a,b),!legacy`, as kubectl takes it; `everything` for an empty one."""
    return ",".join(_requirements(selector or {})) or "everything"


def _requirements(selector: Object) -> Iterator[str]:
    for key, value in (selector.get("matchLabels") or {}).items():
        yield f"{key}={value}"
    for expression in selector.get("matchExpressions") or ():
        key, given = expression.get("key", ""), expression.get("values") or ()
        values, is_single = ",".join(given), len(given) == 1
        match expression.get("operator"):
            case "In":
                yield f"{key}={values}" if is_single else f"{key} in ({values})"
            case "NotIn":
                yield f"{key}!={values}" if is_single else f"{key} notin ({values})"
            case "DoesNotExist":
                yield f"!{key}"
            case "Exists":
                yield key
            case other:
                yield f"{key} {other}"
