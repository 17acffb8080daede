"""The man pages, made from the help of the commands: `python -m tests.documentation` writes them to `man/`."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from sidecarctl import __version__
from sidecarctl.cli.app import app
from sidecarctl.cli.command_table import COMMANDS, GROUPS
from sidecarctl.cli.invoked import ENVIRONMENT_NOTE, help_record
from tests.documentation.examples import ROOT
from tests.documentation.reference import FOLDER as REFERENCE
from tests.documentation.reference import pages

FOLDER = ROOT / "man"
_TOP: Any = typer.main.get_command(app)  # a group, seen as a command


def man_pages() -> dict[Path, str]:
    """The text of each page."""
    pages = {FOLDER / "sidecarctl.1": "".join(_of_program())}
    return pages | {FOLDER / f"sidecarctl-{name}.1": "".join(_of_command(name)) for name in COMMANDS}


def escaped(text: str) -> str:
    """A text as roff takes it for text: no line of it is a request, and hyphens can be searched for."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def _head(name: str, summary: str) -> Iterator[str]:
    yield f'.TH {name.upper()} 1 "" "sidecarctl {__version__}" "sidecarctl"\n'
    yield f".SH NAME\n{escaped(name)} \\- {escaped(summary)}\n"


def _of_program() -> Iterator[str]:
    yield from _head("sidecarctl", "show what OpenKruise SidecarSets do to Kubernetes pods, from files alone")
    yield ".SH SYNOPSIS\n.B sidecarctl\n.I COMMAND\n[OPTIONS] [PATHS]\n"
    yield f".SH DESCRIPTION\n{_paragraphs(_TOP.help)}"
    for title, commands in GROUPS.items():
        yield f'.SH "{escaped(title).upper()}"\n'
        for name, summary in commands.items():
            yield f".TP\n.BR sidecarctl\\-{name} (1)\n{escaped(summary)}\n"
    yield ".SH ENVIRONMENT\n" + escaped(ENVIRONMENT_NOTE) + "\n"
    yield '.SH "EXIT STATUS"\n'
    yield from (f".TP\n.B {code}\n{escaped(text)}\n" for code, text in _codes())


def _codes() -> list[tuple[str, str]]:
    """The exit codes and what they mean, as the reference has them."""
    table = pages()[REFERENCE / "exit-codes.md"].partition("## ")[0]
    return [(code, text.replace("\\|", "|")) for code, text in re.findall(r"(?m)^\| ([0-9]+) \| (.*) \|$", table)]


def _of_command(name: str) -> Iterator[str]:
    command = _TOP.get_command(None, name)
    yield from _head(f"sidecarctl-{name}", COMMANDS[name].rstrip("."))
    context = command.make_context(name, [], resilient_parsing=True)
    yield f".SH SYNOPSIS\n.B sidecarctl {escaped(name)}\n{escaped(' '.join(command.collect_usage_pieces(context)))}\n"
    yield f".SH DESCRIPTION\n{_paragraphs(inspect.cleandoc(command.help))}"
    titles: dict[str, str] = getattr(command.callback, "titles", {})
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.params:
        if record := help_record(parameter, context):
            title = "Arguments" if parameter.param_type_name == "argument" else titles[parameter.name]
            groups.setdefault(title, []).append(record)
    for title, records in groups.items():
        yield f'.SH "{escaped(title).upper()}"\n'
        yield from (f".TP\n.B {escaped(' '.join(option.split()))}\n{escaped(' '.join(text.split()))}\n"
                    for option, text in records)  # fmt: skip
    yield '.SH "SEE ALSO"\n.BR sidecarctl (1)\n'


def _paragraphs(text: str) -> str:
    """Paragraphs; those that Click leaves as they are stay so, and others are filled."""
    made = []
    for part in text.strip().split("\n\n"):
        kept = part.startswith("\b")
        body = escaped(part.removeprefix("\b").strip("\n"))
        made.append(f".nf\n{body}\n.fi\n" if kept else f"{' '.join(body.split())}\n")
    return ".PP\n".join(made)
