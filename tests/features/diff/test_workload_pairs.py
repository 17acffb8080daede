"""Which workload of one tree is which of the other: by name, without a name, and after a move."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

JOB = """apiVersion: batch/v1
kind: Job
metadata: {generateName: migrate-, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {restartPolicy: Never, containers: [{name: migrate, image: migrate}]}
"""
BARE = (
    "\napiVersion: v1\nkind: Pod\nmetadata: {generateName: p-, labels: {app: web}}\nspec: {containers: [{name: w}]}\n"
)
MOVED = "it moves from namespace shop to web"
OF_SHOP = SET.replace(
    "spec:\n", "spec:\n  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}\n", 1
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(name: str, *texts: str) -> None:
    Path(name).mkdir(exist_ok=True)
    Path(name, "all.yaml").write_text("---\n".join(texts))


def diff(*options: str) -> Ended:
    return run("diff", "--before", "old", "--after", "new", *options)


def test_workloads_with_a_generate_name_are_compared_one_by_one() -> None:
    tree("old", SET, JOB, JOB, JOB.replace("Name: ", "Name: x"))
    tree("new", SET, JOB, JOB.replace("app: web", "app: other"), JOB.replace("generateName", "name"))
    ended = diff()
    assert "4 workloads: 1 changed, 1 unchanged, 1 added, 1 removed" in ended.stdout
    assert "SidecarLost: 1 pod of 1 workload no longer gets its sidecars" in ended.stdout
    assert "DuplicateWorkload" not in ended.stderr


def test_workloads_and_pods_without_a_name_all_count() -> None:
    tree("new", SET, JOB, JOB, BARE, BARE.replace("name: w", "name: v"), BARE)
    assert "5 of 5 pods have sidecars" in run("cost", "new").stdout


def test_a_workload_that_moves_and_loses_its_sidecars() -> None:
    tree("old", OF_SHOP, DEPLOYMENT)
    tree("new", OF_SHOP, DEPLOYMENT.replace("namespace: shop", "namespace: web"))
    ended = diff()
    assert ended.code == 1
    assert MOVED in diff("-o", "markdown").stdout
    assert f"{MOVED} (new/all.yaml:" in ended.stdout
    assert "1 workload: 1 changed" in ended.stdout


def test_a_workload_that_moves_and_gains_or_keeps_them() -> None:
    tree("old", OF_SHOP, DEPLOYMENT.replace("namespace: shop", "namespace: web"))
    tree("new", OF_SHOP, DEPLOYMENT)
    assert "logs: itself unchanged, SidecarGained" in diff().stdout
    tree("old", SET, DEPLOYMENT.replace("namespace: shop", "namespace: web"))
    tree("new", SET, DEPLOYMENT)
    ended = diff()
    assert (ended.code, ended.stderr) == (0, "")
    assert "1 workload: 1 unchanged" in ended.stdout


def test_a_move_between_selected_namespaces_names_the_label_that_is_lost() -> None:
    tree("old", SET, DEPLOYMENT)
    tree("new", SET, DEPLOYMENT.replace("namespace: shop", "namespace: x").replace("app: web", "app: api"))
    assert "it moves from namespace shop to x; label app of the pod template: web → api" in diff().stdout


def test_the_namespace_that_a_workload_moves_to_is_not_selected() -> None:
    namespaces = "".join(
        f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {{mesh: '{mesh}'}}}}\n---\n"
        for name, mesh in (("shop", "on"), ("web", "off"))
    )
    selecting = SET.replace("spec:\n", "spec:\n  namespaceSelector: {matchLabels: {mesh: 'on'}}\n", 1)
    tree("old", namespaces + selecting, DEPLOYMENT)
    tree("new", namespaces + selecting, DEPLOYMENT.replace("namespace: shop", "namespace: web"))
    assert MOVED in diff().stdout


def test_what_is_ambiguous_did_not_move() -> None:
    elsewhere = [DEPLOYMENT.replace("namespace: shop", f"namespace: {name}") for name in ("a", "b")]
    tree("old", OF_SHOP, DEPLOYMENT)
    tree("new", OF_SHOP, *elsewhere)
    assert "3 workloads: 2 added, 1 removed" in diff().stdout
