"""How long to wait before something that failed is tried again."""

from collections.abc import Callable

_FIRST, _LONGEST = 0.5, 15.0  # seconds


def backoff(tries: int, chance: Callable[[], float]) -> float:
    """Seconds to wait after so many failures in a row (from 1): twice as long each time, less up to a half by chance.

    `chance` gives numbers from 0 to 1.
    """
    return float(min(_FIRST * 2 ** min(tries - 1, 16), _LONGEST) * (1 - chance() / 2))
