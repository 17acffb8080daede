"""Worker processes change nothing but the time that a command takes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.files import workers
from tests.cli.manifests import BAD_TYPE, BAD_YAML, DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.files.test_workers import workers_of

SAMPLES = Path(__file__).parents[3] / "samples" / "explain"


@pytest.fixture
def forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Two trees of small files, each of which is sent to a worker by itself; how many processes worked each time."""
    own = SET.replace("name: logs", "name: extra")
    for tree in ("old", "new"):
        for number, name in enumerate(("sidecarsets", "namespaces", "pods", "tools-pods", "revisions")):
            (tmp_path / tree / str(number)).mkdir(parents=True)
            shutil.copy(SAMPLES / f"{name}.yaml", tmp_path / tree / str(number))
        (tmp_path / tree / "set.yaml").write_text(own)
        (tmp_path / tree / "web.yaml").write_text(f"{DEPLOYMENT}---\n{DEPLOYMENT.replace('name: web', 'name: b')}")
    (tmp_path / "new" / "set.yaml").write_text(own.replace("2.4.1", "2.4.2"))
    (tmp_path / "new" / "web.yaml").write_text(DEPLOYMENT.replace("web:1.0", "web:1.1"))
    for number in range(3):
        (tmp_path / "pods" / str(number)).mkdir(parents=True)
        (tmp_path / "pods" / str(number) / "web.yaml").write_text(
            DEPLOYMENT.replace("name: web", f"name: web-{number}")
        )
    (tmp_path / "bad").mkdir()
    for name, text in {"a": BAD_YAML, "b": DEPLOYMENT, "c": BAD_TYPE, "d": SET.replace("Set", "Ste")}.items():
        (tmp_path / "bad" / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    for name in ("FIRST_BATCH", "BATCH"):
        monkeypatch.setattr(workers, name, 1)
    counts: list[int] = []
    whole: Callable[[Iterable[Any], int], Iterator[Any]] = workers._forked

    def counted(batches: Iterable[Any], jobs: int) -> Iterator[Any]:
        counts.append(jobs)
        return whole(batches, jobs)

    monkeypatch.setattr(workers, "_forked", counted)
    return counts


@pytest.mark.parametrize(
    "words",
    [
        "validate old",
        "validate new bad --old old",
        "diff --before old --after new",
        "diff --before old --after bad",
        "diff old/set.yaml new/set.yaml pods",
        "plan old",
        "plan new bad",
        "status old",
        "status new bad",
        "drift old",
        "images old",
        "cost old",
    ],
)
def test_a_command_says_the_same_with_workers(forked: list[int], words: str) -> None:
    alone = run(*words.split(), "-o", "json", "-j", "1")
    assert not forked
    shared = run(*words.split(), "-o", "json", "-j", "2")
    assert forked
    assert set(forked) == {2}
    assert alone.stdout or alone.stderr
    assert shared == alone


def any_of_group(leader: int) -> bool:
    """Whether a process of a group is still there."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("command", [["validate"], ["diff", "--before", "sets", "--after"], ["status"]], ids=str)
def test_an_interrupt_leaves_no_process(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "set.yaml").write_text(SET)
    text = "---\n".join(DEPLOYMENT.replace("name: web", f"name: web-{number}") for number in range(1000))
    for number in range(8):
        (tmp_path / "sets" / f"web-{number}.yaml").write_text(text)
    words = [sys.executable, "-m", "sidecarctl", command[0], "-j", "2", *command[1:], "sets"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert workers_of(process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    assert b"Traceback" not in stderr
    deadline = time.monotonic() + 60
    while any_of_group(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
