"""The Markdown over several clusters has what the Markdown of each cluster alone has."""

import shutil
from pathlib import Path

import pytest

from tests.cli.running import run

SAMPLE = Path(__file__).parents[3] / "samples" / "fleet"
CLUSTERS = ("eu-1", "eu-2", "us-1")


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(SAMPLE, tmp_path / "fleet")
    monkeypatch.chdir(tmp_path / "fleet")


@pytest.mark.parametrize(
    "command", ["plan", "status", "drift", "images", "cost", "diff --kruise-from 1.6 --kruise-to 1.9"]
)
def test_each_cluster_is_there_in_full(command: str) -> None:
    text = run(*command.split(), "-o", "markdown", "-q").stdout
    for name in CLUSTERS:
        alone = run(*command.split(), "-o", "markdown", "-q", "--only-cluster", name).stdout
        body = alone.partition("#### Findings")[0].partition("#### Notes")[0].strip()
        assert f"<details><summary>cluster {name}</summary>\n\n{body}\n" in text
    assert run(*command.split(), "-o", "text", "-q").stdout == run(*command.split(), "-q").stdout


def test_the_findings_of_validate_are_there_once_with_their_clusters() -> None:
    text = run("validate", "-o", "markdown", "-q").stdout
    assert "<summary>cluster" not in text
    for name in CLUSTERS:
        alone = run("validate", "-o", "markdown", "-q", "--only-cluster", name).stdout
        rows = [line for line in alone.splitlines() if line.startswith("| <code>")]
        assert rows
        for row in rows:
            place, said, rule = row.strip("| ").split(" | ")
            [line] = [line for line in text.splitlines() if place in line and rule in line and name in line]
            assert said.rpartition(": ")[2] in line
