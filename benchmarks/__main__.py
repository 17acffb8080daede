"""`make bench`: everything that is measured from the installed wheel, in one table."""

import sys
from itertools import chain

from benchmarks import documents, krm, plan, startup, validation
from benchmarks.measuring import installed
from benchmarks.table import show


def main(count: int = 10_000) -> None:
    """Measure with `count` documents."""
    programs = installed()
    show(
        chain(
            startup.measured(programs),
            documents.measured(programs, count),
            plan.measured(programs, count),
            krm.measured(programs),
            validation.measured(programs, count),
        )
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
