"""`sidecarctl version`."""

from typing import Annotated

import typer

from sidecarctl import BEHAVIOUR, __version__
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.reporting import MessageFlags
from sidecarctl.operations.report import Report

Kruise = Annotated[
    bool, typer.Option("--kruise", help="List the releases of Kruise that --kruise takes.", allow_from_autoenv=False)
]


class VersionFlags(Flags):
    """Output format."""

    kruise: Kruise = False


@typer_command
def command(version: VersionFlags, reporting: MessageFlags) -> None:
    """Print the version, and the Kruise behaviour that is computed.

    Example:  sidecarctl version --kruise
    """
    text = f"sidecarctl {__version__}\nbehaviour: {BEHAVIOUR}\n"
    conclude(lambda: Report("message", _profiles() if version.kruise else text), reporting, "message")


def _profiles() -> str:
    """A line for each profile: its name, and the releases that behave this way."""
    from sidecarctl.releases.profiles import PATCH_RELEASES, PROFILES

    releases = {name: ", ".join(PATCH_RELEASES.get(name, (name,))) for name in PROFILES}
    releases["master"] = f"{BEHAVIOUR}, the default"
    return "".join(f"{name:<8}{text}\n" for name, text in releases.items())
