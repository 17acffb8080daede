"""`plan --live` records which cluster it is for, and which Kruise runs there."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.cluster import version_in
from tests.cli.running import Ended, run
from tests.cluster.shop import KINDS
from tests.engine.kubectl.stand_in import KUBE_SYSTEM, MANAGER, PODS, SETS, StandIn, manager
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid

VERSIONS = {"resourceVersions": {kind: "7" for kind in KINDS if kind != "poddisruptionbudgets"}}
"""The cluster of these tests does not serve PodDisruptionBudgets."""


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, sidecarset("2").manifest)
    kubectl.holds(PODS, pod("p0"))
    return kubectl


def planned(*options: str) -> tuple[Object, str]:
    ended = run("plan", "--live", "-o", "json", *options)
    assert ended.code == 0, ended.stderr
    document: Object = json.loads(ended.stdout)
    assert_valid(document, "rollout-plan.json")
    return document, ended.stderr


def test_both_are_recorded() -> None:
    document, told = planned()
    assert document["cluster"] == {"uid": "the-cluster", "kruiseVersion": "1.9.0", **VERSIONS}
    assert told == "note: the cluster runs Kruise 1.9.0: the behavior of Kruise 1.9 is computed [RunningRelease]\n"


def test_a_plan_of_files_records_none(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "items": [sidecarset("2").manifest, pod("p0")]}))
    assert "cluster" not in json.loads(run("plan", tmp_path / "all.json", "-o", "json").stdout)


def test_what_may_not_be_read_is_a_note(cluster: StandIn) -> None:
    cluster.fails(KUBE_SYSTEM, 'Error from server (Forbidden): namespaces "kube-system" is forbidden\n')
    cluster.fails(MANAGER, "Error from server (Forbidden): deployments.apps is forbidden\n")
    document, told = planned("--strict")
    assert document["cluster"] == VERSIONS
    assert "note: kubectl get --raw /api/v1/namespaces/kube-system: the plan does not record its cluster" in told
    assert "[ClusterUnknown]" in told
    assert "the Kruise version is unknown: Error from server (Forbidden)" in told
    assert "[KruiseUnknown]" in told


def test_a_cluster_without_kruise(cluster: StandIn) -> None:
    cluster.fails(MANAGER, 'Error from server (NotFound): deployments.apps "kruise-controller-manager" not found\n')
    document, told = planned()
    assert document["cluster"] == {"uid": "the-cluster", **VERSIONS}
    assert "[KruiseUnknown]" in told


def test_an_image_by_digest(cluster: StandIn) -> None:
    image = f"openkruise/kruise-manager:v1.9.0@sha256:{'a' * 64}"
    cluster.says(MANAGER, stdout=json.dumps(manager(image)))
    assert f"the Kruise version is unknown: its image is {image}" in planned()[1]


def test_a_lost_connection_ends_it(cluster: StandIn) -> None:
    cluster.fails(MANAGER, "Unable to connect to the server: net/http: TLS handshake timeout\n")
    assert run("plan", "--live", "-o", "json").code == 2


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("openkruise/kruise-manager:v1.8.3", "1.8.3"),
        ("registry:5000/kruise-manager:1.10.0-rc.1", "1.10.0-rc.1"),
        ("registry:5000/kruise-manager", ""),
        ("kruise-manager:latest", ""),
        ("kruise-manager@sha256:1.2.3", ""),
        ("", ""),
    ],
)
def test_the_version_is_that_of_the_tag(image: str, version: str) -> None:
    assert version_in(image) == version


@pytest.mark.parametrize("command", ["plan", "status"])
@pytest.mark.parametrize("option", ["--kubeconfig", "--context"])
def test_a_connection_without_live(tmp_path: Path, command: str, option: str) -> None:
    (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "items": [sidecarset("2").manifest, pod("p0")]}))

    def ended(*options: str, env: dict[str, str] | None = None) -> Ended:
        return run(command, tmp_path / "all.json", *options, env=env)

    refused = ended(option, "x")
    assert (refused.code, refused.stdout) == (2, "")
    assert f"{option} needs --live" in refused.stderr
    assert ended(env={f"SIDECARCTL_{option.lstrip('-').upper()}": "x"}).code == 0
