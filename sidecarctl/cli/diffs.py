"""The diff of all files, written as their parts come."""

import sys

from sidecarctl.cli.batches import BatchResult
from sidecarctl.cli.colours import coloured_diff
from sidecarctl.files.inputs import Input
from sidecarctl.files.outputs import Output
from sidecarctl.reports.lines import shown
from sidecarctl.reports.unified_diff import file_header, hunks


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
        lines = ["        ".join(map(shown, line.split("\t"))) for line in text.split("\n")]
        return coloured_diff("\n".join(lines), sys.stdout)


def _stdout_is_a_terminal() -> bool:
    return sys.stdout.isatty()
