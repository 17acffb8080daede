"""Texts that are written together when all are complete: the documents of a report, files of a folder."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from sidecarctl.cli.flags.outputs import AskedOutput, ReportFlags
from sidecarctl.cli.flags.repository import used_file
from sidecarctl.cli.formats import document, pages
from sidecarctl.cli.invoked import made_by
from sidecarctl.cli.terminal import colored_report, page_of_stdout, without_commands
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.files.outputs import Files, to_stdout, utf8, written
from sidecarctl.engine.files.replacing import NewFile, NewFolders, file_written, telling_of
from sidecarctl.engine.report import Report
from sidecarctl.render.output import Links, Page

_KEPT = 1 << 20
"""Characters of stdout that are kept in memory until everything is complete; more goes through a file."""


class OutputFiles(Files):
    """Texts that are written together when all are complete."""

    def __init__(self) -> None:
        super().__init__()
        self._made = NewFolders()
        self._direct: list[tuple[Path, str]] = []
        self._stdout: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by discard, which always follows
            _KEPT, "w+", encoding="utf-8", errors="surrogatepass", newline=""
        )

    def add(self, file: Path | None, parts: Iterable[str]) -> None:
        """Keep a text for stdout, or write it to a temporary file next to the one that it replaces."""
        if file is None:
            self._stdout.writelines(parts)
        elif file.exists() and not file.is_file():  # a pipe or a device cannot be replaced
            self._direct.append((file, "".join(parts)))
        else:
            new = NewFile(file)
            self._new.append(new)
            for part in parts:
                new.write(utf8(part))
            new.finish()

    def add_to_folder(self, path: Path, parts: Iterable[str]) -> None:
        """Write a temporary file next to its target, in a folder that is made if it is missing."""
        self._made.make(path.parent)
        self._tidy(path.parent)
        if path.is_dir():
            raise OSError(0, "a folder with this name exists", str(path))
        self.add(path, parts)

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
        """Discard everything that is not committed, and the folders created only for it."""
        super().discard()
        self._stdout.close()
        self._made.discard()


def write_folder(folder: str, texts: Iterable[tuple[str, str]]) -> Sequence[Finding]:
    """Write texts to their paths below a folder, all or none; findings about what was there."""
    with written(OutputFiles()) as output:
        for name, text in texts:
            output.add_to_folder(Path(folder, name), [text])
        output.commit()
        return output.findings


_FOR_PEOPLE = ("text", "wide")


def write_documents(
    report: Report[Any],
    documents: Sequence[AskedOutput],
    links: Links,
    flags: ReportFlags,
    instead: Callable[[Iterable[str]], None] | None = None,
) -> None:
    """Write the documents of a report, all or none; `instead` takes what would go to stdout."""
    with written(OutputFiles()) as files:
        for output in documents:
            page = Page() if output.file else page_of_stdout()
            page = page._replace(
                all_pods=getattr(flags, "all_pods", False),
                json_file=_json_beside(output, documents),
                made_by=made_by(used_file()),
                links=links,
                config=used_file(),
                verbosity=flags.verbosity,
                strict=flags.strict,
            )
            if output.file and output.is_folder:
                for name, parts in pages(report, page):
                    files.add_to_folder(output.file / name, parts)
                continue
            parts = document(report, output.form, page)
            if instead and output.file is None:
                instead(parts)
            elif output.file is None and output.form in _FOR_PEOPLE:
                files.add(None, [colored_report(without_commands("".join(parts)), sys.stdout)])
            else:
                files.add(output.file, parts)
        files.commit()


def _json_beside(output: AskedOutput, documents: Sequence[AskedOutput]) -> str:
    """The link from a document to the JSON of the same run, if both are files."""
    json_file = next((other.file for other in documents if other.form == "json" and other.file), None)
    if not (output.form == "html" and output.file and json_file):
        return ""
    from urllib.parse import quote

    return quote(os.path.relpath(json_file, output.file if output.is_folder else output.file.parent))
