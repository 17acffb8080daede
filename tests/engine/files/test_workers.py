"""Work spread over processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.files import workers
from sidecarctl.engine.files.workers import spread_over_workers, workers_for
from tests.cli.manifests import DEPLOYMENT, SET


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_batches(jobs: int) -> None:
    assert list(spread_over_workers(lambda number: number * number, range(50), jobs)) == [
        number * number for number in range(50)
    ]


def test_one_job_works_in_this_process_and_several_in_others() -> None:
    assert set(spread_over_workers(lambda _: os.getpid(), range(4), 1)) == {os.getpid()}
    assert os.getpid() not in set(spread_over_workers(lambda _: os.getpid(), range(4), 2))
    assert set(spread_over_workers(lambda _: os.getpid(), range(1), 2)) == {os.getpid()}  # there is nothing to share


def test_only_a_few_batches_are_taken_ahead() -> None:
    taken: list[int] = []

    def batches() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = spread_over_workers(lambda number: number, batches(), 2)
    assert next(results) == 0
    assert len(taken) < 10
    assert list(results) == list(range(1, 100))


def test_many_files_or_bytes_are_spread_over_the_usable_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_CGROUP", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert [workers_for(sizes) for sizes in ([], [1] * 199, [1_999_999])] == [1, 1, 1]
    assert [workers_for(sizes) for sizes in ([1] * 200, [2_000_000], [1] * 500, [9_000_000] * 9)] == [2, 2, 4, 8]
    assert [workers_for(sizes, 4) for sizes in ([1] * 799, [1] * 800, [7_999_999], [4_000_000] * 4)] == [1, 2, 1, 4]
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert workers_for([9_000_000] * 9) == 8
    (tmp_path / "cpu.max").write_text("350000 100000\n")
    assert workers_for([9_000_000] * 9) == 3
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert workers_for([9_000_000] * 9) == 1


def test_a_fault_in_a_worker_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        list(spread_over_workers(lambda number: 1 // number, [1, 0, 1], 2))


def test_a_worker_that_is_killed_is_reported_plainly() -> None:
    with pytest.raises(ImpossibleError, match="a worker process was killed"):
        list(spread_over_workers(lambda _: os.kill(os.getpid(), signal.SIGKILL), range(50), 2))


def inverse(number: int) -> int:
    return 1 // number


def killed(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("work", [killed, inverse], ids=["killed", "fault"])
def test_no_thread_of_the_pool_outlives_the_work(work: Callable[[int], object]) -> None:
    before = set(threading.enumerate())
    with pytest.raises((ImpossibleError, ZeroDivisionError)):
        list(spread_over_workers(work, range(50), 2))
    assert set(threading.enumerate()) <= before  # those of other tests may end meanwhile


def test_no_thread_of_the_pool_outlives_results_that_nobody_takes() -> None:
    before = set(threading.enumerate())
    results = spread_over_workers(inverse, range(1, 50), 2)
    assert isinstance(results, Generator)
    next(results)
    results.close()
    assert set(threading.enumerate()) <= before


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """The children of a process, once there are any."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None:
        if found := children.read_text().split():
            return [int(item) for item in found]
        time.sleep(0.01)
    return []


@pytest.mark.slow
@pytest.mark.parametrize("options", [["-i"], ["-d", "out"], []], ids=["in place", "folder", "stdout"])
def test_a_killed_worker_leaves_the_files_as_they_were(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    text = "---\n".join(DEPLOYMENT.replace("name: web", f"name: web-{number}") for number in range(4000))
    (tmp_path / "web.yaml").write_text(text)
    words = [sys.executable, "-m", "sidecarctl", "inject", "-q", "-s", "set.yaml", "-j", "2", *options, "web.yaml"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.kill(workers_of(process)[0], signal.SIGKILL)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (3, b"")
    said = "error: a worker process was killed (use fewer with -j, to need less memory) [WorkerKilled]\n"
    assert stderr.decode() == said
    assert (tmp_path / "web.yaml").read_text() == text
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["set.yaml", "web.yaml"]


def ticks_of(pid: int) -> int:
    """The CPU time that a process has used so far, in hundredths of a second."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def wait_until_work_begins(process: subprocess.Popen[bytes], folder: Path, jobs: str) -> None:
    """Return once the workers have their first batches, or this one process has written beside a file's place."""
    if jobs != "1":
        worker, *_ = workers_of(process)
        while process.poll() is None and ticks_of(worker) < 5:  # not yet in the middle of a batch
            time.sleep(0.005)
        return
    while process.poll() is None and len(list(folder.iterdir())) == 2:
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "jobs"), [(["-i"], "1"), (["-d", "out"], "2"), ([], "2")], ids=str)
def test_an_interrupted_run_leaves_the_files_as_they_were(tmp_path: Path, options: list[str], jobs: str) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    text = "---\n".join(DEPLOYMENT.replace("name: web", f"name: web-{number}") for number in range(4000))
    (tmp_path / "web.yaml").write_text(text)
    words = [sys.executable, "-m", "sidecarctl", "inject", "-q", "-s", "set.yaml", "-j", jobs, *options, "web.yaml"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    wait_until_work_begins(process, tmp_path, jobs)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    assert b"Traceback" not in stderr
    assert (tmp_path / "web.yaml").read_text() == text
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["set.yaml", "web.yaml"]
    assert not list((tmp_path / "out").glob("*"))
