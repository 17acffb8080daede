"""How a run ended, as far as its report does not know it: the command, the exit code, where it was started."""

from typing import NamedTuple

from sidecarctl.facts.exit_codes import COMPLETED
from sidecarctl.reports.verbosity import Verbosity


class RunEnd(NamedTuple):
    """What the outermost layer knows of a run.

    `strict`: warnings count as errors. `folder`: the absolute path of the folder that the command was started in;
    machines get paths from there.
    """

    command: str = ""
    exit_code: int = COMPLETED
    strict: bool = False
    verbosity: Verbosity = Verbosity.NORMAL
    folder: str = ""
