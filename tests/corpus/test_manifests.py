"""The ugly manifests of tests/manifests through inject, inject again and uninject."""

from collections import Counter
from pathlib import Path

import pytest

from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.facts.reasons import Reason
from tests.corpus.trial import Promises, Trial, Verdict
from tests.effort import unmeasured

FOLDER = Path(__file__).parents[1] / "manifests"
MANIFESTS = sorted(path for path in FOLDER.iterdir() if path.suffix in (".yaml", ".yml", ".json"))
SETS = Path(__file__).with_name("sets.yaml").read_bytes()

EMPTY_PARENTS = {
    "deployment-empty-parents.yaml",
    "deployment-flow-over-lines.yaml",
    "deployment-null-parents.yaml",
    "json-four-spaces-escapes.json",
    "json-list.json",
    "json-odd-layout.json",
    "json-one-line.json",
    "json-several.json",
    "json-tabs-crlf.json",
    "json-two-spaces.json",
    "keys-unlike-strings.yaml",
    "pod-empty-metadata.yaml",
    "pod-no-containers.yaml",
    "pod-null-spec.yaml",
    "stream-dots-without-newline.yaml",
}
ALIASES = {"anchors-aliased-template.yaml", "anchors-aliased-volumes.yaml"}
MERGE_KEYS = {"merge-key-brings-the-pod.yaml", "merge-keys-lists.yaml", "merge-keys.yaml"}
TAKEN = {"names-already-taken.yaml"}
KRUISE_GATE = {"advanced-workloads.yaml", "cloneset.yaml"}
NOT_RESTORED = EMPTY_PARENTS | ALIASES | MERGE_KEYS | TAKEN | KRUISE_GATE
"""The exceptions: empty parents, aliases, names that the pod already has, Kruise's gate; each must be said."""


@pytest.fixture(scope="module")
def promises() -> Promises:
    return Promises(SETS)


def trials(promises: Promises, path: Path) -> list[Trial]:
    return [promises.trial(chunk, path.name) for chunk in split([path.read_bytes()], 1 << 30)]


@unmeasured
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_only_additions_idempotent_and_restored(promises: Promises, path: Path) -> None:
    verdicts = Counter(verdict for trial in trials(promises, path) for verdict in trial.verdicts)
    for never in (Verdict.REFUSED, Verdict.NOT_IDEMPOTENT, Verdict.NOT_RESTORED, Verdict.REWRITTEN):
        assert verdicts[never] == 0
    assert bool(verdicts[Verdict.NOT_REVERSIBLE]) is (path.name in NOT_RESTORED)
    assert bool(verdicts[Verdict.CHANGED_OUTSIDE]) is (path.name in ALIASES | TAKEN)


@pytest.mark.parametrize("name", sorted(NOT_RESTORED))
def test_every_exception_says_where_and_why(name: str) -> None:
    said = [
        finding
        for trial in trials(Promises(SETS), FOLDER / name)
        for finding in trial.findings
        if finding.reason is Reason.NOT_REVERSIBLE
    ]
    why = {"alias or a merge key"} if name in ALIASES | MERGE_KEYS else {"empty", "the pod's own", "KruisePodReady"}
    assert said
    assert all(finding.place and finding.place.line and finding.path for finding in said)
    assert all(any(words in finding.message for words in why) for finding in said)


def test_there_are_many_and_most_of_them_hold_pods() -> None:
    assert len(MANIFESTS) >= 60
    promises = Promises(SETS)
    injected = [
        path for path in MANIFESTS if any(Verdict.INJECTED in trial.verdicts for trial in trials(promises, path))
    ]
    assert len(injected) >= 60
