"""`plan --recreate`: which workloads to restart, in which order, and never in vain."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.drift.drifting import injected, revision_of
from tests.schemas import assert_valid

CHANGED: list[Object] = [{"name": "agent", "image": "agent:2", "command": ["run"]}]
KRUISE = "apps.kruise.io/v1alpha1"
BETA = "apps.kruise.io/v1beta1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def owned(kind: str, name: str, number: int, version: str = "apps/v1", namespace: str = "shop") -> list[Object]:
    """Pods of a workload; those of a Deployment belong to its ReplicaSet."""
    of = "ReplicaSet" if kind == "Deployment" else kind
    owner = {"apiVersion": version, "kind": of, "name": f"{name}-5d" if of != kind else name, "controller": True}
    labels = {"pod-template-hash": "5d"} if of != kind else {}
    made = [pod(f"{name}-{index}", labels=labels, ownerReferences=[owner]) for index in range(number)]
    for item in made:
        item["metadata"]["namespace"] = namespace
    return made


def workload(kind: str, name: str, version: str = "apps/v1", **spec: Any) -> Object:
    metadata = {"name": name, "namespace": "shop"}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {"template": template, **spec}}


def planned(*items: Object, tag: str = "2", **spec: Any) -> Object:
    made = sidecarset(tag, **{"containers": CHANGED, **spec}).manifest
    Path("set.json").write_text(json.dumps(made))
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
    ended = run("plan", "set.json", "pods.json", "--recreate", "-o", "json")
    assert ended.stdout, ended.stderr
    document: Object = json.loads(ended.stdout)
    assert_valid(document, "rollout-plan.json")
    found: Object = document["recreation"]
    return found


def steps(found: Object) -> list[list[tuple[str, str, int]]]:
    return [
        [(step["workload"]["name"], step["way"], len(step["pods"])) for step in wave["steps"]]
        for wave in found["waves"]
    ]


def kept(found: Object) -> dict[str, int]:
    return {each["why"]: len(each["pods"]) for each in found["notRecreated"]}


def test_workloads_are_restarted_within_max_unavailable() -> None:
    made = [*owned("Deployment", "a", 8), *owned("StatefulSet", "b", 3), *owned("DaemonSet", "c", 2)]
    manifests = [workload("Deployment", "a"), workload("StatefulSet", "b"), workload("DaemonSet", "c")]
    found = planned(*made, *manifests, updateStrategy={"maxUnavailable": 3})
    assert steps(found) == [[("c", "restart", 2), ("a", "restart", 8)], [("b", "restart", 3)]]
    assert found["message"] == "13 pods of 3 workloads in 2 waves; no budget of evictions is among the inputs."
    assert found["waves"][0]["steps"][1]["commands"] == [
        "kubectl rollout restart deployment/a -n shop",
        "kubectl rollout status deployment/a -n shop",
    ]


@pytest.mark.parametrize(
    ("kind", "version", "spec"),
    [
        ("Deployment", "apps/v1", {"paused": True}),
        ("StatefulSet", "apps/v1", {"updateStrategy": {"type": "OnDelete"}}),
        ("StatefulSet", "apps/v1", {"updateStrategy": {"rollingUpdate": {"partition": 1}}}),
        ("DaemonSet", "apps/v1", {"updateStrategy": {"type": "OnDelete"}}),
        ("CloneSet", KRUISE, {"updateStrategy": {"type": "InPlaceIfPossible"}}),
        ("CloneSet", KRUISE, {"updateStrategy": {"partition": "20%"}}),
        ("CloneSet", KRUISE, {"updateStrategy": {"paused": True}}),
        ("StatefulSet", BETA, {"updateStrategy": {"rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible"}}}),
        ("StatefulSet", BETA, {"updateStrategy": {"rollingUpdate": {"paused": True}}}),
        ("StatefulSet", BETA, {"updateStrategy": {"rollingUpdate": {"partition": 2}}}),
        ("StatefulSet", BETA, {"updateStrategy": {"type": "OnDelete"}}),
        ("DaemonSet", KRUISE, {"updateStrategy": {"rollingUpdate": {"rollingUpdateType": "InPlaceIfPossible"}}}),
        ("DaemonSet", KRUISE, {"updateStrategy": {"rollingUpdate": {"selector": {"matchLabels": {"a": "b"}}}}}),
        ("DaemonSet", KRUISE, {"updateStrategy": {"rollingUpdate": {"partition": 1}}}),
    ],
)
def test_a_restart_that_replaces_no_pod_is_not_printed(kind: str, version: str, spec: Object) -> None:
    found = planned(*owned(kind, "a", 2, version), workload(kind, "a", version, **spec))
    assert steps(found) == [[("a", "evict", 1)], [("a", "evict", 1)]]
    assert "restart" not in json.dumps(found["waves"])
    assert "restartedAt" not in json.dumps(found["waves"])
    eviction, deleted, ready = found["waves"][0]["steps"][0]["commands"]
    assert eviction.endswith("| kubectl create --raw /api/v1/namespaces/shop/pods/a-0/eviction -f -")
    assert deleted.startswith("kubectl wait --for=delete pod/a-0")
    assert "Ready}'=2 " in ready or "readyReplicas}'=2 " in ready


@pytest.mark.parametrize(
    ("kind", "version", "updated", "ready"),
    [
        ("CloneSet", KRUISE, "updatedReplicas", "readyReplicas"),
        ("StatefulSet", BETA, "updatedReplicas", "readyReplicas"),
        ("DaemonSet", KRUISE, "updatedNumberScheduled", "numberReady"),
    ],
)
def test_kinds_of_kruise_are_restarted_by_an_annotation(kind: str, version: str, updated: str, ready: str) -> None:
    found = planned(*owned(kind, "a", 2, version), workload(kind, "a", version))
    assert steps(found) == [[("a", "annotate", 2)]]
    patch, seen, *waits = found["waves"][0]["steps"][0]["commands"]
    resource = f"{kind.lower()}.apps.kruise.io/a -n shop"
    assert patch.startswith(f"kubectl patch {resource} --type merge")
    assert "restartedAt" in patch
    assert f"$(kubectl get {resource} -o jsonpath='{{.metadata.generation}}')" in seen
    assert waits == [
        f"kubectl wait --for=jsonpath='{{.status.{field}}}'=2 {resource} --timeout=10m" for field in (updated, ready)
    ]


def test_a_workload_of_another_group_says_nothing_about_a_strategy() -> None:
    found = planned(*owned("StatefulSet", "a", 2, BETA), workload("StatefulSet", "a"))
    assert steps(found) == [[("a", "evict", 1)], [("a", "evict", 1)]]


def test_pods_that_keep_their_names_are_evicted_one_after_another() -> None:
    made = owned("StatefulSet", "a", 4)
    found = planned(*made, updateStrategy={"maxUnavailable": 2})
    commands = found["waves"][0]["steps"][0]["commands"]
    assert [command.partition(" ")[0] for command in commands] == ["echo", "kubectl", "echo", "kubectl", "kubectl"]


def test_without_its_manifest_a_workload_may_hold_pods_back() -> None:
    found = planned(*owned("Deployment", "a", 2))
    assert steps(found) == [[("a", "evict", 1)], [("a", "evict", 1)]]


def test_what_cannot_be_recreated_says_why() -> None:
    bare = pod("bare")
    found = planned(bare, *owned("Job", "j", 1, "batch/v1"), *owned("TFJob", "t", 1, "kubeflow.org/v1"))
    assert found["waves"] == []
    assert kept(found) == {
        "cannot be recreated from here: no controller creates it again": 1,
        "a Job creates its pods once; the next one creates new pods": 1,
        "it is not known whether the controller of a TFJob creates its pods again": 1,
    }


def test_a_recreation_that_brings_no_sidecar_is_not_printed() -> None:
    found = planned(*owned("Deployment", "a", 2), injectionStrategy={"paused": True})
    assert found["waves"] == []
    assert kept(found) == {"a new pod would have no sidecar of it: injectionStrategy.paused is true": 2}
    found = planned(*owned("DaemonSet", "a", 2, namespace="kube-system"))
    assert found["waves"] == []


def test_only_the_pods_that_need_it_are_evicted() -> None:
    current = owned("Deployment", "a", 3)
    for item in current[1:]:
        item["metadata"]["annotations"].pop("kruise.io/sidecarset-injected-list")
    found = planned(*current, workload("Deployment", "a"), containers=[{"name": "agent", "image": "agent:2"}])
    assert steps(found) == [[("a", "evict", 1)], [("a", "evict", 1)]]
    assert found["waves"][0]["steps"][0]["causes"] == ["logs: NeverInjected"]


def test_pods_that_are_no_longer_selected_are_recreated() -> None:
    found = planned(
        *owned("Deployment", "a", 2), workload("Deployment", "a"), selector={"matchLabels": {"app": "other"}}
    )
    assert steps(found) == [[("a", "restart", 2)]]
    assert found["waves"][0]["steps"][0]["causes"] == ["logs: Orphan"]


def budget(**spec: Any) -> Object:
    metadata = {"name": "b", "namespace": "shop"}
    whole = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": whole}


def test_evictions_stay_within_budgets() -> None:
    made = [*owned("ReplicaSet", "a", 8), *owned("ReplicaSet", "b", 8)]
    free = planned(*made, updateStrategy={"maxUnavailable": 6})
    assert [sum(number for _, _, number in wave) for wave in steps(free)] == [6, 6, 4]
    found = planned(*made, budget(maxUnavailable=2), updateStrategy={"maxUnavailable": 6})
    assert [sum(number for _, _, number in wave) for wave in steps(found)] == [2] * 8
    for without_room in (budget(minAvailable="100%"), budget()):
        assert kept(planned(*made, without_room)) == {"a PodDisruptionBudget allows no eviction": 16}


def test_a_restart_stays_within_budgets() -> None:
    made = [*owned("Deployment", "a", 8), *owned("Deployment", "b", 8)]
    manifests = [workload("Deployment", "a"), workload("Deployment", "b")]
    found = planned(*made, *manifests, budget(maxUnavailable=3), updateStrategy={"maxUnavailable": 8})
    assert steps(found) == [[("a", "restart", 8)], [("b", "restart", 8)]]
    found = planned(*made, *manifests, budget(maxUnavailable=1), updateStrategy={"maxUnavailable": 8})
    assert {way for wave in steps(found) for _, way, _ in wave} == {"evict"}
    why = "a restart takes 2 down at once, PodDisruptionBudget shop/b allows 1"
    assert found["waves"][0]["steps"][0]["why"] == why


def test_a_restart_that_takes_no_pod_down_needs_no_room() -> None:
    surging = workload("Deployment", "a", strategy={"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}})
    found = planned(*owned("Deployment", "a", 4), surging, budget(maxUnavailable=0))
    assert steps(found) == [[("a", "restart", 4)]]
    assert found["waves"][0]["steps"][0]["mostUnavailable"] == 0


@pytest.mark.parametrize("namespace", ["shop", "other"])
def test_a_budget_over_other_pods_forbids_no_restart(namespace: str) -> None:
    other = budget(minAvailable=1, selector={"matchLabels": {"app": "other"}})
    other["metadata"]["namespace"] = namespace
    assert steps(planned(*owned("Deployment", "a", 4), workload("Deployment", "a"), other)) == [[("a", "restart", 4)]]


def test_two_budgets_forbid_every_eviction() -> None:
    other = budget(maxUnavailable=5)
    other["metadata"]["name"] = "c"
    found = planned(*owned("ReplicaSet", "a", 4), budget(maxUnavailable=5), other)
    assert kept(found) == {"the API server evicts no pod that two PodDisruptionBudgets cover": 4}


def unavailable_budget(**spec: Any) -> Object:
    made = {**budget(**spec), "apiVersion": "policy.kruise.io/v1alpha1", "kind": "PodUnavailableBudget"}
    made["metadata"]["annotations"] = {"pub.kruise.io/protect-total-replicas": "4"}
    return made


@pytest.mark.parametrize("kind", ["ReplicaSet", "Deployment"])
def test_budgets_of_kruise_count_for_evictions_and_deletions(kind: str) -> None:
    made = [*owned(kind, "a", 4), *([workload("Deployment", "a")] if kind == "Deployment" else [])]
    found = planned(*made, unavailable_budget(maxUnavailable=1), updateStrategy={"maxUnavailable": 4})
    assert len(steps(found)) == (4 if kind == "ReplicaSet" else 1)
    without_room = unavailable_budget(minAvailable=4)
    found = planned(*made, without_room, updateStrategy={"maxUnavailable": 4})
    assert kept(found) == {"a PodUnavailableBudget allows no eviction": 4}


def test_outdated_pods_are_recreated() -> None:
    bare = [
        {**item, "spec": {"containers": [{"name": "app", "image": "app:1"}]}} for item in owned("Deployment", "a", 2)
    ]
    for item in bare:
        item["metadata"].pop("annotations")
    agent = {"name": "agent", "image": "agent:2", "volumeMounts": [{"name": "buf", "mountPath": "/buf"}]}
    old = sidecarset("2", volumes=[{"name": "buf", "emptyDir": {}}], containers=[agent]).manifest
    made = [*(injected(item, old) for item in bare), revision_of(old)]
    config: Object = {"volumes": [{"name": "buf", "configMap": {"name": "c"}}], "containers": [agent]}
    found = planned(*made, workload("Deployment", "a"), **config)
    assert found["waves"][0]["steps"][0]["causes"] == ["logs: Outdated"]
    paused = planned(*made, workload("Deployment", "a"), **config, injectionStrategy={"paused": True})
    assert paused["waves"] == []
    assert planned(*made, workload("Deployment", "a"), **old["spec"])["message"] == "No pod is recreated."


def test_pods_that_are_updated_in_place_stay() -> None:
    found = planned(*owned("Deployment", "a", 2), containers=[{"name": "agent", "image": "agent:2"}])
    assert found["message"] == "No pod is recreated."
    assert "recreation" not in json.loads(run("plan", "set.json", "pods.json", "-o", "json").stdout)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_report_has_the_commands(form: str) -> None:
    planned(*owned("Deployment", "a", 2), workload("Deployment", "a"))
    shown = run("plan", "set.json", "pods.json", "--recreate", "-o", form).stdout
    assert "kubectl rollout restart deployment/a -n shop" in shown
    assert "2 pods of 1 workload in 1 wave; no budget of evictions is among the inputs." in shown


def test_no_command_is_wrapped() -> None:
    found = planned(*owned("ReplicaSet", "a" * 60, 2))
    shown = run("plan", "set.json", "pods.json", "--recreate").stdout
    lines = [line.strip() for line in shown.splitlines()]
    assert [line for line in lines if line in found["waves"][0]["steps"][0]["commands"]]


def test_the_patch_of_an_annotation_is_valid_for_a_shell() -> None:
    found = planned(*owned("CloneSet", "a", 2, KRUISE), workload("CloneSet", "a", KRUISE))
    patch = found["waves"][0]["steps"][0]["commands"][0].partition(" -p ")[2]
    ended = subprocess.run(["sh", "-c", f"printf %s {patch}"], capture_output=True, text=True, check=True)
    annotations = json.loads(ended.stdout)["spec"]["template"]["metadata"]["annotations"]
    assert list(annotations) == ["kubectl.kubernetes.io/restartedAt"]


def test_names_are_quoted_for_the_shell() -> None:
    found = planned(*owned("ReplicaSet", "a'; ls; '", 2))
    assert "'\"'\"'; ls; '\"'\"'" in found["waves"][0]["steps"][0]["commands"][-1]


def test_no_name_ends_a_comment() -> None:
    planned(*owned("ReplicaSet", "a\nreboot", 2))
    shown = run("plan", "set.json", "pods.json", "--recreate", "-o", "markdown").stdout
    assert "# ReplicaSet shop/a reboot (" in shown


def test_one_plan_over_running_pods() -> None:
    planned(workload("Deployment", "a"), *owned("Deployment", "a", 1))
    ended = run("plan", "set.json", "pods.json", "--recreate", "--sweep", "partition=0,1")
    assert "--recreate is about one plan" in ended.stderr
    Path("workloads.json").write_text(json.dumps(workload("Deployment", "a")))
    ended = run("plan", "set.json", "workloads.json", "--recreate", "--from", "set.json")
    assert "--recreate needs running pods" in ended.stderr


def test_only_the_chosen_sidecarset_is_asked_about() -> None:
    found = [*owned("Deployment", "a", 2), workload("Deployment", "a")]
    other = sidecarset("2", name="mesh", selector={"matchLabels": {"app": "web"}}).manifest
    planned(*found, other, selector={"matchLabels": {"app": "other"}})
    paths = ("plan", "set.json", "pods.json", "--recreate", "-o", "json", "--only")
    asked = {name: json.loads(run(*paths, name).stdout)["recreation"] for name in ("logs", "mesh")}
    assert [step["causes"] for wave in asked["logs"]["waves"] for step in wave["steps"]] == [["logs: Orphan"]]
    causes = {cause for wave in asked["mesh"]["waves"] for step in wave["steps"] for cause in step["causes"]}
    assert causes == {"mesh: NeverInjected"}


@pytest.mark.parametrize("limit", [[], {}, True, "x", None])
def test_odd_budgets_are_survived(limit: Any) -> None:
    planned(*owned("ReplicaSet", "a", 2), budget(maxUnavailable=limit))
    assert run("status", "set.json", "pods.json").code in (0, 1)
