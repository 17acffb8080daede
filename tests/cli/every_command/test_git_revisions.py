"""Paths that are git revisions: `git:REV[:PATH]`."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

NEWER = SET.replace("log-agent:2.4.1", "log-agent:2.5.0")


def git(*words: str, cwd: Path | None = None) -> str:
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *named, *words], check=True, capture_output=True, text=True, cwd=cwd)
    return done.stdout


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repository"
    (folder / "apps" / "below").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "set.yaml").write_text(SET)
    (folder / "apps" / "below" / "wéb.yaml").write_text(DEPLOYMENT)
    (folder / "notes.txt").write_text("no manifest")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    git("tag", "v1")
    (folder / "set.yaml").write_text(NEWER)
    git("commit", "-am", "second")
    return folder


def test_a_tree_of_a_revision_beside_the_folder(repository: Path) -> None:
    before = git("status", "--porcelain"), git("for-each-ref")
    ended = run("diff", "--before", "git:v1", "--after", ".")
    assert (ended.code, ended.stderr) == (0, "")
    assert "logs: InPlace: " in ended.stdout
    assert "Deployment shop/web: log-agent 2.4.1 → 2.5.0" in ended.stdout
    assert run("diff", "--before", "git:HEAD~1:.", "--after", "git:HEAD").stdout == ended.stdout
    assert (git("status", "--porcelain"), git("for-each-ref")) == before
    del repository


def test_single_files_and_folders_of_a_revision() -> None:
    ended = run("diff", "git:v1:set.yaml", "set.yaml")
    assert ended.stdout.startswith("logs: InPlace: ")
    ended = run("inject", "-s", "git:v1:set.yaml", "git:v1:apps")
    assert "log-agent:2.4.1" in ended.stdout
    assert run("inject", "-s", "git:v1", "git:v1:apps", "--no-recursive").code == 2


def test_names_in_messages_are_those_of_the_revision(repository: Path) -> None:
    (repository / "bad.yaml").write_text(SET.replace("image: registry", "image: 5 #"))
    git("add", ".")
    git("commit", "-m", "bad")
    ended = run("hash", "git:HEAD:bad.yaml")
    assert ended.stderr.startswith("error: git:HEAD:bad.yaml:11:12: SidecarSet logs: ")


def test_paths_with_dots_count_from_the_current_folder(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "apps")
    assert "2.4.1" in run("inject", "-s", "git:v1:../set.yaml", "git:v1", "-R").stdout
    ended = run("hash", "git:v1:../../x")
    assert (ended.code, "lies outside the repository" in ended.stderr) == (2, True)


def test_links_lead_to_files_of_the_revision_alone(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(SET)
    (repository / "inside.yaml").symlink_to("set.yaml")
    git("add", ".")
    git("commit", "-m", "link")
    assert run("hash", "git:HEAD:inside.yaml").stdout == run("hash", "set.yaml").stdout
    (repository / "outside.yaml").symlink_to(tmp_path / "secret.yaml")
    git("add", ".")
    git("commit", "-m", "out")
    ended = run("hash", "git:HEAD:outside.yaml")
    assert (ended.code, "something that is not a file of the revision" in ended.stderr) == (2, True)


def test_links_that_lead_to_no_file_are_passed_over_as_on_disk(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (repository / "folder.yaml").symlink_to("apps")
    git("add", ".")
    git("commit", "-m", "folder")
    on_disk, in_git = run("inject", "-s", "set.yaml", "."), run("inject", "-s", "set.yaml", "git:HEAD")
    assert (on_disk.code, in_git.code, on_disk.stdout) == (0, 0, in_git.stdout)
    for ended in (on_disk, in_git):
        assert "left out 1 symbolic link to a folder or out of the repository" in ended.stderr
    (tmp_path / "other" / "web.yaml").write_text(DEPLOYMENT)
    (repository / "outside.yaml").symlink_to(tmp_path / "other" / "web.yaml")
    (repository / "absolute.yaml").symlink_to(repository / "set.yaml")
    (repository / "above.yaml").symlink_to("../other")
    (repository / "beside.yaml").symlink_to("../other/web.yaml")
    (repository / "missing.yaml").symlink_to("../other/missing.yaml")
    git("add", ".")
    git("commit", "-m", "out")
    for path in ("git:HEAD", "."):
        ended = run("inject", "-s", "set.yaml", path)
        assert (ended.code, ended.stdout) == (0, in_git.stdout)
        assert "left out 6 symbolic links to folders or out of the repository" in ended.stderr
    (repository / "nowhere.yaml").symlink_to("nothing.yaml")
    git("add", ".")
    git("commit", "-m", "nowhere")
    for path in ("git:HEAD", "."):
        ended = run("inject", "-s", "set.yaml", path)
        assert (ended.code, "nowhere.yaml" in ended.stderr) == (2, True)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("git:", "git: does not name a revision"),
        ("git:nowhere", "git does not know the revision nowhere (if the clone is shallow: fetch-depth: 0"),
        ("git:--help", "git does not know the revision --help"),
        ("git:v1:nothing", "there is no nothing in v1"),
    ],
)
def test_what_git_does_not_give(path: str, said: str) -> None:
    ended = run("diff", path, "set.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_variable_of_ci_that_is_empty() -> None:
    """The settings, too, are looked for in the revision."""
    Path(".sidecarctl.yaml").write_text("paths: [apps]\n")
    for words in ("diff --before", "validate --old", "plan --from"):
        ended = run(*words.split(), "git:")
        assert (ended.code, "git: does not name a revision" in ended.stderr) == (2, True), ended.stderr


def test_a_shallow_clone_that_lacks_the_base(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "--depth", "1", f"file://{repository}", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    ended = run("diff", "--before", "git:v1", "--after", ".")
    assert ended.code == 2
    assert "the clone is shallow and lacks it: fetch-depth: 0 of actions/checkout" in ended.stderr


def test_no_repository_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert "not a git repository" in run("hash", "git:v1").stderr
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = run("hash", "git:v1")
    assert (ended.code, "git cannot be run" in ended.stderr) == (2, True)


def test_a_revision_cannot_be_written_back() -> None:
    ended = run("inject", "-i", "-s", "set.yaml", "git:v1:apps/below/wéb.yaml")
    assert (ended.code, "written" in ended.stderr) == (2, True)


def commit(text: str, message: str) -> None:
    Path("set.yaml").write_text(text)
    git("commit", "-am", message)


def images(*words: str) -> list[str]:
    ended = run("revisions", "make", "set.yaml", "--every", "-o", "json", *words)
    assert ended.code == 0, ended.stderr
    found = json.loads(ended.stdout)
    stored = sorted(found["items"] if found["kind"] == "List" else [found], key=lambda item: int(item["revision"]))
    return [item["data"]["spec"]["containers"][0]["image"].partition(":")[2] for item in stored]


def test_all_versions_that_a_file_had_are_earlier_revisions() -> None:
    commit(SET.replace("2.4.1", "3.0.0"), "third")
    commit(SET.replace("2.4.1", "3.0.0") + "# a comment alone\n", "fourth")
    assert images("--revision-from", "git:..HEAD:set.yaml") == ["2.4.1", "2.5.0", "3.0.0"]
    assert images("--revision-from", "git:HEAD~2..HEAD:set.yaml") == ["2.5.0", "3.0.0"]
    assert images("--revision-from", "git:v1..HEAD~2:set.yaml") == ["2.4.1", "2.5.0", "3.0.0"]
    commit(SET, "back again")  # Kruise gives the old revision a new number
    assert images("--revision-from", "git:..:set.yaml") == ["2.5.0", "3.0.0", "2.4.1"]


def test_the_history_of_a_file_in_a_folder_below(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "apps")
    ended = run("revisions", "list", "../set.yaml", "--revision-from", "git:..main:../set.yaml")
    assert ended.stdout.startswith("logs: 2 revisions")


def test_a_merged_branch_counts_as_what_the_main_branch_had() -> None:
    git("checkout", "-b", "side")
    commit(SET.replace("2.4.1", "9.0.0-try"), "try")
    commit(SET.replace("2.4.1", "3.0.0"), "done")
    git("checkout", "main")
    git("merge", "--no-ff", "side", "-m", "merge")
    assert images("--revision-from", "git:..main:set.yaml") == ["2.4.1", "2.5.0", "3.0.0"]


def test_a_version_that_cannot_be_read_is_named_with_its_commit() -> None:
    commit("kind: [\n", "broken")
    name = git("rev-parse", "HEAD").strip()[:12]
    commit(NEWER, "mended")
    ended = run("revisions", "list", "set.yaml", "--revision-from", "git:..main:set.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert f"git:{name}:set.yaml:" in ended.stderr


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("git:..main", "does not name the file whose versions to read"),
        ("git:v1...main:set.yaml", "does not name the file whose versions to read"),
        ("git:..main:nothing.yaml", "no version of nothing.yaml"),
        ("git:nowhere..main:set.yaml", "git does not know the revision nowhere"),
    ],
)
def test_ranges_that_give_nothing(word: str, told: str) -> None:
    ended = run("revisions", "list", "set.yaml", "--revision-from", word)
    assert (ended.code, ended.stdout) == (2, "")
    assert told in ended.stderr


def test_a_shallow_clone_does_not_pass_for_a_whole_history(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("clone", "--depth", "1", f"file://{repository}", str(repository.parent / "shallow"))
    monkeypatch.chdir(repository.parent / "shallow")
    ended = run("revisions", "list", "set.yaml", "--revision-from", "git:..HEAD:set.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "the clone is shallow" in ended.stderr


def test_an_update_is_validated_beside_a_revision() -> None:
    Path("set.yaml").write_text(SET.replace("name: log-agent", "name: agent"))
    for old in ("git:v1:set.yaml", "git:HEAD"):
        ended = run("validate", "set.yaml", "--old", old)
        assert ended.code == 1
        assert "[update-container-added]" in ended.stdout
    assert run("validate", "git:HEAD", "--old", "git:v1").code == 0


@pytest.fixture
def behind(repository: Path) -> Path:
    """A branch that adds a label and is behind main, which has moved to a new image since."""
    git("checkout", "-q", "-b", "side", "v1")
    git("checkout", "-q", "main")
    git("checkout", "-q", "side")
    (repository / "apps" / "below" / "wéb.yaml").write_text(DEPLOYMENT.replace("replicas: 2", "replicas: 3"))
    git("commit", "-am", "third")
    return repository


def test_a_branch_is_compared_with_where_it_left_the_revision(behind: Path) -> None:
    base, main = (git("rev-parse", "--short=12", revision).strip() for revision in ("v1", "main"))
    for words in ("diff --before git:main", "diff --before git:main:", "diff --before git:main:. --after ."):
        ended = run(*words.split())
        assert "1 SidecarSet: 1 unchanged" in ended.stdout, words
        assert f"note: compared with {base}, where HEAD left {words.split()[2]} ({main})" in ended.stderr
    assert "compared with" in run("validate", "--old", "git:main", ".").stdout
    del behind


def test_the_revision_itself_has_a_spelling_and_is_read_everywhere_else(behind: Path) -> None:
    for words in ("--before git:=main", "--before git:=main:. --after .", "git:main:set.yaml set.yaml"):
        ended = run("diff", *words.split())
        assert "log-agent 2.5.0 → 2.4.1" in ended.stdout or "2.5.0" in ended.stdout, words
        assert "compared with" not in ended.stderr
    assert "2.5.0" in run("inject", "-s", "git:main", "apps").stdout
    assert "2.5.0" in run("inject", "-s", "git:=main", "apps").stdout
    del behind


def test_a_merge_that_a_host_tests_is_compared_with_its_first_parent(behind: Path) -> None:
    side, main = (git("rev-parse", revision).strip() for revision in ("side", "main"))
    git("checkout", "-q", "--detach", "main")
    git("merge", "-q", "--no-ff", "-m", f"Merge {side} into {main}", "side")
    ended = run("diff", "--before", "git:v1")
    assert "1 SidecarSet: 1 unchanged" in ended.stdout
    assert f"compared with {main[:12]}" in ended.stderr
    git("checkout", "-q", "side")
    git("merge", "-q", "-m", "Merge branch 'main' into side", "main")
    ended = run("diff", "--before", "git:main")
    assert ("1 SidecarSet: 1 unchanged" in ended.stdout, ended.stderr) == (True, "")
    del behind


def test_no_merge_base_is_an_error_that_says_how_to_deepen(
    behind: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "-q", "--depth", "1", "--no-single-branch", f"file://{behind}", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    for command in ("diff --before", "validate . --old"):
        ended = run(*command.split(), "git:origin/main")
        assert ended.code == 2
        assert "git knows no merge base of origin/main and HEAD" in ended.stderr
        assert "git fetch --unshallow" in ended.stderr
    git("fetch", "-q", "--unshallow")
    assert "unchanged" in run("diff", "--before", "git:origin/main").stdout
    git("checkout", "-q", "--orphan", "unrelated")
    git("commit", "-m", "unrelated")
    ended = run("diff", "--before", "git:origin/main")
    assert (ended.code, "they have no common history" in ended.stderr) == (2, True)


@pytest.mark.parametrize(
    ("revision", "command"),
    [
        ("origin/main", "git fetch origin main:refs/remotes/origin/main"),
        ("HEAD~7", "git fetch --deepen 7"),
        ("HEAD~3^~", "git fetch --deepen 5"),
        ("v9", "git fetch origin v9"),
    ],
)
def test_the_command_that_fetches_a_revision(revision: str, command: str) -> None:
    ended = run("diff", "--before", f"git:{revision}")
    assert (ended.code, f"or {command})" in ended.stderr) == (2, True), ended.stderr


def test_advice_of_git_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    ended = run("diff", "--before", "git:HEAD")
    assert ended.code == 2
    assert "git config --global --add safe.directory" in ended.stderr
