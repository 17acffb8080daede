"""Work spread over processes, with results in the order of the input and only a few batches held at once."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_AHEAD = 2  # batches that wait for each worker: enough to keep it busy, few enough to keep memory flat
_work: Callable[[Any], Any]


def spread(work: Callable[[Batch], Result], batches: Iterable[Batch], jobs: int) -> Generator[Result, None, None]:
    """The results of the work on each batch, in order; in this process alone for one job.

    Worker processes are forked, so `work` may hold anything; only batches and results travel between processes.
    ImpossibleError if one of them is killed: the system does so when memory runs out.
    """
    if jobs <= 1:
        yield from map(work, batches)
        return
    global _work  # noqa: PLW0603 - what is forked is reached by name: closures cannot be sent to a process
    _work = work
    yield from _forked(batches, jobs)


def _forked(batches: Iterable[Batch], jobs: int) -> Iterator[Any]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    from sidecarctl.files.signals import signals_held_back

    with _lifeline() as lifeline:
        pool = ProcessPoolExecutor(jobs, get_context("fork"), _begin, lifeline)
        waiting: deque[Any] = deque()
        try:
            for batch in batches:
                with signals_held_back():  # the first one makes the workers
                    waiting.append(pool.submit(_do, batch))
                if len(waiting) > jobs * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
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


def _do(batch: Any) -> Any:
    return _work(batch)


def _begin(ours: int, parents: int) -> None:
    """Make a process a worker, which ends with its parent, even where the parent is killed."""
    from threading import Thread

    from sidecarctl.files.signals import leave_signals_to_the_parent

    leave_signals_to_the_parent()
    os.close(parents)
    Thread(target=_end_with_the_parent, args=(ours,), daemon=True).start()


def _end_with_the_parent(lifeline: int) -> None:
    """Wait for the end of a pipe whose other end only the parent holds."""
    if not os.read(lifeline, 1):
        os._exit(1)
