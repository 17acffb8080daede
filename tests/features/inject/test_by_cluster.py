"""`inject` and `uninject` in a repository with clusters: each cluster's files by its own SidecarSets."""

import shutil
from pathlib import Path

import pytest

from tests.cli.running import run

SAMPLE = Path(__file__).parents[3] / "samples" / "fleet"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: new, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, image: web:1}]}
"""


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three clusters, of which us-1 has another SidecarSet logs."""
    shutil.copytree(SAMPLE, tmp_path / "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    return tmp_path / "fleet"


def test_the_check_judges_each_cluster_by_itself(fleet: Path) -> None:
    (fleet / "clusters/us-1/new.yaml").write_text(POD)
    ended = run("inject", "--check", "--diff")
    assert ended.code == 1, ended.stderr
    assert "to inject  clusters/us-1/new.yaml:1:1 Pod shop/new  cluster us-1: logs (log-agent)" in ended.stderr
    assert "drifted    clusters/us-1/pods.json:7:5 Pod shop/web-2  SidecarMissing: cluster us-1: " in ended.stderr
    alone = [run("inject", "--check", "--diff", "--only-cluster", name).stdout for name in ("eu-1", "eu-2", "us-1")]
    assert ended.stdout == "".join(alone)
    assert "{name: log-agent, image: 'registry.example.com/log-agent:2.0.0'" in alone[2].replace('"', "'")


def test_what_is_printed_is_what_each_cluster_prints_alone() -> None:
    joined = run("inject", "-o", "yaml").stdout
    alone = [run("inject", "-o", "yaml", "--only-cluster", name).stdout for name in ("eu-1", "eu-2", "us-1")]
    assert [part for part in joined.split("---\n") if part] == [
        part for text in alone for part in text.split("---\n") if part
    ]


def test_each_cluster_gets_a_folder_of_its_own() -> None:
    assert run("inject", "-d", "out").code == 0
    for name in ("eu-1", "eu-2", "us-1"):
        assert run("inject", "--only-cluster", name, "-d", f"alone/{name}").code == 0
        assert Path(f"out/{name}/pods.json").read_text() == Path(f"alone/{name}/pods.json").read_text()
    assert run("uninject", "-d", "back").code == 0
    assert '"name": "LEVEL"' not in Path("back/us-1/pods.json").read_text()


def test_nothing_is_written_if_a_cluster_cannot_be_read(fleet: Path) -> None:
    (fleet / "clusters" / "us-1" / "pods.json").write_text('{"apiVersion": "v1", "kind":')
    for words in (["--diff"], ["-d", "out"]):
        ended = run("inject", *words)
        assert (ended.code, ended.stdout, Path("out").exists()) == (2, "", False)
        assert "cluster us-1: " in ended.stderr


def test_named_files_are_injected_by_the_cluster_that_is_chosen(fleet: Path) -> None:
    (fleet / "web.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: new, namespace: shop, labels: {app: web}}\n"
        "spec: {containers: [{name: web, image: web:1}]}\n"
    )
    for name, image in (("eu-1", "log-agent:2.1.0"), ("us-1", "log-agent:2.0.0")):
        ended = run("inject", "web.yaml", "--only-cluster", name)
        assert ended.code == 0, ended.stderr
        assert image in ended.stdout
        assert ended.stdout.count("kind: Pod") == 1
        assert "web-0" not in ended.stdout


def test_a_file_of_one_cluster_gets_the_sidecars_of_that_cluster(fleet: Path) -> None:
    (fleet / "clusters/us-1/new.yaml").write_text(POD)
    ended = run("inject", "clusters/us-1/new.yaml")
    assert ended.code == 0, ended.stderr
    assert "note: with the SidecarSets of cluster us-1, which has these files [ClusterChosen]" in ended.stderr
    assert ended.stdout == run("inject", "clusters/us-1/new.yaml", "--only-cluster", "us-1").stdout
    assert "log-agent:2.0.0" in ended.stdout
    assert run("uninject", "-", stdin=ended.stdout.encode()).stdout == POD


def test_what_the_user_names_goes_before_the_cluster(fleet: Path) -> None:
    (fleet / "clusters/us-1/new.yaml").write_text(POD)
    ended = run("inject", "clusters/us-1/new.yaml", "-s", "clusters/eu-1")
    assert "ClusterChosen" not in ended.stderr
    assert "log-agent:2.0.0" not in ended.stdout


@pytest.mark.parametrize("name", ["web.yaml", "shared/new.yaml"])
def test_a_file_of_no_cluster_or_several_asks_which(name: str, fleet: Path) -> None:
    (fleet / name).parent.mkdir(exist_ok=True)
    (fleet / name).write_text(POD)
    ended = run("inject", name)
    assert (ended.code, ended.stdout) == (2, "")
    assert "no SidecarSet found in the inputs (choose a cluster with --only-cluster NAME: eu-1, eu-2, us-1)" in (
        ended.stderr
    )


def test_files_of_two_clusters_ask_which(fleet: Path) -> None:
    for name in ("eu-1", "us-1"):
        (fleet / f"clusters/{name}/new.yaml").write_text(POD)
    ended = run("inject", "clusters/us-1/new.yaml", "clusters/eu-1/new.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--only-cluster" in ended.stderr
