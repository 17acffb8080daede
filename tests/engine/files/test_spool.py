"""Very many results: in memory, then in a file, and read as often as wanted."""

import gc
import weakref

import pytest

from sidecarctl.engine.files.memory import Spool


@pytest.mark.parametrize("most", [0, 3, 100])
def test_what_was_added_comes_again_in_order(most: int) -> None:
    spool: Spool[str] = Spool(most)
    assert (len(spool), list(spool)) == (0, [])
    for number in range(10):
        spool.add([f"{number}a", f"{number}b"])
    expected = [f"{number}{letter}" for number in range(10) for letter in "ab"]
    assert len(spool) == len(expected)
    assert list(spool) == list(spool) == expected
    spool.add(["last"])
    assert list(spool)[-1] == "last"


def test_no_more_than_that_are_in_memory() -> None:
    class Big:
        """Pickled by its class, so that each one that is read is new."""

        def __reduce__(self) -> tuple[type, tuple[()]]:
            return object, ()

    spool: Spool[object] = Spool(2)
    alive: weakref.WeakSet[Big] = weakref.WeakSet()
    for _ in range(7):
        item = Big()
        alive.add(item)
        spool.add([item])
        del item
    gc.collect()
    assert len(alive) <= 2
    assert len(list(spool)) == 7
