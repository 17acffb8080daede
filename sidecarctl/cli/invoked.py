"""The command that was called: its name, and which of its options the environment set."""

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
_CONTEXT: ContextVar[typer.Context | None] = ContextVar("context", default=None)


class InvokedCommand(TyperCommand):
    """A command whose errors name the variable that a wrong value came from."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            setattr(parameter, "show_envvar", False)  # noqa: B010 - one sentence says it of all options

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


def command_name() -> str:
    """The command, as the user called it; empty outside of one."""
    context = _CONTEXT.get()
    return (context.info_name if context else None) or ""


def naming_variables(fault: SidecarctlError) -> SidecarctlError:
    """The same error, which says so where what is wrong was set by the environment."""
    context = _CONTEXT.get()
    if context is None:
        return fault
    return type(fault)(*(_naming(finding, context) for finding in fault.findings))


def _naming(finding: Finding, context: typer.Context) -> Finding:
    told = ", ".join(f"{option} is set by {variable}" for option, variable in _from_environment(finding, context))
    return finding._replace(hint="; ".join(filter(None, [finding.hint, told]))) if told else finding


def _from_environment(finding: Finding, context: typer.Context) -> Iterator[tuple[str, str]]:
    """Options that the environment set and a finding is about: it names them, or a file that they name."""
    for parameter in context.command.params:
        if not _is_from_environment(context, parameter):
            continue
        value = context.params.get(parameter.name or "")
        values = value if isinstance(value, list | tuple) else [value]
        named = any(re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", finding.message) for one in parameter.opts)
        if named or (finding.place and finding.place.file in values):
            yield parameter.opts[0], _variable_of(parameter)


def _variable_of(parameter: Any) -> str:
    return str(parameter.envvar or f"{_PREFIX}_{parameter.name.upper()}")


def _is_from_environment(context: Any, parameter: Any) -> bool:
    source = context.get_parameter_source(parameter.name or "")
    return source is not None and source.name == "ENVIRONMENT"
