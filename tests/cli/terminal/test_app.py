"""The top of the command line: its commands, their help, how every one of them ends."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from sidecarctl import __version__
from sidecarctl.__main__ import main
from sidecarctl.cli.app import app
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.report import Report
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run, run_process
from tests.schemas import assert_valid

pytestmark = pytest.mark.usefixtures("ends_as_a_process")

COMMANDS = typer.main.get_command(app).list_commands(None)  # type: ignore[attr-defined] # a group, seen as a command


def test_version_in_every_spelling(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sidecarctl", "--version"])
    main()
    assert capsys.readouterr().out == f"sidecarctl {__version__}\n"
    assert run("--version").stdout == f"sidecarctl {__version__}\n"
    assert run("version").stdout == f"sidecarctl {__version__}\nbehavior: Kruise 1.9\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_report(name: str, tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    arguments = {
        "version": (),
        "rules": (),
        "kinds": (),
        "schema": ("sidecarset-v1beta1",),
        "plugin": ("install", "--folder", tmp_path),
        "completion": ("bash",),
        "help": ("plan",),
        "revisions": ("list", tmp_path / "set.yaml"),
        "convert": ("--to", "v1alpha1", tmp_path / "set.yaml"),
    }
    done = run(name, *arguments.get(name, (tmp_path / "set.yaml",)), "--report", f"json={tmp_path}/report.json")
    document = json.loads((tmp_path / "report.json").read_text())
    assert_valid(document, "run-report.json")
    assert (document["command"], document["exitCode"]) == (name, done.code)


def test_the_console_script_runs_commands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["sidecarctl", "version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"sidecarctl {__version__}\n")


BY_ENVIRONMENT = "Every option except overrides such as --force can also be set by the environment"


def test_without_a_command_the_help_names_all_of_them() -> None:
    ended = run()
    assert ended.code == 2
    assert re.findall(r"^  ([a-z]+)  ", ended.stdout + ended.stderr, re.MULTILINE) == COMMANDS
    assert BY_ENVIRONMENT in " ".join((ended.stdout + ended.stderr).split())


def test_a_command_that_does_not_exist() -> None:
    ended = run("injct")
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr == "error: there is no command injct (did you mean inject or uninject?) [Usage]\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example(command: str) -> None:
    ended = run(command, "--help")
    assert ended.code == 0
    assert re.search(rf"Examples?:\s+sidecarctl {command}\b", ended.stdout)


def test_interrupted_before_a_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecarctl.cli.app.app", _raise(KeyboardInterrupt()))
    monkeypatch.setattr(sys, "argv", ["sidecarctl", "version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def _raise(fault: BaseException) -> Callable[[], Report[str]]:
    def body() -> Report[str]:
        raise fault

    return body


@pytest.mark.parametrize(
    ("body", "code", "told"),
    [
        (lambda: Report("message", ""), 0, ""),
        (lambda: Report("message", "", is_objection=True), 1, ""),
        (_raise(usage_error("no such thing", hint="another")), 2, "error: no such thing (another) [Usage]\n"),
        (_raise(KeyboardInterrupt()), 130, "interrupted; nothing was written\n"),
    ],
    ids=["done", "objections", "error", "interrupted"],
)
def test_how_a_command_ends(
    body: Callable[[], Report[str]], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        conclude(body, DocumentFlags(), "message")
    assert ended.value.exit_code == code
    assert capsys.readouterr() == ("", told)


def test_a_bug_is_reported_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        conclude(_raise(ZeroDivisionError("by zero")), DocumentFlags(), "message")
    assert ended.value.exit_code == 4
    told = capsys.readouterr().err
    assert told.startswith("error: internal error: ZeroDivisionError: by zero (")
    assert told.endswith("(this is a bug; please report it with the manifests) [InternalFault]\n")


@pytest.mark.slow
def test_a_closed_pipe_ends_the_command_quietly(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(SET + ("---\n" + DEPLOYMENT) * 2000)
    script = f"{sys.executable} -m sidecarctl inject -q {tmp_path}/all.yaml | head -c 10"
    assert os.system(f"{script} > {tmp_path}/out 2> {tmp_path}/err") == 0  # noqa: S605 - a shell's pipe is the point
    assert (tmp_path / "out").read_text() == SET[:10]
    assert (tmp_path / "err").read_text() == ""


def test_a_closed_standard_output_is_not_a_fault(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with os.fdopen(os.dup(1), "w") as copy:
        monkeypatch.setattr(sys, "stdout", copy)
        with pytest.raises(typer.Exit) as ended:
            conclude(_raise(BrokenPipeError()), DocumentFlags(), "message")
    assert ended.value.exit_code == 141
    assert capfd.readouterr() == ("", "")


def test_as_a_module() -> None:
    assert run_process("--version").stdout == f"sidecarctl {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_but_overrides_can_be_set_by_the_environment(name: str) -> None:
    group = typer.main.get_command(app)
    found = group.get_command(None, name)  # type: ignore[attr-defined] # a group, seen as a command
    options = [param for param in found.params if param.param_type_name == "option" and param.name != "help"]
    assert [option.name for option in options if not option.allow_from_autoenv] == {
        "uninject": ["force"],
        "push": ["adopt", "replan", "force", "accept_partial_view", "print_rbac"],
        "plan": ["print_rbac"],
        "version": ["kruise"],
    }.get(name, [])
    assert found.context_settings["auto_envvar_prefix"] == "SIDECARCTL"
    told = " ".join(run(name, "--help-all").stdout.split())
    assert BY_ENVIRONMENT not in told  # the help of the program says it once
    assert BY_ENVIRONMENT in " ".join(run("--help").stdout.split())
    assert "env var" not in told


@pytest.mark.parametrize(
    ("variables", "arguments", "told"),
    [
        ({"SIDECARCTL_JOBS": "x"}, ["inject", "a"], "(from SIDECARCTL_JOBS)"),
        ({"SIDECARCTL_PARTITION": "x"}, ["plan", "a"], "--partition is set by SIDECARCTL_PARTITION"),
        (
            {"SIDECARCTL_SIDECARSETS": "no"},
            ["hash", "."],
            "no: cannot be read: No such file or directory (--sidecarsets",
        ),
        ({"SIDECARCTL_REPORT": "xml"}, ["hash", "."], "--report is set by SIDECARCTL_REPORT"),
        ({"SIDECARCTL_FROM": "no"}, ["plan", "a", "--live"], "--from is set by SIDECARCTL_FROM"),
    ],
)
def test_an_error_names_the_variable_of_a_wrong_value(
    variables: dict[str, str], arguments: list[str], told: str
) -> None:
    ended = run(*arguments, env=variables)
    assert (ended.code, ended.stdout) == (2, "")
    assert told in ended.stderr


def test_a_value_of_the_command_line_is_not_laid_to_the_environment() -> None:
    ended = run("plan", "a", "--partition", "x", env={"SIDECARCTL_PARTITION": "1"})
    assert ended.stderr == "error: --partition x is neither a number nor a percentage (10 or 10%) [Usage]\n"
