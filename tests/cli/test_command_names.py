"""Names that no command has: what is meant by them, and how a wrong command line is reported."""

import pytest

from sidecarctl.cli.command_names import meant_commands
from tests.cli.running import run

COMMANDS = ("inject", "uninject", "plan", "render", "push", "diff", "explain", "status", "validate", "completion")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lint", ["validate"]),
        ("apply", ["push"]),
        ("preview", ["plan"]),
        ("why", ["explain"]),
        ("LINT", ["validate"]),
        ("plna", ["plan"]),
        ("injct", ["inject", "uninject"]),
        ("xyzzy", []),
    ],
)
def test_names_are_understood_by_meaning_first(name: str, meant: list[str]) -> None:
    assert meant_commands(name, COMMANDS) == meant


def test_what_does_not_exist_is_never_named() -> None:
    assert meant_commands("apply", ("render", "plan")) == ["render"]
    assert meant_commands("apply", ("plan",)) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lint"], "there is no command lint (did you mean validate?)"),
        (["plan", "--rounds", "x"], "--rounds: 'x' is not a valid number (see sidecarctl plan --help)"),
        (["plan", "--frm"], "there is no option --frm (did you mean --from?)"),
        (["plan", "-%"], "there is no option -% (sidecarctl plan --help lists all)"),
        (["inject", "-o", "toml"], "--output: 'toml' is unknown (one of text, yaml, json, jsonpatch, name)"),
        (["revisions"], "ACTION is missing (one of list, make, diff, restore)"),
        (["plan", "--only"], "--only requires an argument (see sidecarctl COMMAND --help)"),
        (["plan"], "no PATHS given (name files or folders, or - for stdin)"),
    ],
)
def test_every_wrong_command_line_is_told_in_one_style(words: list[str], told: str) -> None:
    ended = run(*words)
    assert (ended.code, ended.stdout, ended.stderr) == (2, "", f"error: {told} [Usage]\n")
