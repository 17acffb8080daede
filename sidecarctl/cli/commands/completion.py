"""`sidecarctl completion`."""

from enum import StrEnum
from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.reporting import MessageFlags
from sidecarctl.operations.report import Report


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


class CompletionFlags(Flags):
    """For which shell."""

    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish")]


@typer_command
def command(asked: CompletionFlags, reporting: MessageFlags) -> None:
    """Print the script that completes sidecarctl command lines in a shell.

    It completes commands, options, forms, files, and after --only the SidecarSets of the files that are named.

    \b
    Examples:
      sidecarctl completion fish | source        in ~/.config/fish/config.fish
      source <(sidecarctl completion zsh)        in ~/.zshrc
      eval "$(sidecarctl completion bash)"       in ~/.bashrc
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[str]:
        from sidecarctl.cli.completing.scripts import script_of

        return Report("message", script_of(asked.shell))

    conclude(run, reporting, "message")
