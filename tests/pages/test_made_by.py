"""Each page says what made it."""

import subprocess
from pathlib import Path

import pytest

from sidecarctl import __version__
from tests.cli.manifests import SET
from tests.cli.running import run


def test_a_page_names_the_version_and_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a set.yaml").write_text(SET)
    for command in ("validate", "status", "plan"):
        file = tmp_path / f"{command}.html"
        run(command, tmp_path / "a set.yaml", "-o", f"html={file}")
        made = (
            f"Made by sidecarctl {__version__}: sidecarctl {command} &#39;{tmp_path}/a set.yaml&#39; -o html={file}"
        )
        assert made in file.read_text()


def test_a_page_names_the_commits_of_revisions_and_the_given_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    run("diff", "git:main:set.yaml", "set.yaml", "-o", "html=page.html", env={"SOURCE_DATE_EPOCH": "86400"})
    page = (tmp_path / "page.html").read_text()
    assert f"-o html=page.html; main is {commit[:12]}; at 1970-01-02T00:00:00Z</p>" in page
    run("validate", "set.yaml", "-o", "html=other.html")
    assert "-o html=other.html</p>" in (tmp_path / "other.html").read_text()
