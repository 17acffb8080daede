"""Notices a lack of memory while there is still room to report it."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

_ROOM = 40 * 1024 * 1024
"""Bytes. The C library gives a block of more than 32 MB back to the system as soon as it is freed."""
LARGE = 100_000
"""Characters; work on a shorter text takes less memory than that."""

_Item = TypeVar("_Item")


def with_room_left(items: Iterable[_Item], between: int = 64) -> Iterator[_Item]:
    """Pass on the items; MemoryError as soon as less than 40 MB are available.

    It checks once every `between` items. With no memory left at all, the interpreter cannot even raise a MemoryError,
    and aborts.
    """
    for number, item in enumerate(items):
        if number % between == 0:
            bytes(_ROOM)  # these zeros are never written or read, so the system takes no page for them
        yield item
