"""The top of the command line: one module per command, loaded only when it is called."""

import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from sidecarctl import __version__
from sidecarctl.cli.invoked import ENVIRONMENT_NOTE, InvokedCommand
from sidecarctl.facts.errors import UsageError

# Name: the module with its `command` function, and its line in the list of commands.
COMMANDS = {
    "inject": ("sidecarctl.cli.commands.inject", "Inject sidecars into pods and workloads, as Kruise would."),
    "uninject": ("sidecarctl.cli.commands.uninject", "Remove what injection added to pods and workloads."),
    "plan": ("sidecarctl.cli.commands.plan", "Show a rollout, wave by wave, before it happens."),
    "render": ("sidecarctl.cli.commands.render", "Print the patches of a plan."),
    "push": ("sidecarctl.cli.commands.push", "Apply a plan to a live cluster, wave by wave."),
    "rollback": ("sidecarctl.cli.commands.rollback", "Plan the rollback of a plan."),
    "diff": ("sidecarctl.cli.commands.diff", "Show what a SidecarSet change means for running pods."),
    "explain": ("sidecarctl.cli.commands.explain", "Explain why a pod has its sidecars, and why it is not updated."),
    "status": (
        "sidecarctl.cli.commands.status",
        "Show how far SidecarSets are rolled out, and the state of each pod.",
    ),
    "revisions": ("sidecarctl.cli.commands.revisions", "List, make, compare and restore revisions of SidecarSets."),
    "convert": ("sidecarctl.cli.commands.convert", "Convert SidecarSets to the other API version."),
    "validate": (
        "sidecarctl.cli.commands.validate",
        "Check SidecarSets for errors, conflicts and bad practice.",
    ),
    "rules": ("sidecarctl.cli.commands.rules", "List the rules of validate."),
    "schema": ("sidecarctl.cli.commands.schema", "Print JSON Schemas of SidecarSet and of sidecarctl documents."),
    "hash": ("sidecarctl.cli.commands.hash", "Print both hashes of each SidecarSet."),
    "plugin": ("sidecarctl.cli.commands.plugin", "Install plugins for kubectl and kustomize."),
    "completion": ("sidecarctl.cli.commands.completion", "Print the script that completes command lines in a shell."),
    "help": ("sidecarctl.cli.commands.help", "Show the help of a command."),
    "version": ("sidecarctl.cli.commands.version", "Print the version, and the Kruise behaviour that is computed."),
}

_HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# \b keeps Click from filling the lines of a paragraph
_HELP = """Shows what OpenKruise SidecarSets do to Kubernetes pods, from files alone.

\b
Examples:
  sidecarctl inject -s sets/ deploy.yaml --diff   what will be added to my pods?
  sidecarctl diff old-set.yaml new-set.yaml       will this change restart my pods?
  kubectl get pods -A -o json | sidecarctl plan -s new-set.yaml -
                                                  in what order will they be updated?

Use COMMAND --help for details. SidecarSets are read from -s, and from PATHS too.
"""


class _Commands(TyperGroup):
    """The commands; each is loaded only when it is called: start-up is a feature."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        names: Any = dict.fromkeys(COMMANDS)  # the names suffice for "did you mean"
        self.commands = names

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with a name; None if there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        return _loaded(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the user calls; UsageError, with what may be meant, where there is none."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from sidecarctl.cli.command_names import unknown_command

            raise unknown_command(args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command line; report what is wrong with it like any other error."""
        try:
            code = super().main(*args, **{**settings, "standalone_mode": False})
        except (TyperException, UsageError) as fault:
            from sidecarctl.cli.usage_errors import tell_usage_error

            code = tell_usage_error(fault)
        sys.exit(code or 0)


def _loaded(name: str) -> Any:
    module, summary = COMMANDS[name]
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    settings = {"auto_envvar_prefix": "SIDECARCTL", **_HELP_SETTINGS}
    command = alone.command(
        name, cls=InvokedCommand, short_help=summary, epilog=ENVIRONMENT_NOTE, context_settings=settings
    )
    command(import_module(module).command)
    return typer.main.get_command(alone)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"sidecarctl {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP_SETTINGS,
)


@app.callback(help=_HELP)
def top(
    context: typer.Context,
    config: str | None = typer.Option(None, "--config", metavar="FILE", help="Same as --config of the command."),
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Take the options before the command."""
    del version
    if config:
        context.default_map = {name: {"config": config} for name in COMMANDS}
