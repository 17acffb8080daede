"""What was measured, as a table."""

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """What was measured, what came out, and what was aimed at (nothing for what is only for comparison)."""

    what: str
    result: str
    aim: str = ""


def show(rows: Iterable[Row]) -> None:
    """Print rows as they are measured."""
    print(f"{'':56}{'measured':>17}{'at most':>15}", flush=True)
    for row in rows:
        print(f"{row.what:56}{row.result:>17}{row.aim:>15}", flush=True)
