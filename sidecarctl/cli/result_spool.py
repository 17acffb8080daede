"""The results of very many objects: some in memory, more in a temporary file, which can be read repeatedly."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO

from sidecarctl.operations.transforming.object_changes import ObjectResult

_IN_MEMORY = 5000
"""The number of objects whose results are kept in memory."""


class ResultSpool:
    """Results in the order in which they were added."""

    def __init__(self) -> None:
        self._kept: list[ObjectResult] = []
        self._file: IO[bytes] | None = None

    def add(self, results: Sequence[ObjectResult]) -> None:
        """Add the results of a batch."""
        self._kept += results
        if len(self._kept) > _IN_MEMORY:
            if self._file is None:
                from tempfile import TemporaryFile  # it loads much, which few inputs need

                self._file = TemporaryFile()  # noqa: SIM115 - it lives as long as the spool, and is gone with it
            import pickle

            pickle.dump(self._kept, self._file)
            self._kept = []

    def __iter__(self) -> Iterator[ObjectResult]:
        if self._file is not None:
            import pickle

            self._file.seek(0)
            with suppress(EOFError):
                while True:
                    yield from pickle.load(self._file)  # noqa: S301 - this process wrote it a moment ago
        yield from self._kept
