"""`images --live` and `cost --live`: pods and SidecarSets of a cluster; kubectl answers from recordings."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.kubectl.stand_in import NAMESPACES, PODS, REVISIONS, SETS, StandIn
from tests.features.counts.test_costs import LOGS, bare, injected
from tests.schemas import assert_valid

KINDS = {"images": "image-report.json", "cost": "cost-report.json"}


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, LOGS)
    kubectl.holds(NAMESPACES)
    kubectl.holds(REVISIONS)
    kubectl.holds(PODS, injected(bare("p0"), LOGS), injected(bare("p1"), LOGS))
    return kubectl


def document(command: str, *arguments: str | Path) -> Object:
    ended = run(command, "--live", "--kruise", "1.9", *arguments, "-o", "json")
    made: Object = json.loads(ended.stdout)
    assert_valid(made, KINDS[command])
    assert made["cluster"]["resourceVersions"]
    return made


def test_the_images_of_the_cluster_and_of_files_that_replace_its_sidecarsets(tmp_path: Path) -> None:
    ((use,),) = (item["images"] for item in document("images")["sidecarSets"])
    assert (use["image"], use["wanted"], use["pods"]) == ("agent:1", "agent:1", 2)
    (tmp_path / "new.json").write_text(json.dumps(LOGS).replace("agent:1", "agent:2"))
    ((use,),) = (item["images"] for item in document("images", tmp_path / "new.json")["sidecarSets"])
    assert (use["way"], use["wanted"]) == ("InPlace", "agent:2")


def test_the_cost_in_the_cluster() -> None:
    made = document("cost")
    assert made["total"]["added"]["requests"]["cpu"] == "200m"
    assert (made["pods"], made["total"]["injectedPods"]) == ("running", 2)


def test_pods_come_from_one_place_only() -> None:
    ended = run("images", "--live", "--from", "old.yaml")
    assert (ended.code, "--from" in ended.stderr) == (2, True)
