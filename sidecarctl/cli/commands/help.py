"""`sidecarctl help`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.reporting import MessageFlags
from sidecarctl.cli.invoked import command_help
from sidecarctl.operations.report import Report

CommandName = Annotated[str | None, typer.Argument(metavar="COMMAND", help="A command.", show_default=False)]


class HelpFlags(Flags):
    """Whose help to show."""

    command: CommandName = None


@typer_command
def command(asked: HelpFlags, reporting: MessageFlags) -> None:
    """Show the help of a command, the same as COMMAND --help; without COMMAND list the commands.

    Example:  sidecarctl help plan
    """
    conclude(lambda: Report("message", f"{command_help(asked.command)}\n"), reporting, "message")
