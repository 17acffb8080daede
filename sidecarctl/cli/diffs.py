"""The diff of all files, written as their parts come."""

import sys

from sidecarctl.cli.batches import BatchResult
from sidecarctl.cli.colours import coloured_diff
from sidecarctl.files.inputs import Input
from sidecarctl.files.outputs import Output
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.unified_diff import UnifiedDiff, file_header


class Diffs:
    """Writes the hunks of each file that changes."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._header = ""
        self._diff = UnifiedDiff()
        self._for_people = _stdout_is_a_terminal()

    def begin(self, source: Input) -> None:
        """The parts that follow are of this file."""
        self._header = file_header(source.name)
        self._diff = UnifiedDiff()

    def add(self, result: BatchResult) -> None:
        """Write what changed in a batch."""
        for part in result.texts:
            self._write(self._diff.add(part.before, part.after))

    def end(self) -> None:
        """The file is complete."""
        self._write(self._diff.end())

    def _write(self, text: str) -> None:
        if text:
            self._output.write(self._shown(self._header + text).encode(), 0, changed=True)
            self._header = ""

    def _shown(self, text: str) -> str:
        if not self._for_people:
            return text
        lines = ["        ".join(map(shown, line.split("\t"))) for line in text.split("\n")]
        return coloured_diff("\n".join(lines), sys.stdout)


def _stdout_is_a_terminal() -> bool:
    return sys.stdout.isatty()
