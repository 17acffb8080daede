"""The diff of all files, written as their parts come."""

import os
import sys

import typer

from sidecarctl.cli.batches import BatchResult
from sidecarctl.files.inputs import Input
from sidecarctl.files.outputs import Output
from sidecarctl.reports.lines import shown
from sidecarctl.reports.unified_diff import file_header, hunks

_COLOURS = {"-": typer.colors.RED, "+": typer.colors.GREEN, "@": typer.colors.CYAN}


class Diffs:
    """Writes the hunks of changed parts; the lines of a file's new text are counted on."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._header = ""
        self._shift = 0
        self._for_people = _stdout_is_a_terminal()

    def begin(self, source: Input) -> None:
        """The parts that follow are of this file."""
        self._header = file_header(source.name)
        self._shift = 0

    def add(self, result: BatchResult) -> None:
        """Write what changed in a batch."""
        for changed in result.changed:
            text = self._header + hunks(changed.before, changed.after, changed.line, self._shift)
            self._header = ""
            self._shift += changed.after.count("\n") - changed.before.count("\n")
            self._output.write(self._shown(text).encode(), 0, changed=True)

    def _shown(self, text: str) -> str:
        if not self._for_people:
            return text
        lines = [shown(line) for line in text.split("\n")]
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return "\n".join(lines)
        return "\n".join(typer.style(line, fg=_COLOURS.get(line[:1])) if line else line for line in lines)


def _stdout_is_a_terminal() -> bool:
    return sys.stdout.isatty()
