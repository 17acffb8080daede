"""`python -m tests.conformance PATH...`: one line for each failing case, then the counts."""

import sys
from collections import Counter
from pathlib import Path

from tests.conformance.cases import FOLDER, cases_in
from tests.conformance.operations import OPERATIONS, difference_in


def main(paths: list[Path]) -> int:
    passed, failed, left_out = 0, 0, Counter[str]()
    for path in paths:
        for case in cases_in(path):
            if case.operation not in OPERATIONS:
                left_out[case.operation] += 1
            elif difference := difference_in(case):
                failed += 1
                print(f"{case.name}: {difference}")
            else:
                passed += 1
    for operation, count in left_out.items():
        print(f"{count} not run: operation {operation} is not implemented")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]] or [FOLDER]))
