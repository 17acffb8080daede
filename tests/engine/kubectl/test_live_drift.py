"""`drift --live`: the SidecarSets of a cluster against those of files; kubectl answers from recordings."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.kubectl.stand_in import NAMESPACES, PODS, REVISIONS, SETS, StandIn
from tests.features.drift.drifting import injected, revision_of
from tests.features.drift.test_mutations import pod, sidecarset
from tests.schemas import assert_valid


def stored(made: Object, name: str = "logs", /, **status: Any) -> Object:
    metadata = {"name": name, "uid": f"uid-{name}", "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {**made, "metadata": metadata, "status": status}


def kept(made: Object, name: str) -> Object:
    manifest = revision_of(stored(made, name))
    manifest["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    return manifest


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    counts: Object = {"matchedPods": 1, "updatedPods": 1, "readyPods": 1, "updatedReadyPods": 1}
    kubectl.holds(
        SETS,
        stored(sidecarset(), **counts | {"observedGeneration": 2, "updatedPods": 0}),
        stored(sidecarset(selector={"matchLabels": {"app": "db"}}), "there"),
    )
    kubectl.holds(NAMESPACES)
    kubectl.holds(REVISIONS, kept(sidecarset(), "logs"), kept(sidecarset(), "gone"))
    kubectl.holds(PODS, injected(pod([{"name": "web", "image": "app:1"}]), sidecarset()))
    return kubectl


def document(*arguments: str | Path) -> Object:
    made: Object = json.loads(run("drift", "--live", "--kruise", "1.9", *arguments, "-o", "json").stdout)
    assert_valid(made, "drift-report.json")
    return made


def states(made: Object) -> dict[str, list[str]]:
    return {item["name"]: pod["states"] for item in made["sidecarSets"] for pod in item["pods"]}


def test_the_cluster_alone() -> None:
    made = document()
    assert states(made) == {"logs": ["InSync"]}
    assert made["differingSets"] == []
    assert made["lags"] == [
        {"name": "logs", "field": "observedGeneration", "recorded": 2, "actual": 3},
        {"name": "logs", "field": "updatedPods", "recorded": 0, "actual": 1},
    ]
    assert [name.rpartition("-")[0] for name in made["orphanedRevisions"]] == ["gone"]


def test_the_cluster_against_files(tmp_path: Path) -> None:
    here = {**sidecarset(), "metadata": {"name": "here"}}
    (tmp_path / "sets.json").write_text(json.dumps({"kind": "List", "items": [sidecarset("log:2"), here]}))
    made = document(tmp_path / "sets.json")
    assert {item["name"]: item["where"] for item in made["differingSets"]} == {
        "here": "OnlyInFiles",
        "logs": "Different",
        "there": "OnlyInCluster",
    }
    (field,) = made["differingSets"][1]["fields"]
    assert field == {"field": "spec.containers[log].image", "cluster": "log:1", "files": "log:2"}
    assert states(made)["logs"] == ["Behind"]
    text = run("drift", "--live", "--kruise", "1.9", tmp_path / "sets.json").stdout
    assert "spec.containers[log].image: log:1 in the cluster, log:2 in the files" in text
    assert run("drift", "--live", "--kruise", "1.9", tmp_path / "sets.json", "--exit-code").code == 1


def test_earlier_manifests_of_a_live_sidecarset(cluster: StandIn, tmp_path: Path) -> None:
    cluster.holds(SETS, stored(sidecarset("log:2")))
    cluster.holds(REVISIONS)
    (tmp_path / "older.json").write_text(json.dumps(sidecarset()))
    assert states(document()) == {"logs": ["Unknown"]}
    assert states(document("--revision-from", tmp_path / "older.json")) == {"logs": ["Behind"]}
