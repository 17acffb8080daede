"""Work on many files, or many objects, in bundles that are worth sending to a worker process."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate
from typing import TypeVar

from sidecarctl.files.inputs import Input, fingerprint_of, unwatched, was_read
from sidecarctl.files.workers import spread_over_workers, workers_for

Item = TypeVar("Item")
Result = TypeVar("Result")

FIRST_BATCH = 64 * 1024
"""Bytes of what the process does itself, before there are workers to inherit what it has loaded for that."""
BATCH = 256 * 1024
"""Bytes: enough to make sending it worth while, little enough to keep several in memory."""
_LARGEST = 16 * 1024 * 1024
_SHARE = 4
"""Objects are not edited, and many documents not even parsed: most bytes of usual repositories."""


def spread_files(work: Callable[[Input], Result], files: Sequence[Input], jobs: int) -> Generator[Result, None, None]:
    """The results of the work on each file, in order; 0 jobs: as many as pay. What it raises must be picklable.

    What is in a very long file is not held by two processes at a time.
    """
    sizes = [_size(file) for file in files]
    jobs = 1 if max(sizes, default=0) > _LARGEST else jobs

    def tell(index: int) -> None:
        was_read(files[index].name, sizes[index])

    yield from spread_items(work, files, sizes, jobs, tell)


def _size(file: Input) -> int:
    found = file.found or fingerprint_of(file.path)
    return found.size if found else 0


def spread_items(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    sizes: Sequence[int],
    jobs: int,
    tell: Callable[[int], object] = int,
) -> Generator[Result, None, None]:
    """The same for anything; `sizes` are those of the manifests, in bytes.

    Small items travel together: sending each by itself takes as long as the work. The items themselves stay here.
    `tell` gets the number of each that a worker has done.
    """
    jobs = jobs or workers_for(sizes, _SHARE)
    if jobs == 1:
        yield from map(work, items)
        return

    def together(bundle: Sequence[int]) -> list[Result]:
        with unwatched():
            return [work(items[index]) for index in bundle]

    alone = sum(total <= FIRST_BATCH for total in accumulate(sizes))
    yield from map(work, items[:alone])
    sent: deque[Sequence[int]] = deque()
    with closing(spread_over_workers(together, noted(_bundles(sizes, alone), sent), jobs)) as every:
        for results in every:
            for index, result in zip(sent.popleft(), results, strict=True):
                tell(index)
                yield result


def _bundles(sizes: Sequence[int], first: int) -> Iterator[Sequence[int]]:
    """The items from one on, by their numbers."""
    size = 0
    for index in range(first, len(sizes)):
        size += sizes[index]
        if size >= BATCH:
            yield range(first, index + 1)
            first, size = index + 1, 0
    if first < len(sizes):
        yield range(first, len(sizes))


def noted(items: Iterable[Item], sent: deque[Item]) -> Iterator[Item]:
    """The items, each put behind those that were taken before."""
    for item in items:
        sent.append(item)
        yield item
