"""The effort of a run: the number of examples of a property, samples of many cases, what is not measured.

The profiles are registered in conftest.py: `make test` takes the one of every day, `make test-slow` the thorough one.
"""

from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.errors import UnsatisfiedAssumption

EVERYDAY = 15
THOROUGH = 100
FEW = 40
"""So few examples may miss an assert by chance."""

unmeasured = pytest.mark.no_cover
"""For tests over masses of cases: counting lines makes them 2.5 times as long, and other tests cover these lines."""


def share(percent: int, suppressed: Collection[HealthCheck] = ()) -> settings:
    """A share of the profile's examples, for a property that asks for more or fewer than others; 5 at least."""
    profile = settings()
    count = max(5, profile.max_examples * percent // 100)
    return settings(max_examples=count, suppress_health_check={*profile.suppress_health_check, *suppressed})


def sampled(cases: Sequence[object], every: int) -> list[object]:
    """The cases as parameters: the first of them runs every day, the others are slow."""
    return [pytest.param(case, marks=pytest.mark.slow) if place % every else case for place, case in enumerate(cases)]


def reaches_half(check: Callable[..., None]) -> Callable[..., None]:
    """A property, above `@given`, that fails if `assume` in it ends more than half of the examples."""
    examples: Any = check
    inner = examples.hypothesis.inner_test
    reached: list[bool] = []

    @wraps(inner)
    def counted(*arguments: Any, **named: Any) -> None:
        try:
            inner(*arguments, **named)
        except UnsatisfiedAssumption:
            reached.append(False)
            raise
        reached.append(True)

    examples.hypothesis.inner_test = counted

    @wraps(check)
    def checked(*arguments: Any, **named: Any) -> None:
        reached.clear()
        check(*arguments, **named)
        few = len(reached) < FEW
        assert few or 2 * sum(reached) >= len(reached), (
            f"{sum(reached)} of {len(reached)} examples reached the assert"
        )

    return checked
