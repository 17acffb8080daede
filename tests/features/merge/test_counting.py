"""What images, cost and diff count over all clusters is the sum of what they count in each."""

import json
from collections import Counter
from pathlib import Path

from sidecarctl.engine.api.pod_resources import Resources, amounts
from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.features.counts.test_cost_changes import changed, deployment, files
from tests.features.counts.test_costs import LOGS, MESH, bare, injected

PODS = {"eu": 3, "us": 2}


def clusters(folder: Path) -> list[str | Path]:
    """Two clusters with the same SidecarSets, and pods that one of them injected."""
    for name, number in PODS.items():
        pods = [injected(bare(f"{name}-{index}"), LOGS, MESH) for index in range(number)]
        files(folder, f"{name}.json", changed(LOGS, "agent:1", "agent:2"), MESH, *pods)
    return [word for name in PODS for word in ("--cluster", f"{name}={folder / f'{name}.json'}")]


def document(command: str, *arguments: str | Path) -> Object:
    made: Object = json.loads(run(command, *arguments, "-o", "json").stdout)
    return made


def test_images(tmp_path: Path) -> None:
    made = document("images", *clusters(tmp_path))
    found = {
        (item["name"], use["image"], use["way"]): use["pods"] for item in made["images"] for use in item["images"]
    }
    assert found == {("logs", "agent:1", "InPlace"): 5, ("mesh", "proxy:1", "Current"): 5}
    assert [item["updatedPods"] for item in made["sidecarSets"]] == [0, 5]
    text = run("images", *clusters(tmp_path)).stdout
    assert "  5 pods still run agent:1: 5 in place (5 Waiting)\n" in text


def test_costs(tmp_path: Path) -> None:
    made = document("cost", *clusters(tmp_path))
    total = sum((Resources(amounts(row["total"]["added"]["requests"])) for row in made["clusters"]), Resources())
    assert amounts(made["total"]["added"]["requests"]) == total.requests
    assert made["total"]["added"]["requests"]["cpu"] == "1500m"
    pods = Counter({row["name"]: row["total"]["pods"] for row in made["clusters"]})
    assert (made["total"]["pods"], pods) == (5, PODS)
    assert "5 of 5 pods have sidecars, which request 1.5 cores" in run("cost", *clusters(tmp_path)).stdout


def test_the_cost_of_a_change(tmp_path: Path) -> None:
    old, new = files(tmp_path, "old.json", LOGS), files(tmp_path, "new.json", changed(LOGS, "100m", "300m"))
    apps = {name: files(tmp_path, f"{name}.json", deployment("web", number)) for name, number in PODS.items()}
    named = [word for name, path in apps.items() for word in ("--cluster", f"{name}={path}")]
    none = files(tmp_path, "none.json", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    made = document("diff", old, new, *named, "--cluster", f"empty={none}")
    assert made["cost"] == {
        "pods": "workloads",
        "changedPods": 5,
        "change": {"requests": {"cpu": "1"}, "limits": {}},
        "clusters": 2,
    }
    assert "+1 core over 5 pods, in 2 clusters\n" in run("diff", old, new, *named).stdout
