"""Every kind of workload goes the whole way: text in, each pod template injected, and out again to the byte."""

from pathlib import Path

import pytest
import yaml

from sidecarctl.api.workloads import WORKLOADS, Workload
from sidecarctl.facts.paths import value_at
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
    "UnitedDeployment.apps.kruise.io", "Rollout.argoproj.io",
}  # a table, a case a line  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    return tmp_path


def manifest(workload: Workload) -> str:
    """A manifest in block style with the template at every place where the kind may have one."""
    version = "v1" if not workload.group else f"{workload.group}/v1beta1"
    head = f"apiVersion: {version}\nkind: {workload.kind}\n"
    if workload.templates == ((),):
        return head + TEMPLATE
    written: set[tuple[str | int, ...]] = set()
    lines = ["metadata: {name: web, namespace: shop}"]
    for path in workload.templates:
        for depth, step in enumerate(path):
            if path[: depth + 1] not in written:
                written.add(path[: depth + 1])
                lines.append(f"{'  ' * depth}{step}:")
        lines += ["  " * len(path) + line for line in TEMPLATE.splitlines()]
    return head + "\n".join(lines) + "\n"


def test_these_are_the_kinds() -> None:
    assert {name.removesuffix(".") for name in IDS} == ASKED


@pytest.mark.parametrize("workload", WORKLOADS, ids=IDS)
def test_each_template_is_injected_and_restored(folder: Path, workload: Workload) -> None:
    text = manifest(workload)
    (folder / "one.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "-i", "one.yaml")
    assert ended.code == 0
    assert ended.stderr.startswith(f"injected   one.yaml:1:1 {workload.kind} ")
    injected = (folder / "one.yaml").read_text()
    for path in workload.templates:
        template = value_at(yaml.safe_load(injected), path)
        assert [container["name"] for container in template["spec"]["containers"]] == ["log-agent", "web"]
        assert template["metadata"]["annotations"]["kruise.io/sidecarset-injected-list"] == "logs"
    assert injected.count("image: registry.example.com/log-agent:2.4.1") == len(workload.templates)
    assert run("uninject", "-s", "set.yaml", "one.yaml").stdout == text


def test_the_same_kind_of_another_group_is_no_workload(folder: Path) -> None:
    text = "apiVersion: example.com/v1\nkind: Deployment\nspec:\n  template:\n" + "".join(
        f"    {line}\n" for line in TEMPLATE.splitlines()
    )
    (folder / "one.yaml").write_text(text)
    assert run("inject", "-s", "set.yaml", "one.yaml").stdout == text
