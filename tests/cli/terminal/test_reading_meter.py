"""The line of progress: after a second, on a terminal alone, and gone before the output."""

import os
import re
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pexpect
import pytest

from sidecarctl.cli.progress import ReadingMeter
from sidecarctl.engine.files.inputs import watched_by
from tests.cli.manifests import SET
from tests.cli.running import run

SAMPLE = Path(__file__).parents[3] / "samples" / "rollouts" / "partition-50"
PATHS = [SAMPLE / name for name in ("sidecarset.yaml", "workloads.yaml", "old.yaml")]


def test_words() -> None:
    meter = ReadingMeter(clock=lambda: 0.0)
    for _ in range(3):
        meter.read("pods.json", 1_000_000)
    meter.read("sets.yaml", 500_000)
    assert meter.so_far("pods\x1b.json", 2.0) == "read 2 files, 3.5 MB (1.8 MB/s): pods\ufffd.json"


def test_a_total_and_an_estimate_where_sizes_are_known() -> None:
    meter = ReadingMeter(clock=lambda: 0.0)
    meter.expect({"pods.json": 4_000_000, "sets.yaml": 1_000_000})
    meter.read("pods.json", 3_000_000)
    assert meter.so_far("pods.json", 2.0) == "read 1 file, 3.0 MB of 5.0 MB (1.5 MB/s), 2 s left: pods.json"
    meter.read("pods.json", 1_000_000)
    meter.read("sets.yaml", 1_000_000)
    assert meter.so_far("sets.yaml", 2.0) == "read 2 files, 5.0 MB of 5.0 MB (2.5 MB/s): sets.yaml"
    meter.read("pods.json", 1_000_000)  # once more from its beginning
    assert meter.so_far("pods.json", 2.0) == "read 2 files, 2.0 MB of 5.0 MB (3.0 MB/s), 1 s left: pods.json"
    meter.read("kubectl", 1)
    assert meter.so_far("kubectl", 2.0) == "read 3 files, 6.0 MB (3.0 MB/s): kubectl"


def test_long_simulations_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    times = [10.0]
    meter = ReadingMeter(clock=lambda: times[-1])
    monkeypatch.setattr(meter, "_draw", drawn.append)
    for now, done in ((10.0, 100), (10.5, 200), (12.0, 500), (12.05, 510), (14.0, 900), (15.0, 0), (16.0, 50)):
        times.append(now)
        meter.simulated(done, 1_000)
    assert drawn == [
        "simulated 500 of 1,000 pods, 3 s left",
        "simulated 900 of 1,000 pods, 1 s left",
        "simulated 0 of 1,000 pods",
        "simulated 50 of 1,000 pods, 19 s left",
    ]


def test_a_plan_tells_how_far_its_rollout_is() -> None:
    told: list[tuple[int, int]] = []

    class Watching:
        def expect(self, sizes: Mapping[str, int]) -> None:
            assert set(sizes.values()) == {path.stat().st_size for path in PATHS}

        def read(self, name: str, size: int) -> None:
            pass

        def simulated(self, done: int, total: int) -> None:
            told.append((done, total))

        def answered(self, done: int, total: int) -> None:
            pass

        def stop(self) -> None:
            pass

    with watched_by(Watching()):
        assert (
            run("plan", *PATHS[:2], "--from", PATHS[2], "--partition", "0", "--max-unavailable", "25", "-q").code == 0
        )
    assert list(dict.fromkeys(told)) == [(25, 100), (50, 100), (75, 100), (100, 100)]


def test_nothing_is_shown_within_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[float] = []
    times = [10.0]
    meter = ReadingMeter(clock=lambda: times[-1])
    monkeypatch.setattr(meter, "_show", lambda _name, seconds: shown.append(round(seconds, 2)))
    for now in (10.0, 10.5, 10.99, 11.0, 11.05, 11.2):
        times.append(now)
        meter.read("kubectl get --raw /api/v1/pods", 1)
    assert shown == [1.0, 1.2]


def slowly(pipe: Path, seconds: float) -> None:
    with pipe.open("wb", buffering=0) as file:
        for part in (SET[:40], SET[40:80], SET[80:]):
            file.write(part.encode())
            time.sleep(seconds / 2)


PATIENT = "from sidecarctl.cli import terminal; terminal._PATIENCE = 3600"
"""On a busy machine anything may take a second."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "before", "env", "is_shown"),
    [
        (3.0, "", {}, True),
        (0.2, PATIENT, {}, False),
        (3.0, "", {"CI": "true"}, False),
        (3.0, "", {"TERM": "dumb"}, False),
    ],
    ids=["slow", "quick", "in CI", "dumb terminal"],
)
def test_a_terminal_shows_what_is_read(
    tmp_path: Path, seconds: float, before: str, env: dict[str, str], *, is_shown: bool
) -> None:
    pipe = tmp_path / "set.yaml"
    os.mkfifo(pipe)
    threading.Thread(target=slowly, args=(pipe, seconds), daemon=True).start()
    clean: dict[str, str] = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", **env}
    program = f"{before}\nfrom sidecarctl.__main__ import main\nmain()"
    words = ["-c", program, "hash", str(pipe)]
    told = pexpect.spawn(sys.executable, words, env=clean, encoding="utf-8", timeout=60, dimensions=(24, 160)).read()
    assert bool(re.search(r"read 1 file, 0\.0 MB(?: of 0\.0 MB)? \(0\.0 MB/s\)\S*: \S+set\.yaml", told)) is is_shown
    assert re.search(r"logs  \w{64}  \w{64}\s+$", told)


def test_clusters_are_counted_with_the_time_that_the_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[float] = [0.0]
    drawn: list[str] = []
    meter = ReadingMeter(lambda: times[-1])
    monkeypatch.setattr(meter, "_draw", drawn.append)
    for now, done in ((0.5, 1), (2.0, 10), (4.0, 20), (10.0, 50)):
        times.append(now)
        meter.answered(done, 50)
    assert drawn == [
        "answered for 10 of 50 clusters, 8 s left",
        "answered for 20 of 50 clusters, 6 s left",
        "answered for 50 of 50 clusters",
    ]


def test_a_run_over_clusters_tells_of_clusters_and_not_of_their_files(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    class Watching:
        def expect(self, sizes: Mapping[str, int]) -> None:
            raise AssertionError(sizes)

        def read(self, name: str, size: int) -> None:
            raise AssertionError((name, size))

        def simulated(self, done: int, total: int) -> None:
            raise AssertionError((done, total))

        def answered(self, done: int, total: int) -> None:
            told.append((done, total))

        def stop(self) -> None:
            pass

    clusters = [word for name in "abc" for word in ("--cluster", f"{name}={PATHS[0]}")]
    with watched_by(Watching()):
        assert run("validate", *clusters, "-j", "1", "-q", "-o", f"json={tmp_path}/out.json").code == 0
    assert told == [(1, 3), (2, 3), (3, 3)]
