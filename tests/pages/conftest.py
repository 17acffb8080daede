"""Pages to open."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.pages.clusters import dump
from tests.pages.made_pages import MadePage
from tests.pages.mesh import write_mesh

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="session")
def plan_of_cluster(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    folder = tmp_path_factory.mktemp("plan")
    (folder / "dump.json").write_text(json.dumps(dump(120)))
    options = ("--by", "zone", "--pod-update-duration", "45s", "--assume-ready", "--max-unavailable", "9")
    return MadePage.of(folder, "plan", folder / "dump.json", *options)


@pytest.fixture(scope="session")
def status_of_cluster(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    folder = tmp_path_factory.mktemp("status")
    (folder / "dump.json").write_text(json.dumps(dump(260)))
    return MadePage.of(folder, "status", folder / "dump.json")


@pytest.fixture(scope="session")
def sweep_of_sample(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    sample = SAMPLES / "rollouts" / "partition-50"
    paths = (sample / "sidecarset.yaml", sample / "workloads.yaml", "--from", sample / "old.yaml")
    return MadePage.of(tmp_path_factory.mktemp("sweep"), "plan", *paths, "--sweep", "partition=0,20,50%")


@pytest.fixture(scope="session")
def diff_of_sample(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    sample, folder = SAMPLES / "rollouts" / "partition-50", tmp_path_factory.mktemp("diff")
    old, new = ((sample / name).read_text() for name in ("old.yaml", "sidecarset.yaml"))
    (folder / "old.yaml").write_text(old + renamed(old))
    (folder / "new.yaml").write_text(new + renamed(old).replace("    image:", "    args: [more]\n    image:"))
    return MadePage.of(folder, "diff", folder / "old.yaml", folder / "new.yaml", sample / "workloads.yaml")


def renamed(manifest: str) -> str:
    """Another SidecarSet, for other pods: two that select the same would conflict."""
    return "---\n" + manifest.replace("name: sidecarset", "name: recreated").replace("app: web", "app: other")


@pytest.fixture(scope="session")
def trees_of_shop(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    folder = tmp_path_factory.mktemp("trees")
    for name in ("before", "after"):
        shutil.copytree(SAMPLES / "shop" / "plain", folder / name)
    agent = folder / "after" / "sidecarsets" / "mesh-proxy.yaml"
    agent.write_text(re.sub(r"(image: \S+):\S+", r"\1:9.9", agent.read_text()))
    return MadePage.of(folder, "diff", "--before", folder / "before", "--after", folder / "after")


@pytest.fixture(scope="session")
def upgrade_of_sample(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    folder = tmp_path_factory.mktemp("upgrade")
    releases = ("--kruise-from", "1.5", "--kruise-to", "1.9")
    return MadePage.of(folder, "diff", *releases, SAMPLES / "shop" / "plain" / "sidecarsets")


@pytest.fixture(scope="session")
def drift_of_sample(tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    sample = SAMPLES / "drift"
    paths = (sample / "sidecarset.yaml", sample / "pods.json", "--revision-from", sample / "older.yaml")
    return MadePage.of(tmp_path_factory.mktemp("drift"), "drift", *paths)


@pytest.fixture(scope="session")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cluster of 300 pods."""
    folder = tmp_path_factory.mktemp("mesh")
    write_mesh(folder)
    return folder


@pytest.fixture(scope="session")
def status_of_mesh(mesh: Path, tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    folder = tmp_path_factory.mktemp("status")
    return MadePage.of(folder, "status", mesh / "after" / "sidecarsets.yaml", mesh / "pods.json")


@pytest.fixture(scope="session")
def validation_of_mesh(mesh: Path, tmp_path_factory: pytest.TempPathFactory) -> MadePage:
    paths = (mesh / "after", mesh / "pods.json", SAMPLES / "explain")
    return MadePage.of(tmp_path_factory.mktemp("validation"), "validate", *paths)
