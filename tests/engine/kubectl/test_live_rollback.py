"""`rollback --live`: pods and SidecarSets as a kubectl that answers from recordings gives them."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.engine.kubectl.stand_in import KUBE_SYSTEM, PODS, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset


@pytest.fixture
def plan(kubectl: StandIn, tmp_path: Path) -> Path:
    """A plan whose one pod was updated since."""
    kubectl.holds(SETS, sidecarset("2").manifest)
    kubectl.holds(PODS, pod("p0", uid="u0"))
    ended = run("plan", "--live", "--kruise", "1.9", "-o", f"json={tmp_path}/plan.json")
    assert ended.code == 0, ended.stderr
    kubectl.holds(PODS, updated())
    return tmp_path / "plan.json"


def updated() -> Object:
    after = sidecarset("2")
    made = pod("p0", uid="u0", images={"agent": "agent:2", "app": "app:1"})
    texts = made["metadata"]["annotations"]
    texts["kruise.io/sidecarset-hash"] = texts["kruise.io/sidecarset-hash"].replace(sidecarset("1").hash, after.hash)
    return made


def back(plan: Path, *, code: int = 0) -> Ended:
    ended = run("rollback", plan, "--live", "-o", "text", "-o", f"json={plan.parent}/back.json")
    assert ended.code == code, ended.stderr
    return ended


def test_the_way_back_and_what_the_cluster_would_do(plan: Path) -> None:
    ended = back(plan)
    assert "agent: agent:2 -> agent:1" in ended.stdout
    assert "warning: SidecarSet logs: the SidecarSet in the cluster has other images" in ended.stderr
    document = json.loads((plan.parent / "back.json").read_text())
    assert document["cluster"]["uid"] == "the-cluster"


def test_another_cluster_is_refused(plan: Path, kubectl: StandIn) -> None:
    kubectl.says(KUBE_SYSTEM, stdout=json.dumps({"metadata": {"uid": "another"}}))
    assert "the plan is for another cluster" in back(plan, code=3).stderr
    assert not (plan.parent / "back.json").exists()
