"""A side of a comparison that has nothing where it should have something."""

from pathlib import Path

import pytest

from tests.cli.every_command.test_git_revisions import git
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run


@pytest.fixture(autouse=True)
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for tree in ("before", "after"):
        for cluster in ("eu", "us"):
            folder = tmp_path / tree / cluster
            folder.mkdir(parents=True)
            (folder / "set.yaml").write_text(SET)
            (folder / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "values.yaml").write_text("a: 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("cluster", ["eu=after/eu", "eu=eu,after/us", "eu=git:HEAD:after/eu"])
def test_paths_of_a_cluster_that_the_other_folder_lacks(trees: Path, cluster: str) -> None:
    (trees / "eu").mkdir()
    (trees / "eu" / "set.yaml").write_text(SET)
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    ended = run("diff", "--before", "before", "--cluster", cluster)
    assert (ended.code, ended.stdout) == (2, "")
    assert "before has no " in ended.stderr
    assert "so there is nothing to compare cluster eu with" in ended.stderr


def test_a_folder_is_looked_into_as_the_current_one(trees: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trees / "after")
    ended = run("diff", "--before", "../before", "--cluster", "eu=eu", "--cluster", "us=us", "--exit-code")
    assert (ended.code, ended.stderr) == (0, "")


def test_a_cluster_that_is_new_since_a_revision_is_named() -> None:
    git("init")
    git("add", "before/eu", "after/eu")
    git("commit", "-m", "first")
    ended = run("diff", "--before", "git:HEAD", "--cluster", "eu=after/eu", "--cluster", "us=after/us")
    assert ended.code == 0
    assert "note: cluster us: git:HEAD has no after/us: what is in it counts as new" in ended.stderr


@pytest.mark.parametrize(
    ("words", "side"),
    [
        (("diff", "empty", "after/eu"), "old"),
        (("diff", "after/eu", "empty"), "new"),
        (("diff", "--before", "empty", "--after", "after/eu"), "old"),
        (("diff", "--before", "after/eu", "--after", "empty"), "new"),
        (("diff", "--before", "empty", "--after", "after/eu", "-s", "before/us/set.yaml"), "old"),
        (("validate", "--old", "empty", "after/eu"), "old"),
        (("plan", "--from", "empty", "after/eu"), "old"),
        (("cost", "--from", "empty", "after/eu"), "old"),
        (("images", "--from", "empty", "after/eu"), "old"),
    ],
)
def test_an_empty_side_is_named(words: tuple[str, ...], side: str) -> None:
    ended = run(*words)
    assert ended.code == 2
    assert f"the {side} version is empty: no manifest found in empty" in ended.stderr


def test_a_revision_without_manifests_is_one(trees: Path) -> None:
    git("init")
    (trees / "README.md").write_text("")
    git("add", "README.md")
    git("commit", "-m", "first")
    ended = run("diff", "--before", "git:HEAD", "--after", "after/eu")
    assert ended.code == 0
    assert "note: the old version is empty: no manifest found in git:HEAD" in ended.stderr
