"""`git:REV` has the files that a checkout has: of submodules, a sparse checkout, and as filters make them."""

from pathlib import Path

import pytest

from tests.cli.every_command.test_git_revisions import git
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

SAME = "1 SidecarSet: 1 unchanged\n\n1 workload: 1 unchanged\n"


def repository(folder: Path, **files: str) -> Path:
    folder.mkdir()
    git("init", cwd=folder)
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    git("add", ".", cwd=folder)
    git("commit", "-m", "first", cwd=folder)
    return folder


@pytest.fixture
def with_submodule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    library = repository(tmp_path / "library", sets__logs=SET)
    top = repository(tmp_path / "top", web=DEPLOYMENT)
    monkeypatch.chdir(top)
    git("-c", "protocol.file.allow=always", "submodule", "add", f"file://{library}", "lib")
    git("commit", "-m", "submodule")
    return top


def diff(*words: str) -> Ended:
    return run("diff", "--before", "git:HEAD", *words)


def test_a_submodule_is_read_at_its_recorded_commit(with_submodule: Path) -> None:
    assert (diff().stdout, diff().stderr, git("status", "--short")) == (SAME, "", "")
    changed = with_submodule / "lib" / "sets" / "logs.yaml"
    changed.write_text(SET.replace("2.4.1", "2.5.0"))
    assert "log-agent 2.4.1 → 2.5.0" in diff().stdout
    git("commit", "-am", "newer", cwd=with_submodule / "lib")
    git("commit", "-am", "newer")
    assert diff().stdout == SAME
    assert "log-agent 2.4.1 → 2.5.0" in run("diff", "--before", "git:HEAD~1").stdout


def test_every_path_of_a_revision_may_lead_into_a_submodule(with_submodule: Path) -> None:
    (with_submodule / ".sidecarctl.yaml").write_text("sidecarsets: [lib/sets]\npaths: [web.yaml]\n")
    for words in (("-s", "git:HEAD:lib/sets/logs.yaml"), ("-s", "git:HEAD:lib"), ("-s", "git:HEAD", "--no-config")):
        assert "log-agent" in run("inject", *words, "web.yaml").stdout, words
    assert diff().stdout == SAME


def test_a_submodule_that_is_not_checked_out_is_on_neither_side(with_submodule: Path) -> None:
    git("submodule", "deinit", "-f", "lib")
    ended = diff("-s", "git:HEAD:web.yaml", "--exit-code")
    assert "no SidecarSet found in either version" in ended.stderr
    git("rm", "-q", "lib")
    assert "lib was a submodule then, and is not checked out" in diff().stderr
    del with_submodule


def test_a_submodule_without_its_commit_is_named(with_submodule: Path) -> None:
    git("update-index", "--cacheinfo", f"160000,{'1' * 40},lib")
    git("commit", "-m", "a commit that was never pushed")
    ended = diff()
    assert ended.code == 2
    assert f"the submodule lib lacks commit {'1' * 40}, so its files cannot be compared" in ended.stderr
    assert "git -C lib fetch" in ended.stderr
    del with_submodule


@pytest.mark.parametrize("mode", [("--no-cone", "web.yaml"), ("--cone", "apps")])
def test_what_a_sparse_checkout_leaves_out_is_on_neither_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: tuple[str, ...]
) -> None:
    other = DEPLOYMENT.replace("name: web\n  namespace", "name: gone\n  namespace")
    monkeypatch.chdir(repository(tmp_path / "top", sets__logs=SET, apps__web=DEPLOYMENT, apps__gone=other))
    git("sparse-checkout", "set", *mode)
    (tmp_path / "set.yaml").write_text(SET)
    ended = diff("-s", str(tmp_path / "set.yaml"))
    assert "1 SidecarSet: 1 unchanged" in ended.stdout
    assert "removed" not in ended.stdout
    assert "of the sparse checkout" in ended.stderr
    if "--cone" in mode:
        git("rm", "-q", "apps/gone.yaml")
        assert "2 workloads: 1 unchanged, 1 removed" in diff("-s", str(tmp_path / "set.yaml")).stdout
    assert "log-agent" in run("inject", "-s", "git:HEAD:sets", "git:HEAD:apps").stdout


def test_files_are_as_filters_check_them_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = repository(tmp_path / "top", web=DEPLOYMENT)
    monkeypatch.chdir(top)
    git("config", "filter.crypt.clean", "tr a-z n-za-m")
    git("config", "filter.crypt.smudge", "tr a-z n-za-m")
    (top / ".gitattributes").write_text("secret/* filter=crypt\n")
    (top / "secret").mkdir()
    (top / "secret" / "set.yaml").write_text(SET)
    git("add", ".")
    git("commit", "-m", "encrypted")
    assert "kind" not in git("cat-file", "blob", "HEAD:secret/set.yaml")
    assert (diff().stdout, git("status", "--short")) == (SAME, "")
    assert "log-agent" in run("inject", "-s", "git:HEAD:secret/set.yaml", "web.yaml").stdout
    assert run("hash", "git:..HEAD:secret/set.yaml").stdout
    git("config", "filter.crypt.smudge", "false")
    git("config", "filter.crypt.required", "true")
    ended = diff()
    assert (ended.code, "secret/set.yaml" in ended.stderr) == (2, True), ended.stderr
