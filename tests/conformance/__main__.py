"""`python -m tests.conformance [--release NAME|all] [--recorded FOLDER] [PATH...]`.

One line for each failing case, then the counts; of all releases, a table of them by operation.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sidecarctl.engine.releases.profiles import PROFILES, UnknownReleaseError, release_named
from sidecarctl.engine.releases.release import MASTER
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.operations import difference_in
from tests.conformance.under_release import under_release
from tests.engine.releases.recordings import Recordings

Tally = Counter[tuple[str, str]]
"""Numbers of cases by operation, and `passed` or `failed`."""


def main(paths: list[Path], names: Sequence[str] = (MASTER.name,), recordings: Recordings | None = None) -> int:
    recordings = recordings or Recordings()
    cases = [case for path in paths for case in cases_in(path)]
    tallies = {name: _tally(_cases_under(name, cases, recordings)) for name in names}
    for line in _table(tallies) if len(names) > 1 else _counts(*tallies.values()):
        print(line)
    total = sum(tallies.values(), Tally())
    return 1 if _number(total, "failed") or not _number(total, "passed") else 0


def _cases_under(name: str, cases: Iterable[Case], recordings: Recordings) -> Iterator[Case]:
    release = release_named(name)
    return (found for case in cases if (found := under_release(case, release, recordings)))


def _tally(cases: Iterable[Case]) -> Tally:
    tally = Tally()
    for case in cases:
        if difference := difference_in(case):
            tally[case.operation, "failed"] += 1
            under = "" if case.release is MASTER else f"{case.release.name} "
            print(f"{under}{case.name}: {difference}")
        else:
            tally[case.operation, "passed"] += 1
    return tally


def _counts(tally: Tally) -> Iterator[str]:
    yield f"{_number(tally, 'passed')} passed, {_number(tally, 'failed')} failed"


def _table(tallies: dict[str, Tally]) -> Iterator[str]:
    """A line for each release: how many cases of each operation passed, of how many."""
    operations = sorted({operation for tally in tallies.values() for operation, _ in tally})
    yield "".join(f"{head:>12}" for head in ("release", *operations, "failed"))
    for name, tally in tallies.items():
        passed = (f"{tally[item, 'passed']}/{tally[item, 'passed'] + tally[item, 'failed']}" for item in operations)
        yield "".join(f"{cell:>12}" for cell in (name, *passed, _number(tally, "failed")))


def _number(tally: Tally, what: str) -> int:
    return sum(count for (_, outcome), count in tally.items() if outcome == what)


def _arguments() -> tuple[list[Path], list[str], Recordings]:
    parser = ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("--release", default=MASTER.name, help="a release of Kruise, or all")
    parser.add_argument("--recorded", type=Path, help="a folder with what releases gave (default: the one kept here)")
    parser.add_argument("paths", nargs="*", type=Path, default=[FOLDER], metavar="PATH")
    given = parser.parse_args()
    names = (
        [name for name, item in PROFILES.items() if item is not MASTER and not item.derived]
        if given.release == "all"
        else [given.release]
    )
    try:
        release_named(names[0])
    except UnknownReleaseError as unknown:
        parser.error(f"{unknown}; known are {', '.join(unknown.nearest)}")
    return given.paths, names, Recordings(given.recorded) if given.recorded else Recordings()


if __name__ == "__main__":
    sys.exit(main(*_arguments()))
