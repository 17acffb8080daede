"""`python -m tests.corpus DIR...`: the promises over every manifest below some folders, counted."""

import sys
from collections import Counter
from pathlib import Path

from sidecarctl.documents.reading.streams import split
from sidecarctl.files.inputs import inputs
from sidecarctl.reports.layout.lines import finding_line
from tests.corpus.trial import Promises, Verdict
from tests.documents.readers import READERS

BROKEN = (Verdict.CHANGED_OUTSIDE, Verdict.NOT_IDEMPOTENT, Verdict.NOT_RESTORED)
SETS = Path(__file__).parent / "sets.yaml"


def main(folders: list[str]) -> int:
    promises = Promises(SETS.read_bytes())
    counts: Counter[Verdict] = Counter()
    refusals: Counter[str] = Counter()
    by_lines: Counter[bool] = Counter()
    for source in inputs(folders, recursive=True, stdin=None):
        for chunk in split(source.blocks(), 1 << 30):
            trial = promises.trial(chunk, source.name)
            counts.update(trial.verdicts)
            if Verdict.INJECTED in trial.verdicts:
                by_lines[all(document.lines for document in READERS["lines"].documents(chunk))] += 1
            for verdict in trial.verdicts:
                if verdict is Verdict.REFUSED:
                    refusals[trial.findings[0].reason] += 1
                    print(finding_line(trial.findings[0]))
                elif verdict not in (Verdict.UNTOUCHED, Verdict.INJECTED):
                    print(f"{source.name}:{chunk.line}: {verdict}")
    for verdict in Verdict:
        print(f"{counts[verdict]:7}  {verdict}")
    print(f"{by_lines[True]:7}  of {by_lines.total()} documents with pods read by lines")
    for reason, count in refusals.most_common():
        print(f"{count:7}  refused: {reason}")
    return int(any(counts[verdict] for verdict in BROKEN))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
