"""`--report FORM` without a file takes stdout, so that it can be redirected; the text goes to stderr."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

COMMANDS = [
    ["validate", "set.yaml"],
    ["diff", "set.yaml", "set.yaml"],
    ["cost", "set.yaml", "web.yaml"],
    ["explain", "-s", "set.yaml", "web.yaml"],
    ["hash", "set.yaml"],
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("web.yaml").write_text(DEPLOYMENT)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_the_report_is_all_that_stdout_has(words: Sequence[str]) -> None:
    alone, asked = run(*words), run(*words, "--report", "sarif")
    assert json.loads(asked.stdout)["version"] == "2.1.0"
    assert asked.code == alone.code
    assert alone.stdout
    assert alone.stdout in asked.stderr


def test_a_document_that_was_asked_for_keeps_stdout() -> None:
    ended = run("validate", "set.yaml", "-o", "json", "--report", "sarif")
    assert json.loads(ended.stdout)["kind"] == "ValidationResult"
    assert '"version": "2.1.0"' in ended.stderr
    written = run("validate", "set.yaml", "-o", "json=out.json", "--report", "sarif")
    assert json.loads(written.stdout)["version"] == "2.1.0"


def test_a_text_report_leaves_stdout_to_the_document() -> None:
    assert run("validate", "set.yaml", "--report", "text").stdout == run("validate", "set.yaml").stdout


def test_a_run_that_fails_has_its_report_on_stdout_too() -> None:
    Path("set.yaml").write_text("apiVersion: v1\nkind: [")
    ended = run("validate", "set.yaml", "--report", "sarif")
    assert ended.code == 2
    assert json.loads(ended.stdout)["runs"][0]["invocations"][0]["exitCode"] == 2
    assert "error: " in ended.stderr


def test_what_a_transformation_prints_keeps_stdout() -> None:
    ended = run("inject", "-s", "set.yaml", "web.yaml", "--report", "sarif")
    assert "\napiVersion: apps/v1\n" in ended.stdout
    assert '"version": "2.1.0"' in ended.stderr
