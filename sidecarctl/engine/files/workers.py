"""Worker processes, the bundles of work that are worth sending to them, and the signals that end them and the run.

Work is spread over processes, with results in the order of the input and only a few batches held at once; a worker
starts no workers. After a signal temporary files go first, then the run unwinds as after any error.
"""

import gc
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import accumulate, chain, islice
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

from sidecarctl.engine.facts.errors import impossible
from sidecarctl.engine.facts.memory import with_room_left
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input, fingerprint_of, unwatched, was_read
from sidecarctl.engine.files.process import SIGNALLED, last_signal
from sidecarctl.engine.files.replacing import remove_pending

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BURST = 1.0
"""Seconds in which further signals are one with the first: what it raised is on its way, and must not be cut off."""


@contextmanager
def unwound_on_signals() -> Iterator[None]:
    """Let signals that end the process raise instead: KeyboardInterrupt, or SystemExit with 128 and the signal.

    A signal that the caller of the program ignores (`nohup`) stays ignored. One that comes soon after another raises
    only where the exception of that one was lost. Only for the main thread.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    last_signal.clear()
    try:
        for number in taken:
            signal.signal(number, _end)
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def end_if_signaled() -> None:
    """Raise for a signal that came, in case that its exception was lost; the temporary files are gone already."""
    for number, _ in last_signal:
        _raise(number)


def _end(number: int, _frame: FrameType | None) -> None:
    remove_pending()  # here, because an exception may come at a moment when nothing would catch it
    now = time.monotonic()
    if any(now - before < _BURST for _, before in last_signal):
        return
    last_signal[:] = [(number, now)]
    _raise(number)


def _raise(number: int) -> NoReturn:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(SIGNALLED + number)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """No signal ends the process in here, where an exception would be lost (such as within a fork), but after it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_signals_to_the_parent() -> None:
    """In a worker process: interrupts are left to the parent, and other signals end the worker at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)  # they were blocked while the worker was created


_MANY_FILES, _MANY_BYTES = 200, 2_000_000
"""The amount of work that is worth the 50 ms to start a pool of workers; as much again justifies two more."""

_CGROUP = Path("/sys/fs/cgroup")


def workers_for(sizes: Sequence[int], share: int = 1) -> int:
    """How many processes should read files of these sizes, in bytes; 1 for a few small ones.

    `share`: 4 if the work takes a quarter of the time of transforming such files.
    """
    worth = 2 * max(len(sizes) // share // _MANY_FILES, sum(sizes) // share // _MANY_BYTES)
    return min(worth, usable_cores()) or 1


def usable_cores() -> int:
    """The cores that the process may use: by its affinity, and by the CPU quota of its container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = (_CGROUP / "cpu.max").read_text(encoding="utf-8").split()  # a quota of `max` is none
        cores = min(cores, max(int(quota) // int(period), 1))
    return cores


Batch = TypeVar("Batch")
Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2  # batches that wait for each worker: enough to keep it busy, few enough to keep memory flat
_work: Callable[[Any], Any]
_is_worker = False


def spread_over_workers(
    work: Callable[[Batch], Result], batches: Iterable[Batch], jobs: int
) -> Generator[Result, None, None]:
    """The results of the work on each batch, in order; in this process alone for one job, or a single batch.

    Worker processes are forked, so `work` may hold anything; only batches and results travel between processes.
    ImpossibleError if one of them is killed: the system does so when memory runs out.
    """
    rest = iter(batches)
    first = list(islice(rest, 2)) if jobs > 1 and not _is_worker else []
    if len(first) < 2:
        yield from map(work, chain(first, rest))
        return
    global _work  # noqa: PLW0603 - what is forked is reached by name: closures cannot be sent to a process
    _work = work
    yield from _forked(chain(first, rest), jobs)


def _forked(batches: Iterable[Batch], jobs: int) -> Iterator[Any]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    with _lifeline() as lifeline:
        pool = ProcessPoolExecutor(jobs, get_context("fork"), _begin, lifeline)
        waiting: deque[Any] = deque()
        try:
            for batch in with_room_left(batches, between=1):  # the pool's own threads cannot do without
                with signals_held_back():  # the first one makes the workers
                    waiting.append(pool.submit(_do, batch))
                if len(waiting) > jobs * _AHEAD:
                    yield _result(waiting.popleft().result())
            while waiting:
                yield _result(waiting.popleft().result())
        except BrokenProcessPool:
            hint = "use fewer with -j, to need less memory"
            raise impossible(Reason.WORKER_KILLED, "a worker process was killed", hint=hint) from None
        finally:
            # The pool's own thread has to end here. At the end of the program Python wakes it without a lock, and
            # where it closes its pipe at that moment, the program ends in a traceback ("Bad file descriptor").
            pool.shutdown(cancel_futures=True)


@contextmanager
def _lifeline() -> Iterator[tuple[int, int]]:
    """A pipe into which nothing is written: its reader learns when all who hold the other end are gone."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


_OUT_OF_MEMORY = "out of memory"  # a worker's answer: to send a MemoryError with its traceback takes more memory


def _do(batch: Any) -> Any:
    try:
        return _work(batch)
    except MemoryError:
        pass  # the memory of the work is freed with the exception
    return _OUT_OF_MEMORY


def _result(answer: Any) -> Any:
    if answer == _OUT_OF_MEMORY:
        raise MemoryError
    return answer


def _begin(ours: int, parents: int) -> None:
    """Make a process a worker, which ends with its parent, even where the parent is killed."""
    from threading import Thread

    global _is_worker  # noqa: PLW0603 - it is a property of the process
    _is_worker = True
    gc.freeze()  # or the collector would touch, and so copy, all memory shared with the parent
    leave_signals_to_the_parent()
    os.close(parents)
    Thread(target=_end_with_the_parent, args=(ours,), daemon=True).start()


def _end_with_the_parent(lifeline: int) -> None:
    """Wait for the end of a pipe whose other end only the parent holds."""
    if not os.read(lifeline, 1):
        os._exit(1)


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
    """The results of any items, computed by workers; `sizes` are those of their manifests, in bytes.

    Small items are sent together, because sending each by itself takes as long as the work. Only their numbers are
    sent: the workers inherit the items. `tell` is called with the number of each finished item.
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
