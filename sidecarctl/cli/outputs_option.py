"""The outputs of a reporting command, several in one run: `-o markdown=comment.md -o json=x.json -o text`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from sidecarctl.cli.colours import coloured_report
from sidecarctl.facts.errors import usage_error
from sidecarctl.files.inputs import STDIN
from sidecarctl.files.outputs import Files, to_stdout, written
from sidecarctl.files.replacing import NewFile

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


def write_outputs(outputs: Sequence[AskedOutput], render: Callable[[AskedOutput], str]) -> None:
    """Write every output, files whole and stdout last; ImpossibleError where the system does not let it."""
    with written(_Reports()) as reports:
        for output in outputs:
            text = render(output)
            if output.file is None and output.form in _FOR_PEOPLE:
                text = coloured_report(text, sys.stdout)
            reports.add(output.file, text)
        reports.commit()


def _asked_output(item: str, forms: Sequence[str]) -> AskedOutput:
    form, says_where, file = item.partition("=")
    if form not in forms:
        raise usage_error(f"-o {item}: there is no such form", hint=f"one of {', '.join(forms)}")
    if says_where and not file:
        raise usage_error(f"-o {item}: the file has no name", hint=f"{form}=FILE, or {form} for stdout")
    return AskedOutput(form, None if file in ("", STDIN) else Path(file))


class _Reports(Files):
    """Reports that show together, once all are complete."""

    def __init__(self) -> None:
        super().__init__()
        self._direct: list[tuple[Path, str]] = []
        self._stdout = ""

    def add(self, file: Path | None, text: str) -> None:
        """Keep a report, or write it beside the file whose place it takes."""
        if file is None:
            self._stdout = text
        elif file.exists() and not file.is_file():  # a pipe or a device has no place to be taken
            self._direct.append((file, text))
        else:
            new = NewFile(file)
            self._new.append(new)
            new.write(text.encode())
            new.finish()

    def commit(self) -> None:
        """Let everything show."""
        super().commit()
        for file, text in self._direct:
            file.write_text(text, encoding="utf-8")
        to_stdout(self._stdout)
