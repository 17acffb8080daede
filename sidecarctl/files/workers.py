"""Work spread over processes, with results in the order of the input and only a few batches held at once."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
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
    ImpossibleError where one of them is killed: the system does so when memory runs out.
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

    pool = ProcessPoolExecutor(jobs, get_context("fork"), _leave_interrupts_to_the_parent)
    waiting: deque[Any] = deque()
    try:
        for batch in batches:
            waiting.append(pool.submit(_do, batch))
            if len(waiting) > jobs * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        hint = "use fewer with -j, to need less memory"
        raise impossible(Reason.WORKER_KILLED, "a worker process was killed", hint=hint) from None
    finally:
        # The pool's own thread has to end here. At the end of the program Python wakes it without a lock, and where
        # it closes its pipe at that moment, the program ends in a traceback ("Bad file descriptor").
        pool.shutdown(cancel_futures=True)


def _do(batch: Any) -> Any:
    return _work(batch)


def _leave_interrupts_to_the_parent() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
