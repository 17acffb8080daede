"""Every kind of workload goes the whole way: text in, each pod template injected, and out again to the byte."""

from itertools import product
from pathlib import Path as FilePath

import pytest
import yaml

from sidecarctl.engine.api.workload_kinds import WORKLOADS
from sidecarctl.engine.api.workload_rows import Each, Pattern, WorkloadKind, parse_pattern
from sidecarctl.engine.facts.values import Path, value_at
from tests.cli.manifests import SET
from tests.cli.running import run

TEMPLATE = """\
metadata:
  labels: {app: web}   # what the set selects
spec:
  containers:
  # the app
  - {name: web, image: "registry.example.com/web:1.0"}
"""
IDS = [f"{workload.kind}.{workload.group}" for workload in WORKLOADS]
ASKED = {
    "Pod", "PodTemplate", "Deployment.apps", "ReplicaSet.apps", "ReplicationController", "StatefulSet.apps",
    "DaemonSet.apps", "Job.batch", "CronJob.batch", "CloneSet.apps.kruise.io", "StatefulSet.apps.kruise.io",
    "DaemonSet.apps.kruise.io", "BroadcastJob.apps.kruise.io", "AdvancedCronJob.apps.kruise.io",
    "UnitedDeployment.apps.kruise.io", "Rollout.argoproj.io", "Deployment.extensions", "DaemonSet.extensions",
    "ReplicaSet.extensions", "JobTemplate.batch", "GameServerSet.game.kruise.io", "Experiment.argoproj.io",
    "LeaderWorkerSet.leaderworkerset.x-k8s.io", "Service.serving.knative.dev", "Configuration.serving.knative.dev",
    "Revision.serving.knative.dev", "RayCluster.ray.io", "RayJob.ray.io", "RayService.ray.io", "RayCronJob.ray.io",
    "Job.batch.volcano.sh", "CronJob.batch.volcano.sh", "JobTemplate.flow.volcano.sh", "PyTorchJob.kubeflow.org",
    "TFJob.kubeflow.org", "MPIJob.kubeflow.org", "XGBoostJob.kubeflow.org", "PaddleJob.kubeflow.org",
    "JAXJob.kubeflow.org", "TrainingRuntime.trainer.kubeflow.org", "ClusterTrainingRuntime.trainer.kubeflow.org",
    "JobSet.jobset.x-k8s.io", "Fleet.agones.dev", "GameServerSet.agones.dev", "GameServer.agones.dev",
    "ScaledJob.keda.sh", "SparkApplication.sparkoperator.k8s.io", "ScheduledSparkApplication.sparkoperator.k8s.io",
    "FlinkDeployment.flink.apache.org", "DeploymentConfig.apps.openshift.io", "DeploymentConfig", "Job.extensions",
    "ScheduledJob.batch",
}  # a table, a case a line  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch) -> FilePath:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    return tmp_path


def templates(workload: WorkloadKind) -> list[Path]:
    """The places of the templates: two at each wildcard."""
    rows = dict.fromkeys(parse_pattern(row.path) or () for row in workload.templates)
    return [path for pattern in rows for path in written(pattern)]


def written(pattern: Pattern) -> list[Path]:
    keys: dict[Each, tuple[str | int, ...]] = {Each.ITEM: (0, 1), Each.MEMBER: ("a", "b")}
    return list(product(*[keys[step] if isinstance(step, Each) else (step,) for step in pattern]))


def manifest(workload: WorkloadKind) -> str:
    """A manifest in block style with the template at every place where the kind may have one."""
    group = workload.group or ""
    head = f"apiVersion: {f'{group}/' if group else ''}{workload.versions[0]}\nkind: {workload.kind}\n"
    paths = templates(workload)
    if paths == [()]:
        return head + TEMPLATE
    done: set[Path] = set()
    lines = ["metadata: {name: web, namespace: shop}"]
    for path in paths:
        for depth, step in enumerate(path):
            if path[: depth + 1] not in done:
                done.add(path[: depth + 1])
                lines.append(f"{'  ' * depth}{'-' if isinstance(step, int) else f'{step}:'}")
        lines += ["  " * len(path) + line for line in TEMPLATE.splitlines()]
    return head + "\n".join(lines) + "\n"


def test_these_are_the_kinds() -> None:
    assert {name.removesuffix(".") for name in IDS} == ASKED


@pytest.mark.parametrize("workload", WORKLOADS, ids=IDS)
def test_each_template_is_injected_and_restored(folder: FilePath, workload: WorkloadKind) -> None:
    text = manifest(workload)
    (folder / "one.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "-i", "one.yaml")
    assert ended.code == 0
    assert ended.stderr.startswith(f"injected   one.yaml:1:1 {workload.kind} ")
    injected = (folder / "one.yaml").read_text()
    for path in templates(workload):
        template = value_at(yaml.safe_load(injected), path)
        assert [container["name"] for container in template["spec"]["containers"]] == ["log-agent", "web"]
        assert template["metadata"]["annotations"]["kruise.io/sidecarset-injected-list"] == "logs"
    assert injected.count("image: registry.example.com/log-agent:2.4.1") == len(templates(workload))
    ended = run("uninject", "-s", "set.yaml", "one.yaml")
    if workload.group not in {"apps.kruise.io", "game.kruise.io"}:
        assert ended.stdout == text
        return
    # Pods of Kruise's own workloads get the readiness gate KruisePodReady, which the author may have written as well.
    assert "readiness gate KruisePodReady" in ended.stderr
    assert "[NotReversible]" in ended.stderr
    assert run("uninject", "-s", "set.yaml", "--force", "one.yaml").stdout == text


def test_the_same_kind_of_another_group_is_not_a_workload(folder: FilePath) -> None:
    text = "apiVersion: example.com/v1\nkind: Deployment\nspec:\n  template:\n" + "".join(
        f"    {line}\n" for line in TEMPLATE.splitlines()
    )
    (folder / "one.yaml").write_text(text)
    assert run("inject", "-s", "set.yaml", "one.yaml").stdout == text
