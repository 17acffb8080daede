"""What a terminal changes."""

import os
import sys

import pytest

from sidecarctl.cli.terminal import page_of_stdout, shows_progress


def test_a_pipe_has_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)
    assert page_of_stdout().width is None


def test_a_terminal_has_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    assert page_of_stdout().width == 60


@pytest.mark.parametrize(
    ("terminal", "env", "shown"),
    [(True, {}, True), (True, {"CI": "true"}, False), (True, {"TERM": "dumb"}, False), (False, {}, False)],
)
def test_progress(monkeypatch: pytest.MonkeyPatch, terminal: bool, env: dict[str, str], shown: bool) -> None:  # noqa: FBT001 - by pytest
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(os, "environ", env)
    assert shows_progress() is shown
