"""`sidecarctl version`."""

from sidecarctl import BEHAVIOUR, __version__
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.operations.report import Report


def command() -> None:
    """Print the version, and the Kruise behaviour that is computed.

    Example:  sidecarctl version
    """
    text = f"sidecarctl {__version__}\nbehaviour: {BEHAVIOUR}\n"
    conclude(lambda: Report("message", text), DocumentFlags(), "message")
