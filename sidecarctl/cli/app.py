"""The top of the command line: the commands, each loaded only when it is called."""

import sys
from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from sidecarctl import __version__
from sidecarctl.cli.command_table import COMMANDS, GROUPS
from sidecarctl.cli.flags.groups import CommandBody
from sidecarctl.cli.invoked import ENVIRONMENT_NOTE, InvokedCommand
from sidecarctl.engine.facts.errors import UsageError, usage_error


def _body(name: str) -> CommandBody:  # noqa: C901, PLR0912, PLR0915 - a table: two lines a command
    """The function of a command, imported only when it is called."""
    match name:
        case "plan":
            from sidecarctl.features.plan.plan_command import command
        case "diff":
            from sidecarctl.features.diff.command import command
        case "explain":
            from sidecarctl.features.explain.command import command
        case "status":
            from sidecarctl.features.status.command import command
        case "drift":
            from sidecarctl.features.drift.command import command
        case "images":
            from sidecarctl.features.counts.images_command import command
        case "cost":
            from sidecarctl.features.counts.cost_command import command
        case "merge":
            from sidecarctl.features.merge.command import command
        case "revisions":
            from sidecarctl.features.revisions.command import command
        case "hash":
            from sidecarctl.features.reference.command import hash_of as command
        case "inject":
            from sidecarctl.features.inject.inject_command import command
        case "uninject":
            from sidecarctl.features.inject.uninject_command import command
        case "convert":
            from sidecarctl.features.inject.convert_command import command
        case "render":
            from sidecarctl.features.plan.render_command import command
        case "push":
            from sidecarctl.features.push.command import command
        case "rollback":
            from sidecarctl.features.plan.rollback_command import command
        case "validate":
            from sidecarctl.features.validate.command import command
        case "test":
            from sidecarctl.features.expectations.command import command
        case "rules":
            from sidecarctl.features.reference.command import rules as command
        case "kinds":
            from sidecarctl.features.reference.command import kinds as command
        case "schema":
            from sidecarctl.features.reference.command import schema as command
        case "plugin":
            from sidecarctl.features.reference.plugin_command import command
        case "completion":
            from sidecarctl.features.reference.program_command import completion as command
        case "help":
            from sidecarctl.features.reference.program_command import help_of as command
        case "version":
            from sidecarctl.features.reference.program_command import version as command
        case _:
            raise KeyError(name)
    return command


_HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# \b keeps Click from filling the lines of a paragraph
_HELP = f"""Shows what OpenKruise SidecarSets do to Kubernetes pods, from files alone.

\b
Examples:
  sidecarctl inject -s sets/ deploy.yaml --diff   what is added to my pods?
  sidecarctl diff old-set.yaml new-set.yaml       will it restart my pods?
  sidecarctl plan new-set.yaml pods.json          in which order?

\b
pods.json is the output of
  kubectl get -A -o json \\
    pods,namespaces,controllerrevisions.apps,poddisruptionbudgets

Use COMMAND --help for details, COMMAND --help-all for every option. SidecarSets are read from -s, and from PATHS too.
{ENVIRONMENT_NOTE}
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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in their groups, and the options that they share."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))
        with formatter.section("Output of the commands"):
            formatter.write_dl(_output_records(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with a name; None if there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        return _loaded(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the user calls; UsageError, with suggestions, if it does not exist."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from sidecarctl.cli.usage_errors import unknown_command

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


def _output_records(context: Any) -> list[tuple[str, str]]:
    """The options of documents and reports, with their help: of a command that has almost no others."""
    every, titles = _loaded("rules").params, getattr(_loaded("rules").callback, "titles", {})
    return [each.get_help_record(context) for each in every if titles.get(each.name) == "Output"]


@cache
def _loaded(name: str) -> Any:
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    settings = {"auto_envvar_prefix": "SIDECARCTL", **_HELP_SETTINGS}
    command = alone.command(name, cls=InvokedCommand, short_help=COMMANDS[name], context_settings=settings)
    command(_body(name))
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


def _refuse_unknown_config(command: str) -> None:
    if command in COMMANDS and all(param.name != "config" for param in _loaded(command).params):
        hint = "it is for inject and uninject; .sidecarctl.yaml is found by itself"
        raise usage_error(f"{command} has no option --config", hint=hint)


@app.callback(help=_HELP)
def top(
    context: typer.Context,
    config: str | None = typer.Option(None, "--config", metavar="FILE", hidden=True),
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Take the options before the command."""
    del version
    if config:
        _refuse_unknown_config(context.invoked_subcommand or "")
        context.default_map = {name: {"config": config} for name in COMMANDS}
