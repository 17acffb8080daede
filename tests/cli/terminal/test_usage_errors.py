"""Unknown command names, what they may mean, and how a wrong command line is reported."""

import pytest

from sidecarctl.cli.usage_errors import meant_commands
from sidecarctl.engine.releases.profiles import PROFILES
from tests.cli.running import run

FORMS = "one of text, yaml, json, jsonpatch, name"
REPORTS = "one of text, json, sarif, junit, github, gitlab, markdown"
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
        (["plan", "--rounds", "x"], "--rounds x is not a valid number (see sidecarctl plan --help)"),
        (["plan", "--partitoin"], "there is no option --partitoin (did you mean --partition?)"),
        (["plan", "--frm"], "there is no option --frm (did you mean --from?)"),
        (["plan", "-%"], "there is no option -% (sidecarctl plan --help-all lists all)"),
        (["--no-such"], "there is no option --no-such (sidecarctl --help lists all)"),
        (["inject", "-o", "toml"], f"-o toml is unknown ({FORMS})"),
        (["inject", "-o", "json=a"], f"-o json=a is unknown ({FORMS}; > FILE writes stdout to a file)"),
        (["convert", "-o", "json=a"], f"-o json=a is unknown ({FORMS}; > FILE writes stdout to a file)"),
        (["push", "-o", "json=a", "p"], "-o json=a is unknown (one of text, json; > FILE writes stdout to a file)"),
        (["hash", "-o", "xml=a", "."], "-o xml is unknown (one of text, json, yaml)"),
        (["rules", "-o", "html"], "-o html is unknown (one of text, json, yaml)"),
        (["explain", "--reasons", "-o", "html"], "-o html is unknown (one of text, markdown, json)"),
        (["rules", "--report", "xml"], f"--report xml is unknown ({REPORTS})"),
        (["completion", "ksh"], "SHELL ksh is unknown (one of bash, zsh, fish)"),
        (["schema", "--kruise", "x"], f"--kruise x is not a release of Kruise (one of {', '.join(PROFILES)})"),
        (["validate", "--explain", "x"], "there is no option --explain (sidecarctl rules RULE explains a rule)"),
        (["rules", "x"], "RULE x is unknown (sidecarctl rules lists all)"),
        (["rules", "no-resource"], "RULE no-resource is unknown (did you mean no-resources?)"),
        (
            ["rules", "LeftOut"],
            "RULE LeftOut is unknown (a reason code, not a rule: see sidecarctl explain --reasons)",
        ),
        (
            ["validate", "--ignore", "no-resource", "."],
            "--ignore no-resource is unknown (did you mean no-resources?)",
        ),
        (["inject", "-j", "0"], "-j 0 is not in the range x>=1 (see sidecarctl inject --help)"),
        (["inject", "--strict=x"], "--strict does not take a value (see sidecarctl inject --help)"),
        (["version", "x"], "x is one argument too many (see sidecarctl version --help)"),
        (["completion", "bash", "x", "y"], "x y are 2 arguments too many (see sidecarctl completion --help)"),
        (["revisions"], "ACTION is missing (one of list, make, diff, restore)"),
        (["plan", "--only"], "--only needs an argument (see sidecarctl plan --help)"),
        (["plan"], "no PATHS given (name files or folders, or - for stdin; or list paths in .sidecarctl.yaml)"),
    ],
)
def test_every_wrong_command_line_is_reported_in_one_style(words: list[str], told: str) -> None:
    ended = run(*words)
    assert (ended.code, ended.stdout, ended.stderr) == (2, "", f"error: {told} [Usage]\n")
