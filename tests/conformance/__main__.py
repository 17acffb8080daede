"""`python -m tests.conformance [--release NAME|all] [--recorded FOLDER] [PATH...]`.

One line for each failing case, then the counts; of all releases, a table of them.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecarctl.releases.profiles import PROFILES
from sidecarctl.releases.versions import UnknownReleaseError, release_named
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.operations import OPERATIONS, difference_in
from tests.conformance.under_release import under_release
from tests.releases.recordings import Recordings


def main(paths: list[Path], names: Iterable[str] = ("master",), recordings: Recordings | None = None) -> int:
    recordings = recordings or Recordings()
    cases = [case for path in paths for case in cases_in(path)]
    tallies = [_tally(name, _cases_under(name, cases, recordings)) for name in names]
    return 1 if any(tally["failed"] or not tally["passed"] for tally in tallies) else 0


def _cases_under(name: str, cases: Iterable[Case], recordings: Recordings) -> Iterator[Case]:
    release = release_named(name)
    return (found for case in cases if (found := under_release(case, release, recordings)))


def _tally(name: str, cases: Iterable[Case]) -> Counter[str]:
    tally, left_out = Counter[str](), Counter[str]()
    for case in cases:
        if case.operation not in OPERATIONS:
            left_out[case.operation] += 1
        elif difference := difference_in(case):
            tally["failed"] += 1
            print(f"{case.name}: {difference}")
        else:
            tally["passed"] += 1
    for operation, count in left_out.items():
        print(f"{count} not run: operation {operation} is not implemented")
    of_release = "" if name == "master" else f"{name:8}"
    print(f"{of_release}{tally['passed']} passed, {tally['failed']} failed")
    return tally


def _arguments() -> tuple[list[Path], list[str], Recordings]:
    parser = ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("--release", default="master", help="a release of Kruise, or all")
    parser.add_argument("--recorded", type=Path, help="a folder with what releases gave (default: the one kept here)")
    parser.add_argument("paths", nargs="*", type=Path, default=[FOLDER], metavar="PATH")
    given = parser.parse_args()
    names = [name for name in PROFILES if name != "master"] if given.release == "all" else [given.release]
    try:
        release_named(names[0])
    except UnknownReleaseError as unknown:
        parser.error(f"{unknown}; known are {', '.join(unknown.nearest)}")
    return given.paths, names, Recordings(given.recorded) if given.recorded else Recordings()


if __name__ == "__main__":
    sys.exit(main(*_arguments()))
