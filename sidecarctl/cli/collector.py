"""The garbage collector, which is not needed: data of manifests is never cyclic."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """No garbage collection: over the objects of very many pods it takes longer than the work itself."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # what is left is kept to the end anyhow
        gc.enable()
