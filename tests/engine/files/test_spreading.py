"""Bundles of work, which a few processes share."""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from sidecarctl.engine.files import workers
from sidecarctl.engine.files.inputs import Input, fingerprint_of, watched_by
from sidecarctl.engine.files.workers import BATCH, FIRST_BATCH, spread_files, spread_items, spread_over_workers


def process_and_item(item: int) -> tuple[int, int]:
    return os.getpid(), item


def test_results_come_in_order_and_the_first_items_are_done_by_the_process_itself() -> None:
    sizes = [FIRST_BATCH // 4] * 8 + [BATCH // 2] * 8
    found = list(spread_items(process_and_item, range(16), sizes, 2))
    assert [item for _, item in found] == list(range(16))
    assert [process == os.getpid() for process, _ in found] == [True] * 4 + [False] * 12
    assert found[8][0] == found[9][0]  # they travel together
    assert {process for process, _ in spread_items(process_and_item, range(16), sizes, 1)} == {os.getpid()}


def test_sizes_decide_how_many_processes_work_if_nobody_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(2)), raising=False)
    for sizes, is_shared in ([BATCH] * 30, False), ([BATCH] * 31, True), ([1] * 799, False):
        processes = {process for process, _ in spread_items(process_and_item, range(len(sizes)), sizes, 0)}
        assert (processes != {os.getpid()}) is is_shared


def nested(number: int) -> set[int]:
    return {*spread_over_workers(lambda _: os.getpid(), range(4), 2)} - {os.getpid()} if number else set()


def test_a_worker_has_no_workers_of_its_own() -> None:
    assert nested(1)
    assert list(spread_over_workers(nested, [1, 1, 1], 2)) == [set()] * 3


class Meter:
    """Counts the bytes that it gets for each file."""

    def __init__(self) -> None:
        self.bytes: Counter[str] = Counter()

    def expect(self, sizes: Mapping[str, int]) -> None:
        """Nothing."""

    def read(self, name: str, size: int) -> None:
        """Count."""
        self.bytes[name] += size

    def simulated(self, done: int, total: int) -> None:
        """Nothing."""

    def answered(self, done: int, total: int) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""


def length(file: Input) -> tuple[int, int]:
    return os.getpid(), sum(map(len, file.blocks()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_watcher_is_told_of_every_byte_once(tmp_path: Path, jobs: int) -> None:
    files = files_of(tmp_path, [FIRST_BATCH // 2] * 4 + [BATCH] * 3)
    meter = Meter()
    with watched_by(meter):
        found = [*spread_files(length, files, jobs)]
    assert len({process for process, _ in found}) in ({1} if jobs == 1 else {2, 3})
    assert meter.bytes == {file.name: size for file, (_, size) in zip(files, found, strict=True)}


def test_what_is_in_a_very_long_file_is_not_held_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of(tmp_path, [BATCH] * 4)
    assert {process for process, _ in spread_files(length, files, 2)} != {os.getpid()}
    monkeypatch.setattr(workers, "_LARGEST", BATCH - 1)
    assert {process for process, _ in spread_files(length, files, 2)} == {os.getpid()}


def files_of(folder: Path, sizes: list[int]) -> list[Input]:
    """Files of these sizes."""
    for number, size in enumerate(sizes):
        (folder / f"{number}.yaml").write_bytes(b"#" * size)
    paths = [folder / f"{number}.yaml" for number in range(len(sizes))]
    return [Input(path.name, path, Path(path.name), found=fingerprint_of(path)) for path in paths]
