"""Pushes against what Kruise's own webhook answered in recorded rollouts that PodUnavailableBudgets held back."""

import gzip
import json
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import Answer
from sidecarctl.engine.sidecarset.admission import admit
from tests.features.push.fake_cluster import FakeCluster, refusal
from tests.features.push.pushes import Shop, document_of

_CASES = Path(__file__).parents[2] / "conformance" / "pub" / "recorded.jsonl.gz"
_DENIED = 'admission webhook "vpod.kb.io" denied the request: '


def held_back() -> Iterator[Object]:
    """The cold rollouts in which every pod that a budget refuses is updated later.

    Of hot ones a push waits for a wave's new halves before it resets the old ones, whichever pod a budget holds back.
    """
    for line in gzip.decompress(_CASES.read_bytes()).splitlines():
        case: Object = json.loads(line)
        rounds = case["expect"].get("rounds") or ()
        refused = {entry["pod"] for item in rounds for entry in item.get("refused") or ()}
        updated = [entry["pod"] for item in rounds for entry in item.get("updated") or ()]
        if refused and refused <= {*updated} and len(updated) == len({*updated}):
            yield case


class Kruise:
    """Answers patches as the webhook did, round after round; `asked` is every pod that was asked for."""

    def __init__(self, rounds: list[Object]) -> None:
        self._rounds = iter(rounds)
        self.asked: list[str] = []
        self._next()

    def __call__(self, _cluster: FakeCluster, path: str, _body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        if is_dry:
            return None
        _, _, _, _, namespace, _, name = path.split("/")
        pod = f"{namespace}/{name}"
        self.asked.append(pod)
        while pod not in self._updated and pod not in self._refused:
            assert not self._updated, (pod, self._updated)
            self._next()
        if pod in self._updated:
            self._updated.remove(pod)
            return None
        assert not self._updated, (pod, self._updated)
        message = self._refused[pod]
        self._next()
        return refusal(403, f"{_DENIED}{message}", 0.01)

    def _next(self) -> None:
        """The next round; its time has passed."""
        item = next(self._rounds)
        self._updated = [patched["pod"] for patched in item.get("updated") or ()]
        self._refused = {refused["pod"]: refused["message"] for refused in item.get("refused") or ()}


CASES = list(held_back())


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 10


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_push_asks_and_waits_as_kruise_does(case: Object) -> None:
    """The same pods in the same order, none behind a refused one before that goes through; and no failure."""
    by_kind = {kind: [item for item in case["objects"] if item["kind"] == kind] for kind in ("SidecarSet", "Pod")}
    cluster = FakeCluster(kruise="1.9.0")
    pods = [cluster.create(item) for item in by_kind["Pod"]]
    [manifest] = by_kind["SidecarSet"]
    strategy = {**(manifest["spec"].get("updateStrategy") or {}), "paused": True}
    cluster.hold({**manifest, "spec": {**manifest["spec"], "updateStrategy": strategy}})
    recorded = [
        item["pod"]
        for entry in case["expect"]["rounds"]
        for item in [*(entry.get("updated") or ()), *(entry.get("refused") or ())]
    ]
    with tempfile.TemporaryDirectory() as folder:
        here = Shop(Path(folder), cluster, document_of([admit(manifest)], pods))
        kruise = cluster.before = Kruise(case["expect"]["rounds"])
        ended = here.push(max_parallel=1)
    assert (ended.exit_code, ended.facts.failed) == (0, 0), ended.findings
    assert [pod for pod, _ in groupby(kruise.asked)] == [pod for pod, _ in groupby(recorded)]
