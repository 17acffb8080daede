"""Values that are a number or a percentage: partition, maxUnavailable.

Source: docs/behaviour/rollout.md, "One round".
"""

import math
import re

_PERCENTAGE = r"([+-]?)0*([0-9]{1,19})%"
_LEAST, _BEYOND = -(2**63), 2**63


def percentage(text: str) -> int | None:
    """The whole number before the `%`, also negative or beyond 100; None if the text is no percentage.

    Numbers are those of 64 bits, as for Kruise.
    """
    match = re.fullmatch(_PERCENTAGE, text)
    number = int(match[1] + match[2]) if match else _BEYOND
    return number if _LEAST <= number < _BEYOND else None


def fraction(text: str) -> float | None:
    """The number before the `%`, which may have decimal places; None if the text is no percentage."""
    match = re.fullmatch(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))%", text)
    return float(match[1]) if match else None


def share(percent: int, total: int, *, up: bool = True) -> int:
    """The percentage of a number, rounded up or down.

    Kruise multiplies floating-point numbers: what no 64 bits hold turns into the least number that they do.
    """
    exact = float(percent) * float(total) / 100
    rounded = math.ceil(exact) if up else math.floor(exact)
    return rounded if rounded < _BEYOND else _LEAST
