"""`python -m tests.corpus DIR...`: the promises over every manifest below some folders, counted."""

import sys
from collections import Counter
from pathlib import Path

from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.files.inputs import inputs
from sidecarctl.render.lines import finding_line
from tests.corpus.trial import Promises, Verdict

BROKEN = (Verdict.CHANGED_OUTSIDE, Verdict.NOT_IDEMPOTENT, Verdict.NOT_RESTORED)
SETS = Path(__file__).parent / "sets.yaml"


def main(folders: list[str]) -> int:
    promises = Promises(SETS.read_bytes())
    counts: Counter[Verdict] = Counter()
    refusals: Counter[str] = Counter()
    for source in inputs(folders, recursive=True, stdin=None):
        for chunk in split(source.blocks(), 1 << 30):
            trial = promises.trial(chunk, source.name)
            counts.update(trial.verdicts)
            for verdict in trial.verdicts:
                if verdict is Verdict.REFUSED:
                    refusals[trial.findings[0].reason] += 1
                    print(finding_line(trial.findings[0]))
                elif verdict not in (Verdict.UNTOUCHED, Verdict.INJECTED):
                    print(f"{source.name}:{chunk.line}: {verdict}")
    for verdict in Verdict:
        print(f"{counts[verdict]:7}  {verdict}")
    for reason, count in refusals.most_common():
        print(f"{count:7}  refused: {reason}")
    return int(any(counts[verdict] for verdict in BROKEN))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
