"""What was wrong before a change never fails; what the change breaks does, and the rest is reported."""

from pathlib import Path

import pytest

from tests.cli.every_command.test_git_revisions import git
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

BROKEN = "apiVersion: [\n"
NOTED = """apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: p}
spec: {containers: [{name: a, image: a}]}
"""


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init")
    write(set=SET, web=DEPLOYMENT)
    return tmp_path


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.yaml").write_text(text)


def commit(**files: str) -> None:
    write(**files)
    git("add", ".")
    git("commit", "-m", "before")


def diff() -> Ended:
    return run("diff", "--before", "git:HEAD")


def test_a_note_in_the_base_is_nothing() -> None:
    commit(prometheus=NOTED)
    ended = run("validate", "--old", "git:HEAD", ".")
    assert ended.code == 0, ended.stderr
    assert "error" not in ended.stderr


@pytest.mark.parametrize("broken", [BROKEN, SET.replace("containers:", "containers: 3 #")])
def test_a_change_that_repairs_a_file(broken: str) -> None:
    commit(odd=broken)
    write(odd="apiVersion: v1\nkind: ConfigMap\n")
    ended = run("validate", "--old", "git:HEAD", ".")
    assert ended.code == 0, ended.stderr
    assert "note: git:HEAD:odd.yaml" in ended.stdout
    assert "before the change: " in ended.stdout
    ended = diff()
    assert ended.code == 0
    assert "note: git:HEAD:odd.yaml" in ended.stderr
    assert "1 workload: 1 unchanged" in ended.stdout


def test_a_file_that_is_broken_in_both_is_named_and_the_rest_is_compared() -> None:
    commit(odd=BROKEN)
    write(set=SET.replace("2.4.1", "2.5.0"))
    ended = diff()
    assert ended.code == 0
    assert "note: odd.yaml:2:1: broken before and after the change, and left out: " in ended.stderr
    assert "log-agent 2.4.1 → 2.5.0" in ended.stdout
    Path("before").mkdir()
    Path("after").mkdir()
    for tree in ("before", "after"):
        write(**{f"{tree}/set": SET, f"{tree}/odd": BROKEN})
    assert run("diff", "--before", "before", "--after", "after").code == 0


@pytest.mark.parametrize("before", ["a: 1\n", "apiVersion: [\n\n# other\n"])
def test_a_file_that_the_change_breaks_fails_and_the_rest_is_reported(before: str) -> None:
    commit(odd=before)
    write(odd=BROKEN, set=SET.replace("2.4.1", "2.5.0"))
    ended = diff()
    assert ended.code == 2
    assert "error: odd.yaml:2:1: " in ended.stderr
    assert "log-agent 2.4.1 → 2.5.0" in ended.stdout


def test_a_loss_does_not_hide_in_a_file_without_objects() -> None:
    commit()
    write(web=DEPLOYMENT.replace("apiVersion: apps/v1\n", "").replace("kind: Deployment\n", ""))
    ended = diff()
    assert ended.code == 2
    assert "error: web.yaml: has no Kubernetes object, although git:HEAD:web.yaml had some" in ended.stderr
    write(web="a: [\n")
    assert (diff().code, "web.yaml: has no Kubernetes object" in diff().stderr) == (2, True)
    write(web="".join(f"# {line}\n" for line in DEPLOYMENT.splitlines()))
    assert diff().code == 0


def test_a_named_file_stays_an_error() -> None:
    commit(odd=BROKEN)
    for words in (
        ("validate", ".", "--old", "odd.yaml", "--exclude", "x"),
        ("validate", "set.yaml", "--old", "nowhere.yaml"),
        ("diff", "odd.yaml", "set.yaml"),
        ("diff", "--before", "odd.yaml", "--after", "set.yaml"),
        ("diff", "--before", "nowhere", "--after", "set.yaml"),
    ):
        assert run(*words).code == 2, words
