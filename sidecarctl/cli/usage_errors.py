"""Wrong command lines, reported in the style of all errors."""

import sys
from typing import Any

from typer.exceptions import TyperException

from sidecarctl.cli.terminal import coloured_report
from sidecarctl.facts.errors import UsageError, usage_error
from sidecarctl.reports.layout.lines import finding_line


def tell_usage_error(fault: TyperException | UsageError) -> int:
    """Print what is wrong on stderr; the exit code."""
    if type(fault).__name__ == "NoArgsIsHelpError":  # which is no mistake: its message is the help
        sys.stderr.write(f"{fault}\n")
    else:
        error = fault if isinstance(fault, UsageError) else in_our_words(fault)
        lines = "".join(f"{finding_line(finding)}\n" for finding in error.findings)
        sys.stderr.write(coloured_report(lines, sys.stderr))
    return 2


def in_our_words(fault: Any) -> UsageError:
    """The error, which names the option or argument first and ends with what would be right."""
    context, param = getattr(fault, "ctx", None), getattr(fault, "param", None)
    name = context.info_name if context and context.parent else "" if context else "COMMAND"
    help_call = " ".join(filter(None, ["sidecarctl", name, "--help"]))
    if option := getattr(fault, "option_name", ""):
        if not hasattr(fault, "possibilities"):
            return usage_error(_plain(fault.message).replace(f"Option '{option}'", option), hint=f"see {help_call}")
        meant = " or ".join(sorted(fault.possibilities or ()))
        hint = f"did you mean {meant}?" if meant else f"{help_call} lists all"
        return usage_error(f"there is no option {option}", hint=hint)
    if param is None:
        return usage_error(_plain(fault.format_message()), hint=f"see {help_call}")
    choices = getattr(param.type, "choices", ())
    hint = f"one of {', '.join(map(str, choices))}" if choices else f"see {help_call}"
    if not fault.message:
        return usage_error(f"{_name(param)} is missing", hint=hint)
    message = _plain(fault.message).partition(" is not one of ")[0] if choices else _plain(fault.message)
    return usage_error(f"{_name(param)}: {message}{' is unknown' if choices else ''}", hint=hint)


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".").replace("int range", "number").replace("float range", "number")


def _name(param: Any) -> str:
    return str(param.opts[0] if param.param_type_name == "option" else param.metavar or param.name)
