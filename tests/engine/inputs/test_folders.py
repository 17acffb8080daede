"""What is read from a folder, and what is left out and counted."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import PATCH, TEMPLATE, git, make_repository


@pytest.fixture(autouse=True)
def k8s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of manifests in a repository, which is the working directory."""
    folder = make_repository(tmp_path) / "infra" / "k8s"
    monkeypatch.chdir(folder)
    return folder


LEFT_OUT = "note: left out 1 path that git ignores, 3 Helm templates and 2 kustomize patches"


def test_folders_are_read_with_their_subfolders() -> None:
    ended = run("inject", "--check", "-s", "platform/sidecarsets", "apps")
    assert ended.code == 1
    assert ended.stdout.count("to inject  ") == 0
    assert ended.stderr.count("to inject  ") == 2
    assert "2 to inject" in ended.stderr
    alone = run("inject", "--check", "--no-recursive", "-s", "platform/sidecarsets", "apps")
    assert "omit --no-recursive" in alone.stderr
    assert run("inject", "--check", "-R", "-s", "platform/sidecarsets", "apps").stderr == ended.stderr


@pytest.mark.parametrize(
    "call",
    [
        "inject -s platform .",
        "validate .",
        "plan platform apps clusters --from platform",
        "status .",
        "hash .",
        "diff . .",
        "validate --old git:HEAD .",
        "uninject .",
        "revisions list .",
        "revisions make .",
        "revisions restore . --revision 1",
        "convert . --to v1beta1",
        "explain .",
    ],
)
def test_charts_overlays_and_ignored_files_end_no_command(call: str) -> None:
    ended = run(*call.split())
    assert ended.code == 0, ended.stdout + ended.stderr
    assert "3 Helm templates and 2 kustomize patches" in ended.stdout + ended.stderr


def test_a_comparison_of_trees_tells_what_it_misses_by_file() -> None:
    ended = run("diff", "--before", "git:HEAD", "--after", ".")
    assert (ended.code, "Helm" in ended.stdout + ended.stderr) == (0, False)


def test_what_is_left_out_is_counted_in_one_line() -> None:
    ended = run("validate", "platform/sidecarsets", "apps", "clusters/prod")
    [line] = [line for line in ended.stdout.splitlines() if "left out" in line]
    assert line.startswith(LEFT_OUT)
    assert "helm template" in line
    assert "kustomize build" in line
    assert "--no-ignore" in line
    found = json.loads(run("validate", ".", "-o", "json").stdout)["findings"]
    assert [item["reason"] for item in found if "left out" in item["message"]] == ["LeftOut"]


def test_what_is_named_is_read() -> None:
    ended = run("inject", "-s", "platform", "apps/shop/chart/templates/web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "apps/shop/chart/templates/web.yaml" in ended.stderr
    assert run("hash", "clusters/prod/paused.yaml").stdout.startswith("logs  ")
    assert run("inject", "-s", "platform", "build").code == 2  # what git ignores
    ended = run("inject", "-s", "platform", "apps", "--no-ignore")
    assert (ended.code, "scratch.tmp.yaml" in ended.stderr) == (2, True)


def test_braces_in_strings_make_no_template() -> None:
    assert "{{ $labels.pod }} is down" in run("inject", "-s", "platform", "apps").stdout


def test_a_file_that_is_merely_broken_is_an_error(k8s: Path) -> None:
    (k8s / "apps" / "broken.yaml").write_text("apiVersion: v1\na: '{{ x }}'\nkind: [\n")
    assert run("inject", "-s", "platform", "apps").code == 2


def test_hidden_folders_are_left_out(k8s: Path) -> None:
    (k8s / "apps" / ".cache").mkdir()
    (k8s / "apps" / ".cache" / "web.yaml").write_text("apiVersion: v1\nkind: [\n")
    ended = run("inject", "--check", "-s", "platform", "apps")
    assert "1 hidden folder" in ended.stderr
    assert run("inject", "-s", "platform", "apps/.cache").code == 2
    assert run("inject", "-s", "platform", "apps", "--no-ignore").code == 2


def test_one_name_in_two_clusters_names_both_files(k8s: Path) -> None:
    (k8s / "clusters" / "dev").mkdir()
    (k8s / "clusters" / "dev" / "logs.yaml").write_text(SET.replace("2.4.1", "2.5.0"))
    ended = run("inject", "-s", ".", "apps")
    assert ended.code == 2
    assert "platform/sidecarsets/logs.yaml" in ended.stderr
    assert "clusters/dev/logs.yaml" in ended.stderr
    assert "--exclude" in ended.stderr
    assert run("inject", "-s", ".", "apps", "--exclude", "clusters/dev").code == 0


def test_editing_subfolders_in_place_needs_an_option(k8s: Path) -> None:
    ended = run("inject", "-i", "-s", "platform", "apps")
    assert (ended.code, ended.stdout) == (2, "")
    assert "-R" in ended.stderr
    assert (k8s / "apps/shop/web/deployment.yaml").read_text() == DEPLOYMENT
    assert run("inject", "-i", "-R", "-s", "platform", "apps").code == 0
    assert (k8s / "apps/shop/web/deployment.yaml").read_text() != DEPLOYMENT
    assert (k8s / "apps/shop/chart/templates/web.yaml").read_text() == TEMPLATE
    assert (k8s / "clusters/prod/paused.yaml").read_text() == PATCH


def test_files_and_manifests_that_were_read_are_counted() -> None:
    assert "; 5 files read" in run("inject", "--check", "-s", "platform", "apps").stderr
    assert "1 SidecarSet of 4 manifests in 7 files" in run("validate", "platform", "apps", "clusters").stderr


def test_exclude_applies_to_git_trees() -> None:
    words = ("diff", "--before", "git:HEAD", "--after", ".", "--exclude", "platform")
    assert "no SidecarSet found in either version" in run(*words).stderr
    assert run("hash", "git:HEAD", "--exclude", "sidecarsets").code == 2
    assert run("hash", "git:HEAD", "--exclude", "clusters").code == 0


def test_paths_of_a_revision_count_from_the_root() -> None:
    here = run("hash", "platform/sidecarsets/logs.yaml").stdout
    assert run("hash", "git:HEAD:infra/k8s/platform").stdout == here
    assert run("hash", "git:HEAD:./platform").stdout == here
    assert run("hash", "git:HEAD:../k8s/platform").stdout == here
    assert run("hash", "git:HEAD").stdout == here  # the current folder as it was
    assert run("hash", "git:HEAD:").stdout == here  # the whole repository
    ended = run("hash", "git:HEAD:platform")
    assert (ended.code, "git:HEAD:./platform" in ended.stderr) == (2, True)


def test_ignored_files_outside_of_repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "commit", "--allow-empty", "-qm", "second")
    (tmp_path / ".git").rename(tmp_path / "not-git")
    monkeypatch.chdir(tmp_path / "infra/k8s")
    ended = run("inject", "-s", "platform", "apps")
    assert (ended.code, "scratch.tmp.yaml" in ended.stderr) == (2, True)
