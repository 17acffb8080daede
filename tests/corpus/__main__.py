"""`python -m tests.corpus DIR...`: the promises over every manifest below some folders, counted."""

import sys
from collections import Counter
from pathlib import Path
from unittest.mock import patch

from sidecarctl.engine.documents.editing import document_edits
from sidecarctl.engine.documents.editing.document_edits import EditedText
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.files.inputs import inputs
from sidecarctl.render.lines import finding_line
from tests.corpus.trial import Promises, Verdict
from tests.engine.documents.comment_owners import changed_owners, comments_beside

BROKEN = (Verdict.CHANGED_OUTSIDE, Verdict.NOT_IDEMPOTENT, Verdict.NOT_RESTORED)
SETS = Path(__file__).parent / "sets.yaml"


class Comments:
    """What happens to the comments of all edited documents."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._prove = document_edits.prove

    def prove(self, reader: Reader, document: Document, edited: EditedText, intended: Value) -> None:
        """Prove an edit, and count."""
        self._prove(reader, document, edited, intended)
        (again,) = reader.documents_of(document.prefix + edited.text)
        changed = changed_owners(document, edited, again)
        self.counts["edits"] += 1
        self.counts["edits with a comment beside"] += bool(comments_beside(document, edited))
        self.counts["comments that describe something else"] += len(changed)
        for line in changed:
            print(line)


def main(folders: list[str]) -> int:
    comments = Comments()
    with patch.object(document_edits, "prove", comments.prove):
        broken = _tried(folders)
    for said in ("edits", "edits with a comment beside", "comments that describe something else"):
        print(f"{comments.counts[said]:7}  {said}")
    return int(broken or comments.counts["comments that describe something else"] > 0)


def _tried(folders: list[str]) -> bool:
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
    return any(counts[verdict] for verdict in BROKEN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
