"""How much a run says: --summary, notes once, colors."""

import re
from pathlib import Path

import pytest

from sidecarctl.cli.terminal import ColorChoice, choose_colors, shows_colors
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.render.findings import folded_lines
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run, run_process


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    return tmp_path


def test_a_summary_tells_equal_lines_once_with_their_number() -> None:
    other = DEPLOYMENT.replace("app: web", "app: other")
    Path("apps.yaml").write_text("---\n".join([DEPLOYMENT, *[other] * 180]))
    told = run("inject", "--check", "-s", "set.yaml", "apps.yaml", "--summary").stderr
    lines = told.splitlines()
    assert len(lines) == 3
    assert re.match(r"to inject  apps\.yaml:2:1 Deployment \S+  logs", lines[0])
    assert re.match(r"skipped    180 objects  PodNotSelected: logs: ", lines[1])
    assert lines[2] == "1 to inject, 180 skipped"


@pytest.mark.parametrize("command", ["plan", "status", "hash", "validate", "inject", "diff"])
def test_every_command_takes_all_verbosities(command: str) -> None:
    for option in ("-q", "-v", "--summary", "--color=never"):
        assert "there is no option" not in run(command, "set.yaml", option).stderr


def test_a_note_is_reported_once() -> None:
    notes = [Finding(Severity.NOTE, Reason.NO_PODS, "the same", ("spec", index)) for index in range(5)]
    assert list(folded_lines(notes)) == ["note: spec[0]: the same [NoPods]", "note: 4 more: the same [NoPods]"]


class Stream:
    def __init__(self, *, terminal: bool) -> None:
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("choice", "env", "terminal", "colored"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, True, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"CI": "true"}, True, False),
        ("auto", {"CI": "true", "FORCE_COLOR": "1"}, True, True),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colors(
    choice: str, env: dict[str, str], *, terminal: bool, colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    choose_colors(ColorChoice(choice))
    try:
        assert shows_colors(Stream(terminal=terminal)) is colored  # type: ignore[arg-type] # all that is asked of it
    finally:
        choose_colors(ColorChoice.AUTO)


@pytest.mark.slow
def test_colors_go_to_a_pipe_when_they_are_wanted() -> None:
    Path("web.yaml").write_text(DEPLOYMENT)
    words = ("inject", "-s", "set.yaml", "web.yaml", "--diff", "--color")
    assert "\x1b[" in run_process(*words, "always").stdout
    assert "\x1b[" not in run_process(*words, "never").stdout
