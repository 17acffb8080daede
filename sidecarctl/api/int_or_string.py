"""Values that are a number or a percentage: partition, maxUnavailable."""

import re

_PERCENTAGE = r"([+-]?[0-9]{1,18})%"


def percentage(text: str) -> int | None:
    """The whole number before the `%`, also negative or beyond 100; None when the text is no percentage."""
    match = re.fullmatch(_PERCENTAGE, text)
    return int(match[1]) if match else None


def scaled(value: int | str, total: int, *, round_up: bool) -> int | None:
    """A number as it is, a percentage as its share of `total`, rounded; None when it is no percentage."""
    if isinstance(value, int):
        return value
    percent = percentage(value)
    if percent is None:
        return None
    return -(-percent * total // 100) if round_up else percent * total // 100
