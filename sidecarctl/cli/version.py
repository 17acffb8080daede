"""`sidecarctl version`."""

import typer

from sidecarctl import BEHAVIOUR, __version__
from sidecarctl.cli.concluding import conclude


def command() -> None:
    """Print the version, and which behaviour of Kruise is computed.

    Example:  sidecarctl version
    """
    conclude(_run)


def _run() -> int:
    typer.echo(f"sidecarctl {__version__}\nbehaviour: {BEHAVIOUR}")
    return 0
