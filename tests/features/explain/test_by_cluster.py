"""`explain` in a repository with clusters: it names the cluster that has the answer, or asks which."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import run

SAMPLE = Path(__file__).parents[3] / "samples" / "fleet"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: api, image: api:1}]}
"""


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three clusters with pods of one name, and a Deployment in one of them."""
    shutil.copytree(SAMPLE, tmp_path / "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    Path("clusters/us-1/api.yaml").write_text(DEPLOYMENT)


def test_the_cluster_that_has_a_workload_answers() -> None:
    ended = run("explain", "deployment/api")
    assert ended.code == 0, ended.stderr
    assert ended.stdout.startswith(
        "cluster us-1\n\nbehavior: Kruise 1.8\n\nDeployment shop/api: sidecars are injected"
    )
    alone = run("explain", "deployment/api", "--only-cluster", "us-1")
    assert ended.stdout == f"cluster us-1\n\n{alone.stdout}"
    for form in ("json", "yaml"):
        assert run("explain", "api", "-o", form).stdout == run(
            "explain", "api", "-o", form, "--only-cluster", "us-1"
        ).stdout  # fmt: skip


def test_a_pod_of_several_clusters_is_asked_for() -> None:
    ended = run("explain", "pod/web-0")
    assert (ended.code, ended.stdout) == (2, "")
    assert "pod/web-0: found in 3 clusters (eu-1, eu-2, us-1) (choose one with --only-cluster NAME)" in ended.stderr
    assert run("explain", "web-0", "--only-cluster", "eu-2").code == 0


def test_a_sidecarset_is_explained_for_each_cluster() -> None:
    ended = run("explain", "sidecarset/logs")
    assert ended.code == 0, ended.stderr
    for name in ("eu-1", "eu-2", "us-1"):
        alone = run("explain", "sidecarset/logs", "--only-cluster", name).stdout
        assert f"cluster {name}\n\n{alone}" in ended.stdout
    assert run("explain", "sidecarset/logs", "-o", "markdown").stdout.count("# Cluster ") == 3


def test_one_document_holds_one_cluster() -> None:
    ended = run("explain", "sidecarset/logs", "-o", "json")
    assert (ended.code, ended.stdout) == (2, "")
    assert "-o json is for one cluster, and there are several (eu-1, eu-2, us-1)" in ended.stderr
    one = run("explain", "sidecarset/logs", "-o", "json", "--only-cluster", "us-1")
    assert json.loads(one.stdout)["behavior"] == "Kruise 1.8"


def test_what_no_cluster_has_is_an_error_that_says_so() -> None:
    ended = run("explain", "deployment/apii")
    assert (ended.code, ended.stdout) == (2, "")
    assert "cluster us-1: deployment/apii: no pod or workload" in ended.stderr
    assert "2 clusters (eu-1, eu-2): deployment/apii" in ended.stderr


def test_a_cluster_that_cannot_be_read_ends_the_run() -> None:
    Path("clusters/eu-2/pods.json").write_text('{"apiVersion": "v1", "kind":')
    ended = run("explain", "deployment/api")
    assert (ended.code, ended.stdout) == (2, "")
    assert "cluster eu-2: " in ended.stderr


def test_named_files_are_no_clusters() -> None:
    ended = run("explain", "base", "clusters/us-1/api.yaml", "api")
    assert ended.code == 0, ended.stderr
    assert ended.stdout.startswith("Deployment shop/api")
