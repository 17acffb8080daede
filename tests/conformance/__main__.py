"""`python -m tests.conformance PATH...`: one line for each failing case, then the counts."""

import sys
from pathlib import Path

from tests.conformance.cases import FOLDER, cases_in
from tests.conformance.operations import difference_in


def main(paths: list[Path]) -> int:
    passed, failed = 0, 0
    for path in paths:
        for case in cases_in(path):
            if difference := difference_in(case):
                failed += 1
                print(f"{case.name}: {difference}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]] or [FOLDER]))
