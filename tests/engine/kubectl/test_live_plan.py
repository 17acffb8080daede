"""`plan --live`: the whole way, with a kubectl that answers from recordings."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.kubectl.api_requests import (
    BUDGET_VERSIONS,
    DISRUPTION_BUDGETS,
    RECREATING,
    unavailable_budgets_path,
)
from tests.cli.running import Ended, run
from tests.engine.kubectl.stand_in import PODS, PODS_OF_SHOP, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.drift.drifting import injected
from tests.features.plan.test_together import bare, budget, together_set
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, sidecarset("2").manifest)
    kubectl.holds(PODS, pod("p0"), pod("p1"))
    return kubectl


def live(*options: str | Path) -> Ended:
    return run("plan", "--live", "--kruise", "1.9", *options)


def test_sets_and_pods_come_from_the_cluster() -> None:
    ended = live()
    assert (ended.code, ended.stderr) == (0, "")
    assert "agent: agent:1 -> agent:2" in ended.stdout
    ending = "Completes: all 2 pods updated after 2 waves.\n\nthe cluster was read at resourceVersion 7\n"
    assert ended.stdout.endswith(ending)


def test_a_set_among_paths_counts_in_the_place_of_the_live_one(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(json.dumps(sidecarset("3").manifest))
    assert "agent: agent:1 -> agent:3" in live(tmp_path / "set.json").stdout


def test_blocked_pods_are_read_again(cluster: StandIn) -> None:
    blocked = sidecarset("1", containers=[{"name": "agent", "image": "agent:1", "command": ["run"]}])
    cluster.holds(SETS, blocked.manifest)
    ended = live()
    assert ended.code == 1
    assert 'spec.containers[0].command: is absent, would be ["run"]' in ended.stdout


def test_the_inputs_are_named_by_their_commands() -> None:
    document = json.loads(live("-o", "json").stdout)
    assert [entry["pods"] for entry in document["inputs"]] == [0, 0, 0, 0, 2]
    assert document["inputs"][4]["file"].startswith("kubectl get --raw /api/v1/pods")


def test_a_sweep_names_when_the_cluster_was_read() -> None:
    document = json.loads(live("--sweep", "max-unavailable=1,2", "-o", "json").stdout)
    assert document["cluster"]["resourceVersions"]["pods"] == "7"
    assert_valid(document, "rollout-sweep.json")


def test_one_namespace_is_a_partial_view(cluster: StandIn) -> None:
    cluster.holds(PODS_OF_SHOP, pod("p0"))
    ended = live("-n", "shop")
    assert "1 matched" in ended.stdout
    assert "[PartialView]" in ended.stderr


def test_a_cluster_without_pods(cluster: StandIn) -> None:
    cluster.holds(PODS)
    ended = live()
    assert ended.code == 0
    assert "Nothing to do: the SidecarSet has no pods." in ended.stdout


def test_workloads_are_not_live(tmp_path: Path) -> None:
    ended = live("--from", tmp_path)
    assert ended.code == 2
    assert "use only one of them" in ended.stderr


def test_what_the_release_does_not_know_of_another_set_is_no_matter_of_only(cluster: StandIn) -> None:
    older, gap = (
        {**sidecarset("2", name=name).manifest, "apiVersion": "apps.kruise.io/v1alpha1"} for name in ("logs", "mesh")
    )
    gap["spec"]["containers"][0]["resourcesPolicy"] = {
        "targetContainersMode": "sum",
        "targetContainersNameRegex": ".*",
        "resourceExpr": {"limits": {"cpu": "100m"}},
    }
    cluster.holds(SETS, older, gap)
    every = run("plan", "--live", "--kruise", "1.8")
    assert (every.code, "UnknownToRelease" in every.stderr) == (1, True)
    chosen = run("plan", "--live", "--kruise", "1.8", "--only", "logs")
    assert (chosen.code, "UnknownToRelease" in chosen.stderr) == (0, False)


def test_a_viewer_of_one_namespace_gets_a_hint_how_to_read_only_that(cluster: StandIn) -> None:
    cluster.fails(PODS, "Error from server (Forbidden): pods is forbidden at the cluster scope")
    ended = live()
    assert (ended.code, "-n NAMESPACE" in ended.stderr) == (2, True)


def test_budgets_that_may_not_be_read_are_no_missing_budgets(cluster: StandIn) -> None:
    for path in (*RECREATING, *map(unavailable_budgets_path, BUDGET_VERSIONS)):
        cluster.lacks(path)
    assert live("--recreate").stderr == ""  # this cluster has no such kinds
    cluster.fails(DISRUPTION_BUDGETS, "Error from server (Forbidden): poddisruptionbudgets is forbidden\n")
    cluster.fails(RECREATING[0], "Error from server (Forbidden): deployments is forbidden\n")
    ended = live("--recreate")
    assert ended.code == 0, ended.stderr
    assert "budgets may refuse evictions of the plan, and a restart may take down more pods" in ended.stderr
    assert "pods of these workloads are evicted, not restarted: Error from server (Forbidden): deploy" in ended.stderr
    cluster.fails(DISRUPTION_BUDGETS, "the connection was reset\n")
    assert live("--recreate").code == 2


def test_of_a_cluster_alone_it_says_what_it_says_of_files(cluster: StandIn, tmp_path: Path) -> None:
    old = [together_set("logs", "1"), together_set("mix", "1")]
    pods = [injected(bare(f"p{number}", "web"), *old) for number in range(4)]
    new = [together_set("logs", "2", partition=2), together_set("mix", "2")]
    pdb = budget({"maxUnavailable": 1})
    cluster.holds(SETS, *new)
    cluster.holds(PODS, *pods)
    cluster.holds(DISRUPTION_BUDGETS, pdb)
    (tmp_path / "files.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [*new, *pods, pdb]})
    )
    inputs: dict[str, tuple[str | Path, ...]] = {
        "cluster": ("--live", "--kruise", "1.9"),
        "files": (tmp_path / "files.json", "--kruise", "1.9"),
    }
    found = {name: json.loads(run("plan", *words, "-o", "json").stdout) for name, words in inputs.items()}
    assert found["cluster"]["together"] == found["files"]["together"]
    assert found["cluster"]["together"]["sharedPods"] == [
        {"sidecarSets": ["logs", "mix"], "pods": 4, "largestUnavailable": 2}
    ]
    assert found["cluster"]["together"]["podDisruptionBudgets"][0]["roundsWithoutEviction"] > 0
    for words in inputs.values():
        text = " ".join(run("plan", *words).stdout.split())
        assert "logs and mix share 4 pods: at most 2 are unavailable at once" in text
        assert "node drains wait" in text
        assert "new pods get logs-" in text
