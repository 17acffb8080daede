"""`validate --old` shows what is new in a change: what was found before it, too, is counted, and fails nothing."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git

LATEST = SET.replace("log-agent:2.4.1", "log-agent:latest")
REJECTED = SET.replace("name: logs", "name: other").replace("name: log-agent", "name: Log_Agent")


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A SidecarSet without a digest, and one that Kruise rejects."""
    monkeypatch.chdir(tmp_path)
    Path("logs.yaml").write_text(LATEST)
    Path("other.yaml").write_text(REJECTED)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_findings_of_the_base_fail_nothing_and_are_counted() -> None:
    Path("logs.yaml").write_text(f"# a line\n{LATEST}")
    assert run("validate", ".").code == 1
    ended = run("validate", "--old", "git:HEAD", ".", "--report", "github=annotations.txt")
    assert (ended.code, "error:" in ended.stdout) == (0, False), ended.stdout
    assert "of the base: " in ended.stderr
    assert "1 error" in ended.stderr
    assert "::error" not in Path("annotations.txt").read_text()
    assert "image-without-tag" not in Path("annotations.txt").read_text()
    assert "suppressed by the base, which has it too: error: other.yaml" in run(
        "validate", "--old", "git:HEAD", ".", "--show-suppressed"
    ).stdout  # fmt: skip


def test_what_the_change_adds_is_reported() -> None:
    Path("third.yaml").write_text(REJECTED.replace("name: other", "name: third"))
    ended = run("validate", "--old", "git:HEAD", ".")
    assert ended.code == 1
    assert "third.yaml" in ended.stdout
    assert "other.yaml" not in ended.stdout


def test_code_scanning_knows_what_is_not_new() -> None:
    run("validate", "--old", "git:HEAD", ".", "--report", "sarif=out.sarif")
    results = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert {item.get("baselineState") for item in results} == {"unchanged"}


def test_a_file_that_was_broken_before_is_a_note(repository: Path) -> None:
    Path("broken.yaml").write_text("apiVersion: v1\nkind: [\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "broken")
    Path("logs.yaml").write_text(f"# a line\n{LATEST}")
    ended = run("validate", "--old", "git:HEAD", ".")
    assert ended.code == 0, ended.stderr
    assert "broken before and after the change" in ended.stdout
    Path("broken.yaml").write_text("apiVersion: v1\nkind: [\n# more\n")
    assert run("validate", "--old", "git:HEAD", ".").code == 2
