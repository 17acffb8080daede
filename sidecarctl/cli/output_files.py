"""Documents and reports, written together: whole files, standard streams last, nothing before all are complete."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from sidecarctl.facts.findings import Finding
from sidecarctl.files.outputs import Files, to_stdout, utf8, written
from sidecarctl.files.replacing import NewFile, NewFolders, file_written, telling_of

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


class _FolderFiles(Files):
    """Files that are written together, once all are complete."""

    def __init__(self) -> None:
        super().__init__()
        self._made = NewFolders()

    def add(self, path: Path, text: str) -> None:
        """Write a temporary file next to its target."""
        self._made.make(path.parent)
        self._tidy(path.parent)
        file = NewFile(path)
        self._new.append(file)
        file.write(utf8(text))
        file.finish()

    def discard(self) -> None:
        """Remove files that were not committed, and the folders created only for them."""
        super().discard()
        self._made.discard()


def write_folder(folder: str, texts: Iterable[tuple[str, str]]) -> Sequence[Finding]:
    """Write texts to their paths below a folder, all or none; findings about what was there."""
    with written(_FolderFiles()) as output:
        for name, text in texts:
            output.add(Path(folder, name), text)
        output.commit()
        return output.findings
