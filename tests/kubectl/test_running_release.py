"""Which release of Kruise a cluster runs: by the image of its controller, and what reports say of it."""

import json

import pytest

from sidecarctl.facts.values import Value
from sidecarctl.kubectl.running_release import release_of_deployment
from tests.cli.running import Ended, run
from tests.kubectl.stand_in import MANAGER, PODS, SETS, StandIn
from tests.rollout.manifests import pod, sidecarset

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
    assert "the cluster runs registry.example.com:5000/openkruise/kruise-manager:v1.7.3" in ended.stderr
    assert "the behaviour of Kruise 1.7 is computed [RunningRelease]" in ended.stderr
    assert ended.stdout.startswith("behaviour: Kruise 1.7\n\n")
    assert "Stalls" in ended.stdout
    cluster.runs("openkruise/kruise-manager:v1.8.3")
    assert plan().code == 0
    assert json.loads(plan("-o", "json").stdout)["behaviour"] == "Kruise 1.8"


def test_a_release_on_the_command_line_goes_before(cluster: StandIn) -> None:
    cluster.runs("openkruise/kruise-manager:v1.8.3")
    ended = plan("--kruise", "1.7")
    assert ended.code == 1
    assert "RunningRelease" not in ended.stderr
    assert not [call for call in cluster.calls if MANAGER.split()[0] in call]


@pytest.mark.parametrize(
    "image", ["openkruise/kruise-manager", f"kruise-manager{DIGEST}", "kruise-manager:v1.7.5", "kruise-manager:edge"]
)
def test_an_image_that_tells_no_release_leaves_the_default(cluster: StandIn, image: str) -> None:
    cluster.runs(image)
    ended = plan("-o", "json")
    assert ended.code == 0
    assert "the release of Kruise in the cluster is not known" in ended.stderr
    assert "name it with --kruise" in ended.stderr
    assert json.loads(ended.stdout)["behaviour"] == "Kruise 1.9 (with canary sets)"


def test_what_cannot_be_read_leaves_the_default(cluster: StandIn) -> None:
    cluster.fails(MANAGER, "Error from server (Forbidden): deployments.apps is forbidden\n")
    ended = plan()
    assert ended.code == 0
    assert "is not known (Error from server (Forbidden): deployments.apps is forbidden" in ended.stderr


def _deployment(*containers: Value) -> Value:
    return {"spec": {"template": {"spec": {"containers": list(containers)}}}}


@pytest.mark.parametrize(
    "deployment",
    [None, 5, {}, {"spec": []}, _deployment(), _deployment(None, 3), _deployment({"name": "manager", "image": 5})],
)
def test_a_deployment_of_any_shape_is_no_fault(deployment: Value) -> None:
    assert release_of_deployment(deployment).release is None


def test_the_controller_is_found_by_its_name() -> None:
    other, own = {"name": "proxy", "image": "proxy:v1.2.0"}, {"name": "manager", "image": "kruise-manager:v1.6.4"}
    found = release_of_deployment(_deployment(other, own)).release
    assert found is not None
    assert found.name == "1.6"
    assert release_of_deployment(_deployment(other, {"name": "x", "image": "kruise-manager:v1.6.4"})).release is None
