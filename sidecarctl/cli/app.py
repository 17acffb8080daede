"""The top of the command line: the commands, each loaded only when it is called."""

import sys
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from sidecarctl import __version__
from sidecarctl.cli.flags.groups import CommandBody
from sidecarctl.cli.invoked import ENVIRONMENT_NOTE, InvokedCommand
from sidecarctl.facts.errors import UsageError

_CHANGE, _LOOK, _UPDATE = "Change manifests", "Look at pods and rollouts", "Update pods in a cluster"
_CHECK, _TOOLS = "Check", "Tools"


class Command(NamedTuple):
    """A command: the import of its function, its group in the help, and its line there."""

    load: Callable[[], CommandBody]
    group: str
    summary: str


def _inject() -> CommandBody:
    from sidecarctl.cli.commands.inject import command

    return command


def _uninject() -> CommandBody:
    from sidecarctl.cli.commands.uninject import command

    return command


def _convert() -> CommandBody:
    from sidecarctl.cli.commands.convert import command

    return command


def _plan() -> CommandBody:
    from sidecarctl.cli.commands.plan import command

    return command


def _diff() -> CommandBody:
    from sidecarctl.cli.commands.diff import command

    return command


def _explain() -> CommandBody:
    from sidecarctl.cli.commands.explain import command

    return command


def _status() -> CommandBody:
    from sidecarctl.cli.commands.status import command

    return command


def _drift() -> CommandBody:
    from sidecarctl.cli.commands.drift import command

    return command


def _images() -> CommandBody:
    from sidecarctl.cli.commands.images import command

    return command


def _merge() -> CommandBody:
    from sidecarctl.cli.commands.merge import command

    return command


def _cost() -> CommandBody:
    from sidecarctl.cli.commands.cost import command

    return command


def _revisions() -> CommandBody:
    from sidecarctl.cli.commands.revisions import command

    return command


def _hash() -> CommandBody:
    from sidecarctl.cli.commands.reference import hash_of

    return hash_of


def _render() -> CommandBody:
    from sidecarctl.cli.commands.render import command

    return command


def _push() -> CommandBody:
    from sidecarctl.cli.commands.push import command

    return command


def _rollback() -> CommandBody:
    from sidecarctl.cli.commands.rollback import command

    return command


def _validate() -> CommandBody:
    from sidecarctl.cli.commands.validate import command

    return command


def _test() -> CommandBody:
    from sidecarctl.cli.commands.test import command

    return command


def _rules() -> CommandBody:
    from sidecarctl.cli.commands.reference import rules

    return rules


def _kinds() -> CommandBody:
    from sidecarctl.cli.commands.reference import kinds

    return kinds


def _schema() -> CommandBody:
    from sidecarctl.cli.commands.reference import schema

    return schema


def _plugin() -> CommandBody:
    from sidecarctl.cli.commands.plugin import command

    return command


def _completion() -> CommandBody:
    from sidecarctl.cli.commands.reference import completion

    return completion


def _help() -> CommandBody:
    from sidecarctl.cli.commands.reference import help_of

    return help_of


def _version() -> CommandBody:
    from sidecarctl.cli.commands.reference import version

    return version


COMMANDS = {
    "plan": Command(_plan, _LOOK, "Show a rollout, wave by wave, before it happens."),
    "diff": Command(_diff, _LOOK, "Show what a SidecarSet change means for running pods."),
    "explain": Command(_explain, _LOOK, "Explain why a pod has its sidecars, and why it is not updated."),
    "status": Command(_status, _LOOK, "Show how far SidecarSets are rolled out, and the state of each pod."),
    "drift": Command(_drift, _LOOK, "Show which pods do not run what their SidecarSets say."),
    "images": Command(_images, _LOOK, "Show which images sidecars have, and what it takes to get the wanted ones."),
    "cost": Command(_cost, _LOOK, "Show what sidecars request, and their share of all requests."),
    "merge": Command(_merge, _LOOK, "Join the documents of several clusters."),
    "revisions": Command(_revisions, _LOOK, "List, make, compare and restore revisions of SidecarSets."),
    "hash": Command(_hash, _LOOK, "Print both hashes of each SidecarSet."),
    "inject": Command(_inject, _CHANGE, "Inject sidecars into pods and workloads, as Kruise would."),
    "uninject": Command(_uninject, _CHANGE, "Remove what injection added to pods and workloads."),
    "convert": Command(_convert, _CHANGE, "Convert SidecarSets to the other API version."),
    "render": Command(_render, _UPDATE, "Print the patches of a plan."),
    "push": Command(_push, _UPDATE, "Apply a plan to a live cluster, wave by wave."),
    "rollback": Command(_rollback, _UPDATE, "Plan how to undo a plan."),
    "validate": Command(_validate, _CHECK, "Check SidecarSets for errors, conflicts and bad practice."),
    "test": Command(_test, _CHECK, "Test expectations about sidecars."),
    "rules": Command(_rules, _CHECK, "List the rules of validate."),
    "kinds": Command(_kinds, _CHECK, "List the kinds with known pod templates."),
    "schema": Command(_schema, _CHECK, "Print JSON Schemas of SidecarSet and of sidecarctl documents."),
    "plugin": Command(_plugin, _TOOLS, "Install plugins for kubectl and kustomize."),
    "completion": Command(_completion, _TOOLS, "Print the script that completes command lines in a shell."),
    "help": Command(_help, _TOOLS, "Show the help of a command."),
    "version": Command(_version, _TOOLS, "Print the version, and the Kruise behavior that is computed."),
}
"""In the order of the help."""

_HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# \b keeps Click from filling the lines of a paragraph
_HELP = """Shows what OpenKruise SidecarSets do to Kubernetes pods, from files alone.

\b
Examples:
  sidecarctl inject -s sets/ deploy.yaml --diff   what will be added to my pods?
  sidecarctl diff old-set.yaml new-set.yaml       will this change restart my pods?
  kubectl get pods -A -o json | sidecarctl plan -s new-set.yaml -
                                                  in what order will they be updated?

Use COMMAND --help for details, COMMAND --help-all for every option. SidecarSets are read from -s, and from PATHS too.
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
        """Write the commands in their groups."""
        del ctx
        for title, rows in groupby(COMMANDS.items(), key=lambda row: row[1].group):
            with formatter.section(title):
                formatter.write_dl([(name, command.summary) for name, command in rows])

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


@cache
def _loaded(name: str) -> Any:
    named = COMMANDS[name]
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    settings = {"auto_envvar_prefix": "SIDECARCTL", **_HELP_SETTINGS}
    command = alone.command(
        name, cls=InvokedCommand, short_help=named.summary, epilog=ENVIRONMENT_NOTE, context_settings=settings
    )
    command(named.load())
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
