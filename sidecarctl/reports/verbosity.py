"""The verbosity of a report."""

from enum import IntEnum


class Verbosity(IntEnum):
    """From only errors to every decision."""

    QUIET = 0
    SUMMARY = 1
    NORMAL = 2
    VERBOSE = 3
