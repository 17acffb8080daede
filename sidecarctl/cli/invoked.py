"""The invoked command: its name, which of its options the environment set, and which of them --help shows.

A command with few options shows them all, but those of reports, which the help of the program lists.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from sidecarctl import __version__
from sidecarctl.engine.api.text_forms import epoch_time
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding

MOST = 14
"""A command with no more options than this shows its own in its short help."""

_EVERYWHERE = frozenset(("sidecarsets", "kruise", "live", "output"))
_OF_REPORTS = frozenset(("report", "strict", "verbose", "quiet", "summary", "color", "all_pods"))
_WRITING = frozenset(("in_place", "output_folder", "diff", "check"))
_FIRST = {
    "inject": _WRITING | {"only", "as_pods", "config", "template_paths"},
    "uninject": _WRITING | {"only", "force", "config"},
    "convert": _WRITING | {"to"},
    "plan": {"only", "from_old", "partition", "max_unavailable", "set_image", "sweep"},
    "diff": {"only", "delete", "set_image", "before", "after", "kruise_from", "kruise_to", "exit_code"},
    "explain": {"only", "pod", "field", "labels", "sidecarset", "every", "reasons"},
    "status": {"only", "exit_code", "fail_on", "all_pods", "image", "watch"},
    "images": {"only", "image", "from_old"},
    "cost": {"only", "from_old", "all_pods"},
    "revisions": {"only", "revision", "old", "new", "in_place", "every"},
    "hash": {"recursive", "exclude", "filename"},
    "render": {"waves", "only", "output_folder", "simulated"},
    "push": {"dry_run", "waves", "pause_after", "confirm", "max_parallel", "max_failures", "timeout", "journal",
             "resume", "context"},
    "test": {"name", "lists", "fail_fast", "recursive"},
    "rollback": {"journal", "to", "only", "max_unavailable"},
    "validate": {"old", "ignore", "rule", "baseline", "kubernetes", "strict"},
}  # a table, a command a line  # fmt: skip


def is_shown(command: str, option: str, number: int) -> bool:
    """Whether the short help of a command with this many options shows one, by the name of its parameter."""
    is_first = option in _EVERYWHERE or option in _FIRST.get(command, ()) or option == "help"
    return is_first or (number <= MOST and option not in _OF_REPORTS)


ENVIRONMENT_NOTE = (
    "Every option except overrides such as --force can also be set by the environment: SIDECARCTL_ and its name in "
    "capitals, such as SIDECARCTL_NAMESPACE=shop."
)
HELP_ALL = "--help-all"
"""Shows every option, as --help shows those that are needed first."""
_EVERY = "sidecarctl.every_option"
_PREFIX = "SIDECARCTL"
_QUESTIONS = {
    "Inputs": "What is read",
    "Cluster": "What is read",
    "Simulation": "What if",
    "Release of Kruise": "What is computed",
}
"""The groups that the short help joins, as each has few options there."""
_TITLES_FIRST = ("Arguments", "Inputs", "What is read")
_TITLES_LAST = ("Release of Kruise", "Cluster", "Output", "Help")
_CONTEXT: ContextVar[typer.Context | None] = ContextVar("context", default=None)
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())


class InvokedCommand(TyperCommand):
    """A command whose errors name the variable that a wrong value came from."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            setattr(parameter, "show_envvar", False)  # noqa: B010 - one sentence says it of all options

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS]`, and the arguments as they are named here; from 0.29 on Typer adds dots."""
        arguments = [item for item in self.get_params(ctx) if item.param_type_name == "argument"]
        names = [(str(item.metavar), item.required or str(item.metavar).startswith("[")) for item in arguments]
        return ["[OPTIONS]", *(name if is_whole else f"[{name}]" for name, is_whole in names)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options in groups: those that are needed first, or all."""
        titles: dict[str, str] = getattr(self.callback, "titles", {})
        groups: dict[str, list[tuple[str, str]]] = {}
        parameters, shows_all = self.get_params(ctx), ctx.meta.get(_EVERY)
        number, hidden = sum(item.param_type_name == "option" for item in parameters), 0
        for parameter in parameters:
            is_argument = parameter.param_type_name == "argument"
            if not (is_argument or shows_all or is_shown(ctx.info_name or "", parameter.name or "", number)):
                hidden += 1
            elif record := help_record(parameter, ctx):
                title = "Arguments" if is_argument else titles.get(parameter.name or "", "Help")
                groups.setdefault(title if shows_all else _QUESTIONS.get(title, title), []).append(record)
        rest = f"Show the other {hidden} options, too." if hidden else "Show every option."
        groups.setdefault("Help", []).append((HELP_ALL, rest))
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
        _WORDS.set(tuple(args))
        if HELP_ALL in args[: args.index("--") if "--" in args else None]:
            ctx.meta[_EVERY] = True
            typer.echo(self.get_help(ctx))
            ctx.exit()
        try:
            return super().parse_args(ctx, args)
        except TyperException as fault:
            told: Any = fault
            if getattr(told, "ctx", ctx) is None:
                told.ctx = ctx  # the parser does not know it; the error names its help
            if isinstance(fault, typer.BadParameter) and fault.param and _is_from_environment(ctx, fault.param):
                fault.message = f"{fault.message.rstrip('.')} (from {_variable_of(fault.param)})"
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        _CONTEXT.set(ctx)
        return super().invoke(ctx)


def help_record(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    """An option or argument, and its help; from 0.29 on Typer adds types to arguments. None for a hidden one."""
    record: tuple[str, str] | None = parameter.get_help_record(ctx)
    return (parameter.metavar, record[1]) if record and parameter.param_type_name == "argument" else record


def choices_of(parameter: Any) -> tuple[str, ...]:
    """The words that an option or argument takes; empty for any. From 0.29 on Typer describes types otherwise."""
    kind = getattr(parameter, "type", None) or parameter.type_descriptor
    return tuple(map(str, getattr(kind, "choices", None) or ()))


def _place_in_help(title: str) -> int:
    """Arguments and inputs come first, what every command has comes last; the others in the order of the command."""
    if title in _TITLES_FIRST:
        return _TITLES_FIRST.index(title) - len(_TITLES_FIRST)
    return _TITLES_LAST.index(title) + 1 if title in _TITLES_LAST else 0


def command_help(name: str | None, *, every: bool = False) -> str:
    """The help of a command, as the user would get it from the command; without a name that of the program.

    `every`: with every option. UsageError for a command that does not exist.
    """
    context: Any = _CONTEXT.get()
    top = context.parent
    if not name:
        return str(top.get_help())
    _, command, _ = top.command.resolve_command(top, [name])
    with command.make_context(name, [], parent=top, resilient_parsing=True) as own:
        own.meta[_EVERY] = every
        return str(own.get_help())


def command_name() -> str:
    """The name of the command; empty outside of a command."""
    context = _CONTEXT.get()
    return (context.info_name if context else None) or ""


def asked_for(option: str) -> Any:
    """The value of an option, by the name of its parameter; None if the command has no such option."""
    context = _CONTEXT.get()
    return context.params.get(option) if context else None


implied: set[str] = set()
"""Options that another program adds, which the user did not ask for."""
_Once = TypeVar("_Once")


def once(key: str, compute: Callable[[], _Once]) -> _Once:
    """A value that is computed once in a run, when it is first asked for."""
    context = _CONTEXT.get()
    known: dict[str, Any] = context.meta if context else {}
    if key not in known:
        known[key] = compute()
    found: _Once = known[key]
    return found


def made_by(settings: str = "") -> str:
    """`sidecarctl 0.1.0: sidecarctl plan set.yaml pods.json`: the version, and the command line.

    Then what they resolve to: the settings file, the commits of revisions, and the time if the environment sets one.
    """
    words = _WORDS.get()
    said = [f"sidecarctl {__version__}: {shlex.join(['sidecarctl', command_name(), *words])}"]
    said += [f"settings: {settings}"] if settings else []
    said += [f"{revision} is {commit}" for revision, commit in _commits(words)]
    if time := epoch_time(os.environ.get("SOURCE_DATE_EPOCH")):
        said.append(f"at {time}")
    return "; ".join(said)


def _commits(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The revisions that a command line names, with the beginnings of their commits."""
    named = dict.fromkeys(found[1] for word in words if (found := re.search(r"(?:^|=)git:([^:]+)", word)))
    for revision in dict.fromkeys(part for name in named for part in name.split("..") if part):
        from sidecarctl.engine.files.git import commit_named  # few runs read revisions

        commit = commit_named(f"git:{revision}", revision)
        if not commit.startswith(revision):
            yield revision, commit[:12]


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
