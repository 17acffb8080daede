"""Which release of Kruise a cluster runs: by the image of its controller, and what reports say about it."""

import json

import pytest

from sidecarctl.engine.facts.values import Value
from tests.cli.running import Ended, run
from tests.engine.kubectl.stand_in import MANAGER, PODS, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset

DIGEST = "@sha256:" + "0" * 64


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    strategy: Value = {"maxUnavailable": "1%"}
    kubectl.holds(SETS, sidecarset(updateStrategy=strategy).manifest | {"apiVersion": "apps.kruise.io/v1alpha1"})
    kubectl.holds(PODS, *(pod(f"p{index}") for index in range(10)))
    return kubectl


def plan(*options: str) -> Ended:
    return run("plan", "--live", *options)


def test_the_release_of_the_image_is_computed_and_said(cluster: StandIn) -> None:
    cluster.runs("registry.example.com:5000/openkruise/kruise-manager:v1.7.3")
    ended = plan()
    assert ended.code == 1
    assert "the cluster runs Kruise 1.7.3: the behavior of Kruise 1.7 is computed [RunningRelease]" in ended.stderr
    assert ended.stdout.startswith("behavior: Kruise 1.7\n\n")
    assert "Stalls" in ended.stdout
    cluster.runs("openkruise/kruise-manager:v1.8.3")
    assert plan().code == 0
    assert json.loads(plan("-o", "json").stdout)["behavior"] == "Kruise 1.8"


@pytest.mark.parametrize("version", ["1.10.0", "2.0.1", "1.10.0-rc.1"])
def test_a_newer_release_than_is_known_is_computed_as_the_newest(cluster: StandIn, version: str) -> None:
    cluster.runs(f"openkruise/kruise-manager:v{version}")
    ended = plan()
    assert ended.code == 0
    told = f"the cluster runs Kruise {version}, which is newer than what sidecarctl knows"
    assert f"{told}: the behavior of Kruise 1.9 is computed [RunningRelease]" in ended.stderr
    assert "--kruise" not in ended.stderr
    assert ended.stderr.count(version) == 1


def test_a_release_on_the_command_line_goes_before(cluster: StandIn) -> None:
    cluster.runs("openkruise/kruise-manager:v1.8.3")
    ended = plan("--kruise", "1.7")
    assert ended.code == 1
    assert "RunningRelease" not in ended.stderr


@pytest.mark.parametrize(
    "image", ["openkruise/kruise-manager", f"kruise-manager{DIGEST}", "kruise-manager:v1.7.5", "kruise-manager:edge"]
)
def test_an_image_that_tells_no_release_leaves_the_default(cluster: StandIn, image: str) -> None:
    cluster.runs(image)
    ended = plan("-o", "json")
    assert ended.code == 0
    assert ended.stderr.count("[KruiseUnknown]") == 1
    assert "the behavior of Kruise 1.9 is computed (name it with --kruise)" in ended.stderr
    assert json.loads(ended.stdout)["behavior"] == "Kruise 1.9"


def test_what_cannot_be_read_leaves_the_default(cluster: StandIn) -> None:
    cluster.fails(MANAGER, "Error from server (Forbidden): deployments.apps is forbidden\n")
    ended = plan()
    assert ended.code == 0
    assert "the Kruise version is unknown: Error from server (Forbidden): deployments.apps is" in ended.stderr
    assert "; the behavior of Kruise 1.9 is computed (name it with --kruise)" in ended.stderr


def test_status_asks_too(cluster: StandIn) -> None:
    cluster.runs("openkruise/kruise-manager:v1.7.0")
    ended = run("status", "--live")
    assert ended.stdout.startswith("behavior: Kruise 1.7.0\n\n")
    assert "the cluster runs Kruise 1.7.0" in ended.stderr
    assert "the cluster runs" not in run("status", "--live", "--kruise", "1.7.0").stderr
