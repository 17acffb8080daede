"""How much a report says."""

from enum import IntEnum


class Verbosity(IntEnum):
    """From errors alone to each decision."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2
