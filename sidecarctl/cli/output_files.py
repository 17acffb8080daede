"""Documents and reports, written together: whole files, standard streams last, nothing before all are complete."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from sidecarctl.files.effects import file_written
from sidecarctl.files.new_files import Files
from sidecarctl.files.outputs import to_stdout, utf8
from sidecarctl.files.replacing import NewFile, telling_of

_KEPT = 1 << 20
"""Characters of stdout that are kept in memory until everything is complete; more goes through a file."""


class OutputFiles(Files):
    """Texts that are written together, once all are complete."""

    def __init__(self) -> None:
        super().__init__()
        self._direct: list[tuple[Path, str]] = []
        self._stdout: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed by discard, which always follows
            _KEPT, "w+", encoding="utf-8", errors="surrogatepass", newline=""
        )

    def add(self, file: Path | None, parts: Iterable[str]) -> None:
        """Keep a text for stdout, or write it to a temporary file next to the one that it replaces."""
        if file is None:
            self._stdout.writelines(parts)
        elif file.exists() and not file.is_file():  # a pipe or a device has no place to be taken
            self._direct.append((file, "".join(parts)))
        else:
            new = NewFile(file)
            self._new.append(new)
            for part in parts:
                new.write(utf8(part))
            new.finish()

    def commit(self) -> None:
        """Publish everything."""
        super().commit()
        for file, text in self._direct:
            with telling_of(file):
                file.write_bytes(utf8(text))
                file_written(str(file))
        self._stdout.seek(0)
        while part := self._stdout.read(_KEPT):
            to_stdout(part)

    def discard(self) -> None:
        """Discard everything that is not committed."""
        super().discard()
        self._stdout.close()


def to_stderr(parts: Iterable[str]) -> None:
    """Write parts of a text to stderr as they come."""
    for part in parts:
        sys.stderr.write(part)
