"""A label selector as people write it."""

from collections.abc import Iterator

from sidecarctl.facts.values import Object


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
