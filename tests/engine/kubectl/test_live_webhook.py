"""What a cluster's Kruise was installed with: its webhook for pods, its feature gates, PodUnavailableBudgets."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.cluster import gates_in
from tests.cli.running import Ended, run
from tests.engine.kubectl.stand_in import (
    BUDGETS,
    NAMESPACES,
    OLDER_BUDGETS,
    PODS,
    SETS,
    WEBHOOKS,
    StandIn,
    webhook,
)
from tests.engine.rollout.manifests import pod, sidecarset

GATE = "PodUnavailableBudgetUpdateGate"
IMAGE = "openkruise/kruise-manager:v1.9.0"


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, sidecarset("2").manifest)
    metadata: Object = {"name": "shop", "labels": {"control-plane": "openkruise"}}
    kubectl.holds(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    kubectl.holds(PODS, bare("p0"))
    return kubectl


def bare(name: str) -> Object:
    """A pod of the SidecarSet that was created without sidecars."""
    made = pod(name)
    made["spec"]["containers"] = made["spec"]["containers"][-1:]
    made["status"]["containerStatuses"] = made["status"]["containerStatuses"][-1:]
    made["metadata"].pop("annotations")
    return made


def status(*options: str) -> Ended:
    return run("status", "--live", "--exit-code", *options)


def test_the_webhook_of_the_cluster_wins_over_installed_by(cluster: StandIn) -> None:
    """By the chart's rule pods of the namespace are never seen; the cluster's own configuration sees them."""
    assert status().code == 1
    cluster.holds(WEBHOOKS)
    ended = status()
    assert ended.code == 0
    assert "the cluster has no MutatingWebhookConfiguration kruise-mutating-webhook-configuration" in ended.stderr
    selector: Object = {"matchExpressions": [{"key": "control-plane", "operator": "DoesNotExist"}]}
    cluster.holds(WEBHOOKS, webhook(namespaceSelector=selector))
    assert status().code == 0
    cluster.fails(WEBHOOKS, "Error from server (Forbidden): mutatingwebhookconfigurations is forbidden\n")
    ended = status()
    assert (ended.code, "[WebhookUnknown]" in ended.stderr) == (0, True)


@pytest.mark.parametrize("command", ["plan", "status", "explain"])
def test_its_failure_policy_is_reported(cluster: StandIn, command: str) -> None:
    cluster.holds(WEBHOOKS, webhook(failurePolicy="Ignore"))
    words = (command, "--live", *(["p0"] if command == "explain" else []))
    assert "[IgnoredFailures]" in run(*words).stderr
    cluster.holds(WEBHOOKS, webhook())
    assert "[IgnoredFailures]" not in run(*words).stderr


def budget() -> Object:
    return {
        "apiVersion": "policy.kruise.io/v1alpha1",
        "kind": "PodUnavailableBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
        "status": {"totalReplicas": 2},
    }


def test_budgets_of_the_cluster_hold_back_updates_where_their_gate_is_on(cluster: StandIn) -> None:
    cluster.holds(PODS, pod("p0"), pod("p1"))
    cluster.lacks(BUDGETS)
    cluster.holds(OLDER_BUDGETS, budget())
    assert "Completes" in run("plan", "--live").stdout
    assert not [call for call in cluster.calls if "podunavailablebudgets" in call[-1]]
    cluster.runs(IMAGE, "--v=4", f"--feature-gates=AllAlpha=false,{GATE}=true")
    ended = run("plan", "--live")
    assert (ended.code, "PUB shop/web" in ended.stdout) == (1, True)
    assert "Completes" in run("plan", "--live", "--feature-gates", f"{GATE}=false").stdout


def newer_budget() -> Object:
    metadata = {"name": "web", "namespace": "shop", "uid": "u"}
    return {**budget(), "apiVersion": "policy.kruise.io/v1beta1", "metadata": metadata}


@pytest.mark.parametrize("tag", ["v1.9.0", "v1.10.0", "latest"])
def test_budgets_are_read_in_the_version_that_the_computed_release_knows(cluster: StandIn, tag: str) -> None:
    cluster.holds(PODS, pod("p0"), pod("p1"))
    cluster.holds(BUDGETS, newer_budget())
    cluster.holds(OLDER_BUDGETS, budget())
    cluster.runs(f"openkruise/kruise-manager:{tag}", f"--feature-gates={GATE}=true")
    ended = run("plan", "--live")
    assert "PUB shop/web" in ended.stdout
    assert "v1beta1" not in ended.stderr
    assert [call[1] for call in cluster.calls if "podunavailablebudgets" in call[-1]] == [
        f"{OLDER_BUDGETS}?limit=500"
    ]


def test_budgets_of_a_version_that_the_computed_release_lacks_are_read_with_a_note(cluster: StandIn) -> None:
    """The server has just served them, so nothing says that it rejects them."""
    cluster.holds(PODS, pod("p0"), pod("p1"))
    another = newer_budget()
    another["metadata"] = {**another["metadata"], "name": "other"}
    another["spec"] = {**another["spec"], "protectOperations": ["DELETE"]}
    cluster.holds(BUDGETS, newer_budget() | {"spec": {"maxUnavailable": 2, "selector": {}}}, another)
    cluster.lacks(OLDER_BUDGETS)
    cluster.runs("openkruise/kruise-manager:latest", f"--feature-gates={GATE}=true")
    for command in ("plan", "status"):
        ended = run(command, "--live")
        assert ended.code == 0, ended.stderr
        assert ended.stderr.count("[UnknownToRelease]") == 1
        assert f"note: kubectl get --raw {BUDGETS}: PodUnavailableBudget shop/web: apiVersion: " in ended.stderr
        assert "Kruise 1.9 does not know policy.kruise.io/v1beta1, which the cluster serves" in ended.stderr
        assert "rejects" not in ended.stderr


def test_gates_of_the_cluster_are_recorded_in_the_plan(cluster: StandIn, tmp_path: Path) -> None:
    cluster.holds(PODS, pod("p0"))
    cluster.holds(OLDER_BUDGETS)
    cluster.runs(IMAGE, "--feature-gates", f"{GATE}=True")
    run("plan", "--live", "-o", f"json={tmp_path}/plan.json")
    assert GATE in json.loads((tmp_path / "plan.json").read_text())["featureGates"]


def test_budgets_that_may_not_be_read_are_a_partial_view(cluster: StandIn) -> None:
    cluster.holds(PODS, pod("p0"))
    cluster.fails(OLDER_BUDGETS, "Error from server (Forbidden): podunavailablebudgets is forbidden\n")
    cluster.runs(IMAGE, f"--feature-gates={GATE}=true")
    assert f"the feature gate {GATE} is on, and what it holds back is unknown" in run("plan", "--live").stderr


def test_gates_of_a_command_line() -> None:
    words = ["/manager", "--feature-gates=PodWebhook=false,Other=true", "--v=4", "--feature-gates", f"{GATE}=1"]
    assert list(gates_in(words)) == ["PodWebhook=false", f"{GATE}=true"]
    assert list(gates_in(["--feature-gates"])) == []
