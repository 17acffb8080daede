"""The outputs of a reporting command, several in one run: `-o markdown=comment.md -o json=x.json -o text`."""

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Annotated, NamedTuple

import typer

from sidecarctl.cli.colours import coloured_report
from sidecarctl.facts.errors import usage_error
from sidecarctl.files.inputs import STDIN
from sidecarctl.files.outputs import Files, to_stdout, written
from sidecarctl.files.replacing import NewFile, telling_of

OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--output", "-o", metavar="FORM[=FILE]", help="A form, and where it goes, else to stdout; repeatable."
    ),
]


_FOR_PEOPLE = ("text", "wide")


class AskedOutput(NamedTuple):
    """A form of the report; `file` is None for stdout."""

    form: str
    file: Path | None = None


def asked_outputs(asked: Sequence[str] | None, forms: Sequence[str]) -> list[AskedOutput]:
    """The outputs that the options name, by default the first of the command's forms on stdout.

    UsageError for a form that there is not, and for two outputs in one place.
    """
    outputs = [_asked_output(item, forms) for item in asked or forms[:1]]
    places = [output.file for output in outputs]
    for place in places:
        if places.count(place) > 1:
            where = "stdout" if place is None else place
            raise usage_error(f"two outputs go to {where}", hint="such as -o text -o json=report.json")
    return outputs


def write_outputs(outputs: Sequence[AskedOutput], render: Callable[[AskedOutput], Iterable[str]]) -> None:
    """Write every output, files whole and stdout last; ImpossibleError where the system does not let it.

    What is rendered is a text, or its parts, which are written as they come.
    """
    with written(_Reports()) as reports:
        for output in outputs:
            text = render(output)
            parts = [text] if isinstance(text, str) else text
            if output.file is None and output.form in _FOR_PEOPLE:
                parts = [coloured_report("".join(parts), sys.stdout)]
            reports.add(output.file, parts)
        reports.commit()


def _asked_output(item: str, forms: Sequence[str]) -> AskedOutput:
    form, says_where, file = item.partition("=")
    if form not in forms:
        raise usage_error(f"-o {item}: there is no such form", hint=f"one of {', '.join(forms)}")
    if says_where and not file:
        raise usage_error(f"-o {item}: the file has no name", hint=f"{form}=FILE, or {form} for stdout")
    return AskedOutput(form, None if file in ("", STDIN) else Path(file))


_KEPT = 1 << 20
"""Bytes of stdout that are kept in memory until everything is complete; more goes through a file."""


class _Reports(Files):
    """Reports that show together, once all are complete."""

    def __init__(self) -> None:
        super().__init__()
        self._direct: list[tuple[Path, str]] = []
        self._stdout: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed by discard, which always follows
            _KEPT, "w+", encoding="utf-8", errors="surrogatepass", newline=""
        )

    def add(self, file: Path | None, parts: Iterable[str]) -> None:
        """Keep a report, or write it beside the file whose place it takes."""
        if file is None:
            self._stdout.writelines(parts)
        elif file.exists() and not file.is_file():  # a pipe or a device has no place to be taken
            self._direct.append((file, "".join(parts)))
        else:
            new = NewFile(file)
            self._new.append(new)
            for part in parts:
                new.write(part.encode())
            new.finish()

    def commit(self) -> None:
        """Let everything show."""
        super().commit()
        for file, text in self._direct:
            with telling_of(file):
                file.write_text(text, encoding="utf-8")
        self._stdout.seek(0)
        while part := self._stdout.read(_KEPT):
            to_stdout(part)

    def discard(self) -> None:
        """Let nothing show of what is not committed."""
        super().discard()
        self._stdout.close()
