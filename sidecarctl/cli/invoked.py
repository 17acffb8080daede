"""The invoked command: its name, and which of its options the environment set."""

import re
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import typer
from typer.core import TyperCommand

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding

ENVIRONMENT_NOTE = (
    "Every option except overrides such as --force can also be set by the environment: SIDECARCTL_ and its name in "
    "capitals, such as SIDECARCTL_NAMESPACE=shop."
)
_PREFIX = "SIDECARCTL"
_FIRST = ("Arguments", "Inputs")
_LAST = ("Release of Kruise", "Cluster", "Output", "Help")
_CONTEXT: ContextVar[typer.Context | None] = ContextVar("context", default=None)


class InvokedCommand(TyperCommand):
    """A command whose errors name the variable that a wrong value came from."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            setattr(parameter, "show_envvar", False)  # noqa: B010 - one sentence says it of all options

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options in groups, each under its title."""
        titles: dict[str, str] = getattr(self.callback, "titles", {})
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                is_argument = parameter.param_type_name == "argument"
                title = "Arguments" if is_argument else titles.get(parameter.name or "", "Help")
                groups.setdefault(title, []).append(record)
        for title, records in sorted(groups.items(), key=lambda group: _place_in_help(group[0])):
            with formatter.section(title):
                formatter.write_dl(records)

    def make_parser(self, ctx: Any) -> Any:
        """The parser, which takes `-n shop` and `-n=shop` as it takes long options.

        Otherwise it looks for long options that resemble each short one first, which takes longer than all the rest.
        """
        parser = super().make_parser(ctx)
        parser._long_opt.update(parser._short_opt)  # noqa: SLF001 - there is no other way
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the options; BadParameter for a wrong one."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as fault:
            if fault.param and _is_from_environment(ctx, fault.param):
                fault.message = f"{fault.message.rstrip('.')} (from {_variable_of(fault.param)})"
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        _CONTEXT.set(ctx)
        return super().invoke(ctx)


def _place_in_help(title: str) -> int:
    """Arguments and inputs come first, what every command has comes last; the others in the order of the command."""
    return _FIRST.index(title) - len(_FIRST) if title in _FIRST else _LAST.index(title) + 1 if title in _LAST else 0


def command_help(name: str | None) -> str:
    """The help of a command, as the user would get it from the command; without a name that of all of them.

    UsageError for a command that does not exist.
    """
    context: Any = _CONTEXT.get()
    top = context.parent
    if not name:
        return str(top.get_help())
    _, command, _ = top.command.resolve_command(top, [name])
    with command.make_context(name, [], parent=top, resilient_parsing=True) as own:
        return str(own.get_help())


def command_name() -> str:
    """The name of the command; empty outside of a command."""
    context = _CONTEXT.get()
    return (context.info_name if context else None) or ""


def naming_variables(fault: SidecarctlError) -> SidecarctlError:
    """The error, naming the variable if the environment set the wrong value."""
    context = _CONTEXT.get()
    if context is None:
        return fault
    return type(fault)(*(_naming(finding, context) for finding in fault.findings))


def _naming(finding: Finding, context: typer.Context) -> Finding:
    origins = ", ".join(f"{option} is set by {variable}" for option, variable in _from_environment(finding, context))
    return finding._replace(hint="; ".join(filter(None, [finding.hint, origins]))) if origins else finding


def _from_environment(finding: Finding, context: typer.Context) -> Iterator[tuple[str, str]]:
    """Options set by the environment that a finding is about: it names them, or their file."""
    for parameter in context.command.params:
        if not _is_from_environment(context, parameter):
            continue
        value = context.params.get(parameter.name or "")
        values = value if isinstance(value, list | tuple) else [value]
        named = any(
            re.search(rf"(?<![\w-]){re.escape(spelling)}(?![\w-])", finding.message) for spelling in parameter.opts
        )
        if named or (finding.place and finding.place.file in values):
            yield parameter.opts[0], _variable_of(parameter)


def _variable_of(parameter: Any) -> str:
    return str(parameter.envvar or f"{_PREFIX}_{parameter.name.upper()}")


def _is_from_environment(context: Any, parameter: Any) -> bool:
    source = context.get_parameter_source(parameter.name or "")
    return source is not None and source.name == "ENVIRONMENT"
