"""Which clusters a run is about, and what a wrong word about them leads to."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, image: web:1}]}
status: {phase: Running}
"""


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two clusters, one of which has a SidecarSet of its own, and a shared one."""
    for name in ("eu-1", "eu-2"):
        (tmp_path / "clusters" / name).mkdir(parents=True)
        (tmp_path / "clusters" / name / "pods.yaml").write_text(POD)
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "logs.yaml").write_text(SET)
    (tmp_path / "clusters" / "eu-2" / "logs.yaml").write_text(SET.replace("2.4.1", "2.5.0"))
    (tmp_path / "clusters" / "README.md").write_text("no cluster\n")
    say("clusters: [{paths: [clusters/*], include: [base]}]\n", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def say(text: str, folder: Path = Path()) -> None:
    (folder / ".sidecarctl.yaml").write_text(text)


def rows(*words: str) -> list[list[str]]:
    """The cells of the table, without its heading."""
    ended = run("status", *words)
    assert ended.code == 0, ended.stderr
    return [line.split() for line in ended.stdout.splitlines() if line.startswith("logs ")]


def _revision(*paths: str) -> str:
    """The revision that a run over these paths alone names."""
    lines = run("status", *paths, "--no-config").stdout.splitlines()
    return next(line.split()[1] for line in lines if line.startswith("  revision")).removeprefix("logs-")


def test_folders_are_clusters_and_share_what_they_do_not_replace() -> None:
    revisions = {row[-1]: row[1] for row in rows()}
    assert revisions == {"eu-1": _revision("base"), "eu-2": _revision("clusters/eu-2")}
    assert revisions["eu-1"] != revisions["eu-2"]


def test_the_settings_count_from_their_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("clusters")
    assert [row[-1] for row in rows()] == ["eu-1", "eu-2"]


def test_paths_on_the_command_line_mean_no_clusters_unless_they_are_named() -> None:
    ended = run("status", "clusters/eu-2")
    assert ended.stdout.startswith("logs: ")
    assert [row[-1] for row in rows("base", "--cluster", "eu-1")] == ["eu-1"]
    assert [row[-1] for row in rows("--cluster", "eu-*")] == ["eu-1", "eu-2"]
    assert [row[-1] for row in rows("base", "--cluster", "here=clusters/eu-1")] == ["here"]


def test_a_cluster_has_a_release_and_gates_of_its_own() -> None:
    say(
        "clusters:\n- {paths: [clusters/*], include: [base], kruise: '1.8'}\n"
        "- {name: '*-2', kruise: '1.6', featureGates: {SidecarTerminator: true}}\n"
    )
    ended = run("status", "-o", "json")
    assert '"behavior": "Kruise 1.8"' in ended.stdout
    assert '"behavior": "Kruise 1.6"' in ended.stdout
    every = run("status", "--kruise", "1.7", "-o", "json").stdout
    assert every.count('"behavior": "Kruise 1.7"') == 2


def test_a_name_is_what_the_last_wildcard_stands_for() -> None:
    Path("dumps").mkdir()
    Path("clusters/eu-1/pods.yaml").rename("dumps/eu-1.yaml")
    Path("clusters/eu-1").rmdir()
    say("clusters: [{paths: [dumps/*.yaml, 'clusters/*/logs.yaml'], include: [base]}]")
    assert [row[-1] for row in rows()] == ["eu-1", "eu-2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cluster eu-3", "--cluster eu-3"),
        ("--only-cluster eu-3", "--only-cluster eu-3"),
        ("--cluster =base", "--cluster =base needs a name and paths"),
        ("--cluster eu=base,", "needs a name and paths"),
        ("--cluster eu-1 -", "standard input (-) can be read only once, and there are several clusters"),
        ("--live --cluster eu-1", "--live reads one cluster"),
        ("--cluster a=base --cluster b=base --only-cluster c", "--only-cluster c"),
        ("--cluster eu=nowhere", "nowhere: cluster eu: cannot be read"),
    ],
)
def test_wrong_words(words: str, said: str) -> None:
    ended = run("status", *words.split())
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("clusters: [clusters/*, gone/*]", ".sidecarctl.yaml:1:24: clusters[1].paths[0]: there is no such file"),
        ("clusters: [{name: eu}]", ".sidecarctl.yaml:1:12: clusters[0]: no cluster before it is called eu"),
        ("clusters: [{include: [base]}]", "clusters[0]: neither a name nor paths"),
        ("clusters: [{paths: [clusters/*], kruise: '9.9'}]", "clusters[0].kruise: "),
        ("clusters: [{paths: [clusters/*], featureGates: {Sidecar: true}}]", "unknown feature gate Sidecar"),
        ("clusters: [{path: clusters}]", "path"),
        ("clusters: [/clusters]", "clusters[0]"),
    ],
)
def test_wrong_settings(settings: str, said: str) -> None:
    say(settings)
    ended = run("status")
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_cluster_that_cannot_be_read_fails_the_run_and_is_named(fleet: Path) -> None:
    (fleet / "clusters" / "eu-2" / "logs.yaml").write_text("apiVersion: v1\nspec: [")
    ended = run("status", "-o", "json=out.json", "-j", "2")
    assert (ended.code, Path("out.json").exists()) == (2, False)
    assert f"clusters{os.sep}eu-2{os.sep}logs.yaml:3:1: cluster eu-2: " in ended.stderr


def test_what_clusters_share_is_reported_once(fleet: Path) -> None:
    (fleet / "base" / "logs.yaml").write_text(f"{SET}  selectr: {{}}\n")
    (fleet / "clusters" / "eu-2" / "logs.yaml").unlink()
    ended = run("status")
    [line] = [line for line in ended.stderr.splitlines() if "selectr" in line]
    assert "2 clusters (eu-1, eu-2): " in line


@pytest.fixture
def committed(fleet: Path) -> Path:
    """The repository at its first commit, then with a newer image in eu-2 and a new cluster eu-3."""
    git(fleet, "init", "-q")
    git(fleet, "add", ".")
    git(fleet, "commit", "-qm", "first")
    (fleet / "clusters" / "eu-2" / "logs.yaml").write_text(SET.replace("2.4.1", "2.6.0"))
    (fleet / "clusters" / "eu-3").mkdir()
    (fleet / "clusters" / "eu-3" / "pods.yaml").write_text(POD)
    return fleet


def verdicts(*words: str) -> dict[str, str]:
    """The verdict for each cluster."""
    ended = run("diff", *words, "-o", "json")
    assert ended.stdout, ended.stderr
    rows = json.loads(ended.stdout)["clusters"]
    return {row["name"]: ", ".join(cell["verdict"] for cell in row["sidecarSets"]) for row in rows}


@pytest.mark.slow
def test_a_pull_request_in_each_cluster(committed: Path) -> None:
    del committed
    assert verdicts("--before", "git:HEAD") == {"eu-1": "NoEffect", "eu-2": "InPlace", "eu-3": "NoEffect"}
    assert verdicts("--before", "git:HEAD", "--cluster", "eu-2") == {"eu-2": "InPlace"}
    one = run("diff", "--before", "git:HEAD", "--only-cluster", "eu-2")
    assert "logs: InPlace" in one.stdout


@pytest.mark.slow
def test_what_validate_and_plan_look_back_at(committed: Path) -> None:
    (committed / "clusters" / "eu-2" / "logs.yaml").write_text(SET.replace("app: web", "app: x"))
    old = run("validate", "--old", "git:HEAD", "--cluster", "eu-2", "-o", "json")
    alone = run("validate", "--old", "git:HEAD:clusters/eu-2", "--no-config", "clusters/eu-2", "-o", "json")
    [row] = json.loads(old.stdout)["clusters"]
    found = [finding for finding in row["findings"] if finding["reason"] != "LeftOut"]  # what eu-2 replaces
    assert found == json.loads(alone.stdout)["findings"]
    assert any("selector" in finding["path"] for finding in found)
    (committed / "clusters" / "eu-2" / "web.yaml").write_text(DEPLOYMENT)
    (committed / "clusters" / "eu-2" / "pods.yaml").unlink()
    ended = run("plan", "--from", "git:HEAD", "--cluster", "eu-2", "-o", "json")
    assert [row["name"] for row in json.loads(ended.stdout)["clusters"]] == ["eu-2"], ended.stderr


def test_another_checkout_before(fleet: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    before = tmp_path_factory.mktemp("before")
    shutil.copytree(fleet, before, dirs_exist_ok=True)
    (fleet / "clusters" / "eu-2" / "logs.yaml").write_text(SET.replace("2.4.1", "2.6.0"))
    assert verdicts("--before", str(before)) == {"eu-1": "NoEffect", "eu-2": "InPlace"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("diff --before base --after base --cluster eu-1", "--after names the tree after the change"),
        (
            "plan --sweep partition=0,50% --cluster eu-1",
            "--sweep is for one cluster (choose it with --only-cluster NAME)",
        ),
        ("validate --baseline b.json --write-baseline", "--write-baseline is for one cluster"),
    ],
)
def test_what_is_for_one_cluster(words: str, said: str) -> None:
    ended = run(*words.split())
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_suppressed_findings_are_counted() -> None:
    ended = run(
        "validate", "--ignore", "no-resources", "-o", "text", "-o", "json=out.json", "--report", "json=run.json"
    )
    assert ended.stdout.endswith("2 suppressed\n")
    assert [row["suppressed"] for row in json.loads(Path("out.json").read_text())["clusters"]] == [1, 1]
    assert json.loads(Path("run.json").read_text())["counts"]["suppressed"] == 2


def test_one_set_in_many_clusters_is_not_a_duplicate() -> None:
    Path("clusters/eu-1/logs.yaml").write_text(SET.replace("2.4.1", "2.3.0"))
    assert run("diff", "--delete", "logs").stdout.startswith("diff of 2 clusters: 1 SidecarSet\n")
    assert run("inject", "--check", "--no-config", "clusters").code == 2


def test_validate_reports_on_the_others_where_a_file_cannot_be_read(fleet: Path) -> None:
    (fleet / "clusters" / "eu-2" / "logs.yaml").write_text("apiVersion: v1\nspec: [")
    ended = run("validate", "-o", "json", "-q")
    assert ended.code == 2
    first, second = json.loads(ended.stdout)["clusters"]
    assert {finding["rule"] for finding in first["findings"]} >= {"no-resources"}
    assert [finding["reason"] for finding in second["findings"] if finding["severity"] == "error"] == ["Syntax"]


def test_the_markdown_of_a_diff_is_a_comment_that_lists_what_was_found() -> None:
    Path("new.yaml").write_text(f"{SET}    env: [{{name: MODE, value: fast}}]\n")
    command = ("diff", "base/logs.yaml", "new.yaml", "--cluster", "*", "-q", "-o")
    comment = run(*command, "markdown", "--report", "json=run.json").stdout
    assert json.loads(Path("run.json").read_text())["counts"] == {"errors": 1, "warnings": 0, "notes": 1}
    head = "**1 SidecarSet changes in both clusters: logs Recreate**"
    assert comment.startswith(f"<!-- sidecarctl diff -->\n{head}\n")
    assert "- ❌ <code>new.yaml:12:10</code>: SidecarSet logs: spec" in comment
    assert ": 2 clusters (eu-1, eu-2): pods must be recreated to get this change" in comment
    Path("fleet.json").write_text(run(*command, "json").stdout)
    merged = run("merge", "fleet.json", "-q", "-o", "markdown").stdout
    assert merged == comment.replace("\nsettings: <code>.sidecarctl.yaml</code>\n", "")
