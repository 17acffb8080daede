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
"""Bytes that the process handles itself; workers are forked afterward, and inherit the modules that this loaded."""
BATCH = 256 * 1024
"""Bytes: enough to make sending it worthwhile, few enough to keep several in memory."""
_LARGEST = 16 * 1024 * 1024
_SHARE = 4
"""Reading a file costs about a quarter of transforming it: nothing is edited, and most bytes are not even parsed."""


def spread_files(work: Callable[[Input], Result], files: Sequence[Input], jobs: int) -> Generator[Result, None, None]:
    """The results of the work on each file, in order; with 0 `jobs`, as many workers as pay off.

    Results and exceptions must be picklable. If a file is very large, one process does everything, because a worker
    and the process itself would hold its contents at the same time.
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
    tell: Callable[[int], None] | None = None,
) -> Generator[Result, None, None]:
    """The same for any items; `sizes` are those of their manifests, in bytes.

    Small items are sent together, because sending each by itself takes as long as the work. Only their numbers are
    sent: the workers inherit the items. `tell` gets the number of each item that a worker has finished.
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
                if tell:
                    tell(index)
                yield result


def _bundles(sizes: Sequence[int], first: int) -> Iterator[Sequence[int]]:
    """The numbers of the items from `first` on, in bundles of at least `BATCH` bytes."""
    size = 0
    for index in range(first, len(sizes)):
        size += sizes[index]
        if size >= BATCH:
            yield range(first, index + 1)
            first, size = index + 1, 0
    if first < len(sizes):
        yield range(first, len(sizes))


def noted(items: Iterable[Item], sent: deque[Item]) -> Iterator[Item]:
    """The items; each is appended to `sent` as it is taken."""
    for item in items:
        sent.append(item)
        yield item
