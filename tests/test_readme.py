"""The README's examples: each command is run, and its output must match what is shown."""

import os
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
SOME = [
    pytest.param(example, marks=pytest.mark.slow) if SLOW.match(example["command"]) else example
    for example in EXAMPLES
]


@pytest.mark.parametrize("example", SOME, ids=[example["command"] for example in EXAMPLES])
def test_an_example_gives_what_is_shown(example: re.Match[str]) -> None:
    program, *arguments = shlex.split(example["command"])
    module = ["-m", "sidecarctl"] if program == "sidecarctl" else []
    words = [sys.executable, *module, *arguments]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if os.environ.get("REWRITE"):  # records the outputs again, to review what changed in them
        record(example, ended)
    assert ended.stdout == example["stdout"]
    if example["stderr"]:
        assert ended.stderr == example["stderr"]


def record(example: re.Match[str], ended: subprocess.CompletedProcess[str]) -> None:
    """Put the outputs of a command into the README."""
    block = example[0].replace(example["stdout"], ended.stdout) if example["stdout"] else example[0]
    if example["stderr"]:
        block = block.replace(example["stderr"], ended.stderr)
    page = ROOT / "README.md"
    page.write_text(page.read_text().replace(example[0], block))


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (ROOT / target).exists(), f"{page.name}: {target}"


def test_every_command_is_in_the_table() -> None:
    listed = re.findall(r"^\| `([a-z]+)[ `]", _README, re.MULTILINE)
    assert listed == COMMANDS


def test_the_readme_shows_the_measurements_and_how_to_repeat_them() -> None:
    measured = _README.partition("## What was measured\n")[2].partition("\n## ")[0]
    assert "`make bench`" in measured
    for work in ("Deployments", "pods", "no SidecarSet matches", "memory", "`-j 2`", "`--version`"):
        assert work in measured
