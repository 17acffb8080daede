"""Work spread over processes."""

import os
from collections.abc import Iterator

import pytest

from sidecarctl.files.workers import spread


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_batches(jobs: int) -> None:
    assert list(spread(lambda number: number * number, range(50), jobs)) == [number * number for number in range(50)]


def test_one_job_works_in_this_process_and_several_in_others() -> None:
    assert set(spread(lambda _: os.getpid(), range(4), 1)) == {os.getpid()}
    assert os.getpid() not in set(spread(lambda _: os.getpid(), range(4), 2))


def test_only_a_few_batches_are_taken_ahead() -> None:
    taken: list[int] = []

    def batches() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = spread(lambda number: number, batches(), 2)
    assert next(results) == 0
    assert len(taken) < 10
    assert list(results) == list(range(1, 100))


def test_a_fault_in_a_worker_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        list(spread(lambda number: 1 // number, [1, 0, 1], 2))
