"""The README's examples: each command is run, and its output must be the one that is shown."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from sidecarctl.cli.app import app

ROOT = Path(__file__).parent.parent
_README = (ROOT / "README.md").read_text()
_CONSOLE = re.compile(
    r"```console\n\$ (?P<command>.+)\n(?P<stdout>(?:.*\n)*?)```\n(?:\n```text\n(?P<stderr>(?:.*\n)*?)```)?"
)
COMMANDS = typer.main.get_command(app).list_commands(None)  # type: ignore[attr-defined] # a group, seen as a command
EXAMPLES = list(_CONSOLE.finditer(_README))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3
    assert _README.count("```console") == len(EXAMPLES)


SLOW = re.compile(r"python -m tests\.conformance")
SOME = [pytest.param(one, marks=pytest.mark.slow) if SLOW.match(one["command"]) else one for one in EXAMPLES]


@pytest.mark.parametrize("example", SOME, ids=[one["command"] for one in EXAMPLES])
def test_an_example_gives_what_is_shown(example: re.Match[str]) -> None:
    program, *arguments = shlex.split(example["command"])
    module = ["-m", "sidecarctl"] if program == "sidecarctl" else []
    words = [sys.executable, *module, *arguments]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout == example["stdout"]
    if example["stderr"]:
        assert ended.stderr == example["stderr"]


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (ROOT / target).exists(), f"{page.name}: {target}"


def test_every_command_stands_in_the_table() -> None:
    told = re.findall(r"^\| `([a-z]+)[ `]", _README, re.MULTILINE)
    assert told == COMMANDS


def test_what_was_measured_stands_there_with_how_to_repeat_it() -> None:
    measured = _README.partition("## What was measured\n")[2].partition("\n## ")[0]
    assert "`make bench`" in measured
    for work in ("Deployments", "pods", "no set matches", "memory", "`-j 2`", "`--version`"):
        assert work in measured
