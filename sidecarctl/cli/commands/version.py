"""`sidecarctl version`."""

from sidecarctl import BEHAVIOUR, __version__
from sidecarctl.cli.exiting import conclude
from sidecarctl.files.outputs import to_stdout


def command() -> None:
    """Print the version, and which behaviour of Kruise is computed.

    Example:  sidecarctl version
    """
    conclude(_run)


def _run() -> int:
    to_stdout(f"sidecarctl {__version__}\nbehaviour: {BEHAVIOUR}\n")
    return 0
