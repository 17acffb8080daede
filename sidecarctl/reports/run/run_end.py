"""How a run ended: the command, the exit code, the folder it was started in."""

from sidecarctl.facts.exit_codes import COMPLETED
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.reports.verbosity import Verbosity


class RunEnd(NamedTuple):
    """The end of a run, as the command line knows it.

    `strict`: warnings count as errors. `folder`: the absolute path of the folder that the command was started in;
    paths in reports for programs are relative to it.
    """

    command: str = ""
    exit_code: int = COMPLETED
    strict: bool = False
    verbosity: Verbosity = Verbosity.NORMAL
    folder: str = ""
