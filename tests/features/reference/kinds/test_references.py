"""A Rollout with a workloadRef has the template that it names, in every command."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.features.reference.kinds.test_pod_sorts import ROLLOUT


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    Path("web.yaml").write_text(DEPLOYMENT)
    Path("rollout.yaml").write_text(ROLLOUT)
    return tmp_path


def test_explain_shows_the_template_at_its_place() -> None:
    ended = run("explain", "-s", "set.yaml", "rollout.yaml", "web.yaml", "-o", "json", "rollout/by-ref")
    assert ended.code == 0, ended.stderr
    [pod] = json.loads(ended.stdout)["pods"]
    assert pod["object"]["kind"] == "Rollout"
    assert pod["object"]["name"] == "by-ref"
    assert "web.yaml" in json.dumps(pod)
    assert "log-agent" in json.dumps(pod)
    every = json.loads(run("explain", "-s", "set.yaml", "rollout.yaml", "web.yaml", "-o", "json").stdout)
    assert sorted(item["object"]["kind"] for item in every["pods"]) == ["Deployment", "Rollout"]


def test_explain_says_that_the_template_is_missing() -> None:
    Path("other.yaml").write_text(DEPLOYMENT.replace("name: web", "name: other"))
    ended = run("explain", "-s", "set.yaml", "rollout.yaml", "other.yaml")
    assert "rollout.yaml:7:16" in ended.stderr + ended.stdout
    assert "Deployment web is not among the inputs: its pods are left out" in ended.stderr + ended.stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_as_pods_prints_its_pods(jobs: str) -> None:
    ended = run("inject", "-s", "set.yaml", "--as-pods", "--jobs", jobs, "rollout.yaml", "web.yaml")
    pods = [pod["metadata"] for pod in yaml.safe_load_all(ended.stdout) if pod]
    assert [pod["generateName"] for pod in pods] == ["by-ref-"] * 3 + ["web-"] * 2
    assert {pod["labels"]["app"] for pod in pods} == {"web"}
    Path("rollout.yaml").write_text(ROLLOUT.replace("name: web}", "name: web, scaleDown: onsuccess}"))
    ended = run("inject", "-s", "set.yaml", "--as-pods", "rollout.yaml", "web.yaml")
    assert [pod["metadata"]["generateName"] for pod in yaml.safe_load_all(ended.stdout) if pod] == ["by-ref-"] * 3
    alone = run("inject", "-s", "set.yaml", "--as-pods", "rollout.yaml")
    assert "Deployment web is not among the inputs: its pods are left out" in alone.stderr


def test_inject_writes_where_the_template_is() -> None:
    ended = run("inject", "-s", "set.yaml", "rollout.yaml", "web.yaml")
    assert ended.code == 0
    rollout, deployment = (item for item in yaml.safe_load_all(ended.stdout) if item)
    assert "template" not in rollout["spec"]
    assert len(deployment["spec"]["template"]["spec"]["containers"]) == 2
    note = "rollout.yaml:2:1: Rollout argoproj.io: the pods of 1 have the template of Deployment web"
    assert note in ended.stderr
    Path("rollout.yaml").write_text(f"{ROLLOUT}---\n{ROLLOUT.replace('by-ref', 'other').replace('web', 'api')}")
    again = run("inject", "-s", "set.yaml", "rollout.yaml")
    assert "the pods of 2 have the template of Deployment web and Deployment api" in again.stderr


def trees() -> None:
    for name, one in (("old", "set.yaml"), ("now", "new.yaml")):
        Path(name).mkdir()
        Path(name, "set.yaml").write_text(Path(one).read_text())
        for file in ("web.yaml", "rollout.yaml"):
            Path(name, file).write_text(Path(file).read_text())


def test_trees_are_compared_with_it() -> None:
    trees()
    ended = run("diff", "--before", "old", "--after", "now", "-o", "json")
    workloads = json.loads(ended.stdout)["workloads"]
    changed = {item["kind"]: item["change"] for item in workloads}
    assert changed == {"Deployment": "changed", "Rollout": "changed"}


def test_lost_and_gained_pods_count_it() -> None:
    Path("new.yaml").write_text(SET.replace("app: web", "app: other"))
    ended = run("diff", "set.yaml", "new.yaml", "web.yaml", "rollout.yaml", "-o", "json")
    [change] = json.loads(ended.stdout)["sidecarSets"]
    assert {item["object"]["kind"]: item["pods"] for item in change["lost"]} == {"Deployment": 2, "Rollout": 3}


@pytest.mark.parametrize("new", ["new.yaml", "set.yaml"])
def test_diff_says_that_the_template_is_missing(new: str) -> None:
    ended = run("diff", "set.yaml", new, "rollout.yaml")
    assert ended.stderr.count("Deployment web is not among the inputs: its pods are left out") == 1


def test_an_upgrade_of_kruise_looks_at_it() -> None:
    Path("set.yaml").write_text(SET.replace("  containers:", "  initContainers: [{name: a, image: 'a:1', "
                                            "restartPolicy: Always}]\n  containers:"))  # fmt: skip
    words = ["--kruise-from", "1.5", "--kruise-to", "1.9", "--allow-unknown", "-o", "json"]
    ended = run("diff", "set.yaml", "web.yaml", "rollout.yaml", *words)
    kinds = {item["object"]["kind"] for item in json.loads(ended.stdout)["recreatedPods"]}
    assert kinds == {"Deployment", "Rollout"}
