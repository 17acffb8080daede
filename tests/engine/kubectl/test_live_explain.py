"""`explain --live`, `revisions --live`, `status --live --exit-code`, with a kubectl that answers from recordings."""

import json

import pytest

from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.cli.running import run
from tests.engine.kubectl.stand_in import PODS, PODS_OF_SHOP, REVISIONS, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, sidecarset(customVersion="two").manifest)
    kubectl.holds(REVISIONS, new_revision(sidecarset("1", customVersion="one"), 1)._replace(name="logs-1").manifest)
    never = {**pod("p2"), "metadata": {**pod("p2")["metadata"], "annotations": {}}}
    kubectl.holds(PODS, pod("p0"), pod("p1"), never)
    return kubectl


def test_a_pod_of_the_cluster_is_explained_by_its_name() -> None:
    ended = run("explain", "--live", "p0", "logs", "-o", "json")
    assert ended.code == 0
    assert "[RunningRelease]" in ended.stderr
    document = json.loads(ended.stdout)
    assert_valid(document, "pod-explanation.json")
    [item] = document["pods"]
    assert (item["name"], item["sidecarSets"][0]["rollout"]["state"]) == ("p0", "Waiting")
    assert document["behavior"] == "Kruise 1.9"  # what the cluster runs


def test_all_pods_of_a_sidecarset_of_the_cluster() -> None:
    document = json.loads(run("explain", "--live", "logs", "-o", "json").stdout)
    assert_valid(document, "sidecarset-explanation.json")
    states = {group["example"]["rollout"]["state"] for group in document["groups"]}
    assert states == {"Waiting", "NeverInjected"}


def test_the_release_that_is_requested_counts_for_explain() -> None:
    assert run("explain", "--live", "--kruise", "1.8", "--allow-unknown", "logs").stdout.startswith(
        "behavior: Kruise 1.8\n"
    )


def test_revisions_of_the_cluster_with_the_pods_that_record_them() -> None:
    ended = run("revisions", "list", "--live", "-o", "json")
    assert ended.code == 0, ended.stderr
    [item] = json.loads(ended.stdout)["sidecarSets"]
    stored, latest = item["revisions"]
    assert (stored["name"], stored["customVersion"], len(stored["pods"])) == ("logs-1", "one", 2)
    assert (latest["customVersion"], latest["storedNumber"], item["latestRevision"]) == ("two", None, latest["name"])


def test_restoring_from_the_cluster() -> None:
    ended = run("revisions", "restore", "--live", "--revision", "one")
    assert "image: agent:1" in ended.stdout, ended.stderr


def test_one_namespace_is_a_partial_view(cluster: StandIn) -> None:
    cluster.holds(PODS_OF_SHOP, pod("p0"))
    for words in (("explain", "--live", "logs"), ("revisions", "list", "--live")):
        ended = run(*words, "-n", "shop")
        assert ended.code == 0
        assert "[PartialView]" in ended.stderr


def test_status_fails_for_pods_without_sidecars_if_requested(cluster: StandIn) -> None:
    assert run("status", "--live").code == 0
    ended = run("status", "--live", "--exit-code")
    assert ended.code == 1
    cluster.holds(PODS, pod("p0"), pod("p1"))
    assert run("status", "--live", "--exit-code").code == 0
