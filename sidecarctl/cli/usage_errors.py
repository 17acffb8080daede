"""Wrong command lines, reported in the style of all errors, with what the user may have meant."""

import sys
from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from typer.exceptions import TyperException

from sidecarctl.cli.invoked import choices_of
from sidecarctl.cli.terminal import colored_report
from sidecarctl.engine.facts.errors import UsageError, unknown_word, usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.render.lines import finding_line


def tell_usage_error(fault: TyperException | UsageError) -> int:
    """Print what is wrong on stderr; the exit code."""
    if type(fault).__name__ == "NoArgsIsHelpError":  # not a mistake: its message is the help
        sys.stderr.write(f"{fault}\n")
    else:
        error = fault if isinstance(fault, UsageError) else in_our_words(fault)
        lines = "".join(f"{finding_line(finding)}\n" for finding in error.findings)
        sys.stderr.write(colored_report(lines, sys.stderr))
    return 2


def in_our_words(fault: Any) -> UsageError:
    """The error, which names the option or argument first and ends with what would be right."""
    context, param = getattr(fault, "ctx", None), getattr(fault, "param", None)
    name = context.info_name if context and context.parent else "" if context else "COMMAND"
    help_call = " ".join(filter(None, ["sidecarctl", name, "--help"]))
    is_of_command = bool(context and context.parent)  # only commands have --help-all
    if option := getattr(fault, "option_name", ""):
        if not hasattr(fault, "possibilities"):
            return usage_error(_plain(fault.message).replace(f"Option '{option}'", option), hint=f"see {help_call}")
        if option in _MOVED:
            return usage_error(f"there is no option {option}", hint=_MOVED[option])
        alike = get_close_matches(option, fault.possibilities or (), cutoff=0.7)
        meant = " or ".join(alike or sorted(fault.possibilities or ()))
        hint = f"did you mean {meant}?" if meant else f"{help_call}{'-all' if is_of_command else ''} lists all"
        return usage_error(f"there is no option {option}", hint=hint)
    if param is None:
        return usage_error(_plain(fault.format_message()), hint=f"see {help_call}")
    choices = choices_of(param)
    hint = f"one of {', '.join(choices)}" if choices else f"see {help_call}"
    if not fault.message:
        return usage_error(f"{_name(param)} is missing", hint=hint)
    message = _of_pydantic(fault) or _plain(fault.message)
    if not (told := _OF_A_VALUE.fullmatch(message)):
        return usage_error(f"{_name(param)}: {message}", hint=hint)
    value, fails, origin = told["value"], told["fails"], told["origin"] or ""
    if not choices:
        return usage_error(f"{_name(param)} {value} is not {fails}{origin}", hint=hint)
    to_file = "; > FILE writes stdout to a file" if value.partition("=")[0] in choices else ""
    return unknown_word(_name(param), f"{value}{origin}", hint=f"{hint}{to_file}")


_MOVED = {"--explain": "sidecarctl rules RULE explains a rule"}
"""Options that were removed, and what replaces them."""

_OF_A_VALUE = lazy_pattern(
    r"""(?P<quote>['"]?)(?P<value>.*)(?P=quote) is not (?P<fails>.*?)(?P<origin> \(from \w+\))?"""
)
"""What Typer says about a value, and the variable that it is from."""


def _of_pydantic(fault: Any) -> str:
    """What Typer says about a value up to 0.28, in an error of 0.29 and newer; empty for an error of 0.28."""
    found: list[Any] = getattr(fault.__cause__, "errors", list)()
    if not found:
        return ""
    first, (_, joint, origin) = found[0], fault.message.partition(" (from ")
    limits = {"greater_than_equal": "x>={ge}", "less_than_equal": "x<={le}"}
    if first["type"] == "value_error":
        return _plain(fault.message).removeprefix("Value error, ")
    limit = limits.get(first["type"], "").format(**first.get("ctx", {}))
    return f"{first['input']} is not {f'in the range {limit}' if limit else 'a valid number'}{joint}{origin}"


def _plain(text: str) -> str:
    text = " ".join(text.split()).rstrip(".").replace("requires an argument", "needs an argument")
    if extra := _EXTRA.fullmatch(text):
        number = len(extra[1].split())
        return (
            f"{extra[1]} is one argument too many" if number == 1 else f"{extra[1]} are {number} arguments too many"
        )
    return text.replace("int range", "number").replace("float range", "number")


_EXTRA = lazy_pattern(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")
"""Typer's message about extra arguments."""


def _name(param: Any) -> str:
    """An option as people write it, `-o` and not `--output`, or an argument."""
    return str(min(param.opts, key=len) if param.param_type_name == "option" else param.metavar or param.name)


_MEANT = {
    "validate": ("lint", "check", "verify", "vet", "test", "doctor", "conform", "scan", "policy"),
    "push": ("apply", "deploy", "rollout", "execute", "run", "sync", "upgrade", "update", "patch-pods"),
    "plan": ("preview", "simulate", "dry-run", "dryrun", "forecast", "schedule", "whatif", "what-if", "waves"),
    "render": ("patch", "patches", "script", "generate", "template"),
    "explain": ("why", "describe", "reason", "reasons", "debug", "trace"),
    "status": ("get", "pods", "list", "ls", "ps", "state", "progress", "show"),
    "revisions": ("history", "revision", "versions", "restore"),
    "rollback": ("undo", "revert"),
    "convert": ("migrate", "translate"),
    "uninject": ("remove", "eject", "strip", "delete", "clean", "extract"),
    "inject": ("add", "transform", "mutate", "kube-inject"),
    "diff": ("compare", "changes", "delta", "impact"),
    "hash": ("checksum", "digest", "sum"),
    "schema": ("crd", "schemas", "types", "jsonschema"),
    "rules": ("rule", "catalogue", "catalog"),
    "kinds": ("kind", "workloads", "api-resources", "resources"),
    "completion": ("completions", "complete", "autocomplete", "autocompletion"),
    "plugin": ("plugins", "install", "kustomize", "krew"),
    "version": ("about", "info"),
    "help": ("man", "usage", "docs", "commands"),
}
"""Words of other tools and of everyday speech for what each command does."""

_INSTEAD = {"push": "render", "rollback": "revisions"}
"""The suggestions for an unknown command."""


def unknown_command(name: str, commands: Collection[str]) -> UsageError:
    """The error for an unknown command, with suggestions."""
    meant = meant_commands(name, commands)
    hint = f"did you mean {' or '.join(meant)}?" if meant else "sidecarctl --help lists the commands"
    return usage_error(f"there is no command {name}", hint=hint)


def meant_commands(name: str, commands: Collection[str]) -> list[str]:
    """The commands with that meaning, then those with a similar name."""
    word = name.lower()
    meant = [command for command, words in _MEANT.items() if word in words]
    meant = [command if command in commands else _INSTEAD.get(command, "") for command in meant]
    alike = [] if meant else get_close_matches(word, list(commands), n=2, cutoff=0.6)
    return [command for command in dict.fromkeys([*meant, *alike]) if command in commands]
