"""`sidecarctl plan --from OLD`: the pods that workloads would have."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run

NEW = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  containers:
  - {name: agent, image: "agent:2"}
  updateStrategy: {maxUnavailable: 100%}
"""
OLD = NEW.replace("agent:2", "agent:1")
TEMPLATE = "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: 'app:1'}]}}"


def workload(kind: str, *members: str, version: str = "apps/v1", name: str = "web") -> str:
    spec = "".join(f"  {member}\n" for member in (*members, TEMPLATE))
    return f"---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n{spec}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "new.yaml").write_text(NEW)
    (tmp_path / "old.yaml").write_text(OLD)
    return tmp_path


def ended(folder: Path, workloads: str, *options: str) -> Ended:
    (folder / "workloads.yaml").write_text(workloads)
    paths = (folder / "new.yaml", folder / "workloads.yaml", "--from", folder / "old.yaml")
    return run("plan", *paths, "-o", "json", *options)


def planned(folder: Path, workloads: str, *options: str) -> Object:
    result = ended(folder, workloads, *options)
    assert result.code == 0, result.stderr
    document: Object = json.loads(result.stdout)
    return document


def names(document: Object) -> list[str]:
    return [pod["name"] for wave in document["sidecarSets"][0]["waves"] for pod in wave["pods"]]


def test_pods_of_a_deployment_have_invented_names_and_no_uid(folder: Path) -> None:
    document = planned(folder, workload("Deployment", "replicas: 3"))
    assert document["synthetic"]
    assert names(document) == ["web-00000", "web-00001", "web-00002"]
    assert "uid" not in document["sidecarSets"][0]["waves"][0]["pods"][0]
    assert document["sidecarSets"][0]["counts"]["before"]["readyPods"] == 3


def test_the_highest_ordinal_of_a_stateful_set_goes_first(folder: Path) -> None:
    document = planned(folder, workload("StatefulSet", "replicas: 3", "ordinals: {start: 5}"))
    assert names(document) == ["web-7", "web-6", "web-5"]
    assert document["sidecarSets"][0]["counts"]["ties"] == 0
    parallel = planned(folder, workload("StatefulSet", "replicas: 2", "podManagementPolicy: Parallel"))
    assert names(parallel) == ["web-0", "web-1"]
    assert parallel["sidecarSets"][0]["counts"]["ties"] == 2


def test_order_priority_takes_the_number_at_the_end_of_a_label(folder: Path) -> None:
    key = "statefulset.kubernetes.io/pod-name"
    priority = f"{{maxUnavailable: 100%, priorityStrategy: {{orderPriority: [{{orderedKey: {key}}}]}}}}"
    (folder / "new.yaml").write_text(NEW.replace("{maxUnavailable: 100%}", priority))
    parallel = planned(folder, workload("StatefulSet", "replicas: 11", "podManagementPolicy: Parallel"))
    assert names(parallel) == [f"web-{ordinal}" for ordinal in reversed(range(11))]


def test_labels_that_follow_from_the_workload_can_be_selected(folder: Path) -> None:
    for file, text in (("new.yaml", NEW), ("old.yaml", OLD)):
        selected = "{matchLabels: {statefulset.kubernetes.io/pod-name: web-1}}"
        (folder / file).write_text(text.replace("{matchLabels: {app: web}}", selected))
    assert names(planned(folder, workload("StatefulSet", "replicas: 3"))) == ["web-1"]
    for file, text in (("new.yaml", NEW), ("old.yaml", OLD)):
        (folder / file).write_text(text.replace("{app: web}", "{job-name: web}"))
    job = workload("Job", "parallelism: 4", "completions: 2", version="batch/v1")
    assert names(planned(folder, job)) == ["web-00000", "web-00001"]


@pytest.mark.parametrize(
    ("members", "count"),
    [(["parallelism: 4", "completions: 2"], 2), (["completions: 5"], 1), (["parallelism: 3"], 3), ([], 1)],
)
def test_the_pods_of_a_job(folder: Path, members: list[str], count: int) -> None:
    assert len(names(planned(folder, workload("Job", *members, version="batch/v1")))) == count


def test_a_job_without_parallelism_runs_one_pod_at_a_time_in_plan_and_diff(folder: Path) -> None:
    (folder / "job.yaml").write_text(workload("Job", "completions: 5", version="batch/v1"))
    old, new, job = (str(folder / name) for name in ("old.yaml", "new.yaml", "job.yaml"))
    planning = run("plan", new, job, "--from", old)
    changing = run("diff", old, new, job, "-o", "json")
    reason = "parallelism is not set: assuming 1, so one pod at a time"
    assert reason in planning.stderr
    assert reason in changing.stdout + changing.stderr
    (change,) = json.loads(changing.stdout)["sidecarSets"]
    assert change["workloadPods"]["kept"] == 1


def test_replicas_that_are_not_said(folder: Path) -> None:
    result = ended(folder, workload("Deployment"))
    assert names(json.loads(result.stdout)) == ["web-00000"]
    assert "replicas is not set: assuming 1" in result.stderr


def test_kinds_whose_pods_are_not_in_the_manifest(folder: Path) -> None:
    daemons = workload("DaemonSet")
    result = ended(folder, daemons)
    assert names(json.loads(result.stdout)) == []
    assert "--replicas shop/DaemonSet/web=N" in result.stderr
    assert len(names(planned(folder, daemons, "--replicas", "shop/DaemonSet/web=4"))) == 4
    assert len(names(planned(folder, daemons, "--replicas", "daemonset/web=2"))) == 2
    cron = (
        "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {"
        + TEMPLATE
        + "}}}\n"
    )
    assert "a CronJob has no pods of its own; it is left out" in ended(folder, cron).stderr


KRUISE = "apps.kruise.io/v1alpha1"


def test_each_kind_makes_pods_in_its_way(folder: Path) -> None:
    makers = {"ReplicaSet": "apps/v1", "ReplicationController": "v1", "CloneSet": KRUISE}
    made = "".join(workload(kind, "replicas: 2", version=version, name=kind) for kind, version in makers.items())
    assert names(planned(folder, made)) == [f"{kind}-0000{index}" for kind in makers for index in (0, 1)]
    kruise = workload("StatefulSet", "replicas: 2", version="apps.kruise.io/v1beta1")
    assert names(planned(folder, kruise)) == ["web-1", "web-0"]
    job = workload("BroadcastJob", version=KRUISE)
    assert "--replicas shop/BroadcastJob/web=N" in ended(folder, job).stderr
    assert len(names(planned(folder, job, "--replicas", "BroadcastJob/web=3"))) == 3


@pytest.mark.parametrize(
    ("manifest", "kind"),
    [
        (f"apiVersion: v1\nkind: PodTemplate\nmetadata: {{name: t}}\n{TEMPLATE}\n", "a PodTemplate"),
        (
            f"apiVersion: {KRUISE}\nkind: AdvancedCronJob\nmetadata: {{name: c}}\n"
            "spec: {template: {jobTemplate: {spec: {" + TEMPLATE + "}}}}\n",
            "an AdvancedCronJob",
        ),
    ],
)
def test_kinds_that_have_no_pods_of_their_own(folder: Path, manifest: str, kind: str) -> None:
    result = ended(folder, manifest)
    assert names(json.loads(result.stdout)) == []
    assert f"{kind} has no pods of its own; it is left out [ReplicasUnknown]" in result.stderr


def test_bare_pods_keep_their_names(folder: Path) -> None:
    metadata = "metadata: {name: one, labels: {app: web}}"
    pod = f"---\napiVersion: v1\nkind: Pod\n{metadata}\nspec: {{containers: [{{name: a, image: a}}]}}\n"
    document = planned(folder, pod)
    assert names(document) == ["one"]
    assert document["sidecarSets"][0]["waves"][0]["pods"][0]["namespace"] == "default"


def test_the_order_is_that_of_the_input(folder: Path) -> None:
    both = workload("Deployment", "replicas: 2", name="b") + workload("Deployment", "replicas: 1", name="a")
    assert names(planned(folder, both)) == ["b-00000", "b-00001", "a-00000"]


def test_whatever_the_injection_strategy_said(folder: Path) -> None:
    (folder / "old.yaml").write_text(OLD + "  injectionStrategy: {paused: true}\n")
    assert len(names(planned(folder, workload("Deployment", "replicas: 2")))) == 2


def test_a_set_that_is_new_was_never_injected(folder: Path) -> None:
    (folder / "old.yaml").write_text(OLD.replace("name: logs", "name: other"))
    document = planned(folder, workload("Deployment", "replicas: 2"))
    assert [left["reason"] for left in document["sidecarSets"][0]["leftOut"]] == ["NeverInjected"] * 2


def test_fields_that_block(folder: Path) -> None:
    (folder / "new.yaml").write_text(NEW.replace('image: "agent:2"', 'image: "agent:1", command: [run]'))
    result = ended(folder, workload("Deployment", "replicas: 2"))
    assert result.code == 1
    blocked = json.loads(result.stdout)["sidecarSets"][0]["blocked"]
    assert [[entry["field"] for entry in pod["fields"]] for pod in blocked] == [["spec.containers[0].command"]] * 2


def test_pods_that_would_be_rejected(folder: Path) -> None:
    bad = TEMPLATE.replace("labels: {app: web}", "labels: {app: web}, annotations: {kruise.io/sidecarset-hash: none}")
    result = ended(folder, workload("Deployment", "replicas: 2").replace(TEMPLATE, bad))
    assert "its 2 pods would be rejected" in result.stderr
    assert names(json.loads(result.stdout)) == []


def test_a_template_that_cannot_be_decoded(folder: Path) -> None:
    result = ended(folder, workload("Deployment").replace("'app:1'", "5"))
    assert (result.code, result.stdout) == (2, "")
    assert "spec.template.spec.containers[0].image" in result.stderr


def test_labels_that_only_a_controller_knows(folder: Path) -> None:
    (folder / "new.yaml").write_text(NEW.replace("{app: web}", "{pod-template-hash: x}"))
    result = ended(folder, workload("Deployment"))
    assert "the label pod-template-hash is set by a controller of the cluster" in result.stderr
    assert "[LabelUnknownOffline]" in result.stderr


def test_a_kind_of_the_users_own(folder: Path) -> None:
    game = workload("Game", "replicas: 2", version="example.com/v1")
    assert len(names(planned(folder, game, "--template-path", "Game.example.com=spec.template"))) == 2


@pytest.mark.parametrize(
    ("workloads", "options", "message"),
    [
        (workload("Deployment"), ["--replicas", "web=1"], "--replicas web=1 is malformed"),
        (workload("Deployment"), ["--replicas", "x/Deployment/web=1"], "workload not found in PATHS"),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: []}\nstatus: {phase: Running}\n",
            [],
            "PATHS contain pods with a status",
        ),
    ],
)
def test_what_makes_no_sense(folder: Path, workloads: str, options: list[str], message: str) -> None:
    result = ended(folder, workloads, *options)
    assert (result.code, result.stdout) == (2, "")
    assert message in result.stderr


def test_an_old_set_has_to_be_there(folder: Path) -> None:
    (folder / "old.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
    result = ended(folder, workload("Deployment"))
    assert result.code == 2
    assert "no SidecarSet found in the paths of --from" in result.stderr


def test_canaries_are_injected_in_the_place_of_their_base(folder: Path) -> None:
    canary = OLD.replace("{name: logs}", "{name: logs-canary, annotations: {apps.kruise.io/sidecarset-base: logs}}")
    (folder / "old.yaml").write_text(f"{OLD}---\n{canary}")
    document = planned(folder, workload("Deployment", "replicas: 1"))
    assert len(document["sidecarSets"][0]["leftOut"]) + len(names(document)) == 1
