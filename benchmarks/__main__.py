"""`make bench`: everything that is measured from the installed wheel, in one table; or over DIR."""

import sys
from itertools import chain
from pathlib import Path

from benchmarks import cores, documents, expectations, krm, plan, repository, startup, validation
from benchmarks.measuring import installed
from benchmarks.table import show


def main(count: int = 10_000) -> None:
    """Measure with `count` documents."""
    programs = installed()
    show(
        chain(
            startup.measured(programs),
            repository.measured(programs),
            documents.measured(programs, count),
            cores.measured(programs),
            plan.measured(programs, count),
            krm.measured(programs),
            validation.measured(programs, count),
            expectations.measured(programs),
        )
    )


if __name__ == "__main__":
    if sys.argv[1:] and not sys.argv[1].isdecimal():
        show(repository.measured(installed(), Path(sys.argv[1]).resolve()))
    else:
        main(*map(int, sys.argv[1:]))
