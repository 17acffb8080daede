"""`sidecarctl help`, `completion` and `version`: about the program itself."""

from enum import StrEnum
from typing import Annotated

import typer

from sidecarctl import __version__
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.outputs import MessageFlags
from sidecarctl.cli.invoked import command_help
from sidecarctl.engine.releases.profiles import PATCH_RELEASES, PROFILES
from sidecarctl.engine.releases.release import DEFAULT, MASTER
from sidecarctl.engine.report import Report


class HelpFlags(Flags):
    """Whose help to show."""

    command: Annotated[str | None, typer.Argument(metavar="COMMAND", help="A command.", show_default=False)] = None
    every: Annotated[bool, typer.Option("--all", help="Show every option, as --help-all does.")] = False


@typer_command
def help_of(asked: HelpFlags, reporting: MessageFlags) -> None:
    """Show the help of a command, the same as COMMAND --help or --help-all; without COMMAND list the commands.

    Example:  sidecarctl help plan
    """
    conclude(lambda: Report("message", f"{command_help(asked.command, every=asked.every)}\n"), reporting, "message")


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


class CompletionFlags(Flags):
    """For which shell."""

    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish")]


@typer_command
def completion(asked: CompletionFlags, reporting: MessageFlags) -> None:
    """Print the script that completes sidecarctl command lines in a shell.

    It completes commands, options, forms, files, and after --only the SidecarSets of the files that are named.

    \b
    Examples:
      sidecarctl completion fish | source        in ~/.config/fish/config.fish
      source <(sidecarctl completion zsh)        in ~/.zshrc
      eval "$(sidecarctl completion bash)"       in ~/.bashrc
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[str]:
        from sidecarctl.features.reference.completing import script_of

        return Report("message", script_of(asked.shell))

    conclude(run, reporting, "message")


class VersionFlags(Flags):
    """Output format."""

    kruise: Annotated[
        bool,
        typer.Option("--kruise", help="List the releases of Kruise that --kruise takes.", allow_from_autoenv=False),
    ] = False


@typer_command
def version(asked: VersionFlags, reporting: MessageFlags) -> None:
    """Print the version, and the Kruise behavior that is computed.

    Example:  sidecarctl version --kruise
    """
    text = f"sidecarctl {__version__}\nbehavior: {DEFAULT.behavior}\n"
    conclude(lambda: Report("message", _profiles() if asked.kruise else text), reporting, "message")


def _profiles() -> str:
    """A line for each profile: its name, and the releases that behave this way."""
    releases = {name: ", ".join(PATCH_RELEASES.get(name, (name,))) for name in PROFILES}
    releases[MASTER.name] = MASTER.behavior
    releases[DEFAULT.name] += " (the default)"
    return "".join(f"{name:<8}{text}\n" for name, text in releases.items())
