"""Help: by `help COMMAND` as by `COMMAND --help`, in named groups, as wide as the terminal up to 100 columns."""

import re
from typing import Any

import pytest
import typer

from sidecarctl.cli import invoked
from sidecarctl.cli.app import app
from sidecarctl.cli.invoked import is_shown
from tests.cli.running import run, run_process

COMMANDS = typer.main.get_command(app).list_commands(None)  # type: ignore[attr-defined] # a group, seen as a command


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_the_same_either_way(name: str) -> None:
    ended = run("help", name)
    assert (ended.code, ended.stdout) == (0, run(name, "--help").stdout)
    ended = run("help", name, "--all")
    assert (ended.code, ended.stdout) == (0, run(name, "--help-all").stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help_shows_the_options_that_are_needed_first(name: str) -> None:
    short, whole = (
        set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", run(name, word).stdout)) for word in ("-h", "--help-all")
    )
    assert short <= whole
    assert len(short) <= 17
    group: Any = typer.main.get_command(app)
    options = {param.opts[0] for param in group.get_command(None, name).params if param.param_type_name == "option"}
    assert options <= whole | {"--help-all"}
    assert all(is_shown(name, param, 99) for param in invoked._FIRST.get(name, ()))
    told = re.search(r"Show the other (\d+) options", run(name, "-h").stdout)
    assert (int(told[1]) if told else 0) == len(whole - short)


def test_every_name_of_the_short_help_is_an_option() -> None:
    group: Any = typer.main.get_command(app)
    for name, first in invoked._FIRST.items():
        assert first <= {param.name for param in group.get_command(None, name).params}


def test_what_follows_two_hyphens_is_a_path() -> None:
    assert "there is no" not in run("hash", "--help-all").stderr
    assert "--help-all: cannot be read" in run("hash", "--", "--help-all").stderr


@pytest.mark.parametrize("words", [["-h"], *([name, word] for name in COMMANDS for word in ("-h", "--help-all"))])
def test_every_help_fits_a_narrow_terminal(words: list[str]) -> None:
    """Examples too, which nothing wraps."""
    assert [line for line in run(*words).stdout.splitlines() if len(line) > 80] == []


def test_plan_shows_the_ten_options_that_people_use_by_what_they_ask() -> None:
    text = run("plan", "-h").stdout
    assert len(re.findall(r"(?m)^  (?:-\w, )?--[a-z-]+", text)) == len(("--help", "--help-all")) + 10
    assert re.findall(r"(?m)^(\w.*):$", text) == [
        "Arguments",
        "What is read",
        "What is computed",
        "What if",
        "Output",
        "Help",
    ]


def test_what_holds_for_every_command_is_in_the_help_of_the_program_alone() -> None:
    text = run("--help").stdout
    shared = re.findall(r"(?m)^  (?:-\w, )?(--\w[\w-]*)", text.partition("Output of the commands:")[2])
    assert shared == [
        "--report",
        "--strict",
        "--verbose",
        "--quiet",
        "--summary",
        "--color",
        "--output",
        "--all-pods",
    ]
    assert "SIDECARCTL_" in text
    assert "--config" not in text
    shorts = {name: run(name, "-h").stdout for name in COMMANDS}
    assert {name for name, text in shorts.items() if re.search(r"(?m)^  --(report|color)", text)} == set()
    assert {name for name in COMMANDS if "SIDECARCTL_" in run(name, "--help-all").stdout} == set()


def test_help_alone_lists_the_commands() -> None:
    assert run("help").stdout == run("--help").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_options_stand_in_named_groups(name: str) -> None:
    titles = re.findall(r"^([A-Z].*):$", run(name, "--help-all").stdout, re.MULTILINE)
    assert titles[-2:] == ["Output", "Help"]
    assert len(titles) == len(set(titles))


def test_a_group_holds_what_belongs_together() -> None:
    text = run("plan", "--help-all").stdout
    groups = dict(re.findall(r"^([A-Z][^\n]*):\n((?:  .*\n|\n(?=  -))*)", text, re.MULTILINE))
    assert "--live" in groups["Cluster"]
    assert "--recursive" in groups["Inputs"]
    assert "--sweep" in groups["Simulation"]
    assert "--kruise" in groups["Release of Kruise"]
    assert "--report" in groups["Output"]


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "most"), [(60, 60), (90, 90), (200, 100)])
def test_help_is_as_wide_as_the_terminal_up_to_100_columns(
    columns: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    wrapped = re.sub(r"(?s)(Examples?:).*?(?=\n[A-Z])", r"\1", run_process("plan", "--help").stdout)
    widest = max(map(len, wrapped.splitlines()))
    assert most - 12 < widest <= most
