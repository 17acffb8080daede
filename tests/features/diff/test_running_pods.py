"""`diff --before TREE PODS`, and `pods` of clusters: the pods that run are counted, not only replicas."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git

NEWER = SET.replace("2.4.1", "2.5.0")
IN_SHOP = SET.replace("  containers:", "  namespaceSelector: {matchLabels: {mesh: 'on'}}\n  containers:", 1)


def dump(number: int, name: str, **labels: str) -> str:
    """Running pods with the SidecarSet that is in `base`, and their Namespace."""
    shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{name}-{index}", "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        }
        for index in range(number)
    ]
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": [shop, *pods]})
    injected = json.loads(run("inject", "-s", "set.yaml", "-o", "json", "-q", "-", stdin=listed.encode()).stdout)
    for item in injected["items"][1:]:
        ready = [{"name": each["name"], "image": each["image"], "ready": True} for each in item["spec"]["containers"]]
        conditions = [{"type": "Ready", "status": "True"}]
        item["status"] = {"phase": "Running", "conditions": conditions, "containerStatuses": ready}
    return json.dumps(injected)


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two clusters that share a SidecarSet, a workload in each, and dumps outside of the repository."""
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    top = tmp_path / "repository"
    for name, replicas in {"eu": 2, "us": 3}.items():
        (top / f"clusters/{name}").mkdir(parents=True)
        (top / f"clusters/{name}/web.yaml").write_text(DEPLOYMENT.replace("replicas: 2", f"replicas: {replicas}"))
        (tmp_path / f"{name}.json").write_text(dump(7 if name == "eu" else 9, name))
    (top / "base").mkdir()
    (top / "base/logs.yaml").write_text(SET)
    monkeypatch.chdir(top)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(top, *words)
    return top


def test_the_dump_is_counted_and_the_workloads_are_compared() -> None:
    Path("base/logs.yaml").write_text(NEWER)
    alone = run("diff", "--before", "git:HEAD", "--after", "base", "--after", "clusters/eu")
    assert "all 2 pods" in alone.stdout
    ended = run("diff", "--before", "git:HEAD", "--after", "base", "--after", "clusters/eu", "../eu.json")
    assert ended.code == 0, ended.stderr
    assert "rollout over the running pods: " in ended.stdout
    assert "7 pods" in ended.stdout
    assert "Deployment shop/web: log-agent 2.4.1" in ended.stdout


def test_running_pods_that_lose_their_sidecars_are_named() -> None:
    Path("base/logs.yaml").write_text(SET.replace("app: web", "app: api"))
    ended = run("diff", "--before", "git:HEAD:base", "--after", "base", "../eu.json")
    assert ended.code == 1
    assert "7 running pods (Pod shop/eu-0" in ended.stdout


def test_the_labels_of_namespaces_may_be_in_the_dump(tmp_path: Path) -> None:
    Path("base/logs.yaml").write_text(IN_SHOP)
    words = ("diff", "--before", "git:HEAD", "--after", "base", "--after", "clusters/eu")
    assert "NamespaceUnknown" in run(*words).stderr
    os.chdir("..")
    (tmp_path / "eu.json").write_text(dump(7, "eu", mesh="on"))
    os.chdir("repository")
    assert "NamespaceUnknown" not in run(*words, "../eu.json").stderr


def test_a_dump_without_pods_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "eu.json").write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}')
    ended = run("diff", "--before", "git:HEAD", "--after", "base", "../eu.json")
    assert (ended.code, ended.stdout) == (2, "")
    assert "no pods or workloads found in ../eu.json (beside --before these are dumps of running pods" in ended.stderr


def test_the_dumps_of_clusters_are_in_the_settings() -> None:
    settings = "clusters:\n- paths: [clusters/*]\n  include: [base]\n"
    of_each = "".join(f"- {{name: {name}, pods: [../{name}.json]}}\n" for name in ("eu", "us"))
    Path(".sidecarctl.yaml").write_text(settings)
    git(Path.cwd(), "add", ".")
    git(Path.cwd(), "commit", "-qm", "settings")
    Path("base/logs.yaml").write_text(NEWER)
    before = run("diff", "--before", "git:HEAD", "-o", "markdown").stdout
    assert "all 2 pods" in before
    Path(".sidecarctl.yaml").write_text(f"{settings}{of_each}")
    after = run("diff", "--before", "git:HEAD", "-o", "markdown").stdout
    assert "eu: Only images change: all 7 pods" in after
    assert "us: Only images change: all 9 pods" in after
    (item,) = json.loads(
        run("diff", "--before", "git:HEAD", "--only-cluster", "us", "-o", "json").stdout
    )["sidecarSets"]  # fmt: skip
    assert (item["rollout"]["pods"], item["rollout"]["matchedPods"]) == ("running", 9)
    two_versions = run("diff", "base/logs.yaml", "base/logs.yaml", "--only-cluster", "us", "-o", "json").stdout
    assert json.loads(two_versions)["sidecarSets"][0]["verdict"] == "NoEffect"


def test_one_dump_is_not_that_of_several_clusters() -> None:
    Path(".sidecarctl.yaml").write_text("clusters:\n- paths: [clusters/*]\n  include: [base]\n")
    ended = run("diff", "--before", "git:HEAD", "../eu.json")
    assert ended.code == 2
    assert "a dump of PODS is for one cluster (choose it with --only-cluster NAME)" in ended.stderr
    Path("base/logs.yaml").write_text(NEWER)
    one = run("diff", "--before", "git:HEAD", "../eu.json", "--only-cluster", "eu")
    assert "7 pods" in one.stdout


def test_a_dump_that_is_not_there_is_an_error_with_its_line() -> None:
    Path(".sidecarctl.yaml").write_text("clusters:\n- paths: [clusters/*]\n  pods: [gone.json]\n")
    ended = run("diff", "--before", "git:HEAD")
    assert ended.code == 2
    assert ".sidecarctl.yaml:3:10: clusters[0].pods[0]: there is no such file or folder" in ended.stderr


def test_a_dump_below_the_new_version_is_counted_once() -> None:
    new = Path("new")
    new.mkdir()
    (new / "logs.yaml").write_text(NEWER)
    (new / "eu.json").write_text(Path("../eu.json").read_text())
    ended = run("diff", "base", "new", "new/eu.json")
    assert "all 7 pods" in ended.stdout
    assert run("diff", "base", "new").stdout == ended.stdout
