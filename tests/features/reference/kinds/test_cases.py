"""A manifest of each kind, in the shape of its project's samples: what is injected, which pods it makes, and back.

`cases/NAME.yaml` is the manifest, `NAME.injected.yaml` what `inject` makes of it, `NAME.pods` the pods that `plan`
takes. `REWRITE=1` records both again, to review what changed.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.api.workload_kinds import WORKLOADS
from sidecarctl.engine.api.workload_rows import Each, parse_pattern
from sidecarctl.engine.api.workloads import pod_templates
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS, split
from sidecarctl.engine.facts.values import Object
from tests.cli.running import run

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.stem for path in CASES.glob("*.yaml") if not path.stem.endswith(".injected"))
SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchExpressions: [{key: app, operator: Exists}]}
  containers:
  - {name: agent, image: "agent:1", podInjectPolicy: AfterAppContainer}
  updateStrategy: {maxUnavailable: 100%}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("agent:1", "agent:2"))
    return tmp_path


def recorded(name: str, text: str) -> str:
    """What was recorded, or is recorded now."""
    path = CASES / name
    if os.environ.get("REWRITE"):
        path.write_text(text)
    return path.read_text()


def given(name: str) -> str:
    text = (CASES / f"{name}.yaml").read_text()
    Path("one.yaml").write_text(text)
    return text


def value_of(text: str) -> Object:
    [chunk] = split([text.encode()], DEFAULT_LIMITS.size, "one.yaml")
    [document] = Reader().documents(chunk)
    value: Object = document.value
    return value


@pytest.mark.parametrize("name", NAMES)
def test_every_template_is_injected_and_restored(name: str) -> None:
    text = given(name)
    ended = run("inject", "-s", "set.yaml", "one.yaml")
    assert ended.code == 0, ended.stderr
    assert ended.stdout == recorded(f"{name}.injected.yaml", ended.stdout)
    Path("one.yaml").write_text(ended.stdout)
    assert run("inject", "-s", "set.yaml", "one.yaml").stdout == ended.stdout
    assert run("uninject", "-s", "set.yaml", "--force", "one.yaml").stdout == text


@pytest.mark.parametrize("name", NAMES)
def test_its_pods_are_planned(name: str) -> None:
    given(name)
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml", "-o", "json")
    document = json.loads(ended.stdout) if ended.code == 0 else {}
    plans = document.get("sidecarSets") or []
    pods = sorted(pod["name"] for plan in plans for wave in plan["waves"] for pod in wave["pods"])
    said = "".join(f"{line}\n" for line in ended.stderr.splitlines() if "one.yaml" in line)
    text = "".join(f"{pod}\n" for pod in pods) + said
    assert text == recorded(f"{name}.pods", text)


def shapes() -> Iterator[tuple[str, str | None, str]]:
    """The rows that the cases show."""
    for name in NAMES:
        manifest = value_of((CASES / f"{name}.yaml").read_text())
        group = manifest["apiVersion"].rpartition("/")[0]
        for template in pod_templates(manifest):
            yield manifest["kind"], group, template.row.path


def test_there_is_a_case_for_every_row() -> None:
    shown = set(shapes())
    of_kubernetes = {"apps", "batch", "apps.kruise.io", ""}
    for workload in WORKLOADS:
        if workload.group in of_kubernetes and workload.kind != "DeploymentConfig":
            continue
        for row in workload.templates:
            assert (workload.kind, workload.group, row.path) in shown, (workload.kind, row.path)


def test_wildcards_stand_for_items_and_members() -> None:
    assert parse_pattern("spec.tasks[*].template") == ("spec", "tasks", Each.ITEM, "template")
    assert parse_pattern("spec.jobs.*.template") == ("spec", "jobs", Each.MEMBER, "template")
    assert parse_pattern(".") == ()


OWNERS = {
    "leader-worker-set": ["StatefulSet llm", "StatefulSet llm-0", "StatefulSet llm-1"],
    "job-set": ["Job js-leader-0", "Job js-workers-0", "Job js-workers-1"],
    "game-server-set": ["StatefulSet minecraft"],
    "volcano-job": ["Job mpi"],
    "volcano-cron-job": ["Job mpi-00000"],
    "ray-cluster": ["RayCluster ray"],
    "ray-service": ["RayCluster serve-00000"],
    "spark-application": ["Pod pi-driver", "SparkApplication pi"],
    "pytorch-job": ["PyTorchJob train"],
    "deployment-config": ["ReplicationController shop"],
    "scaled-job": ["Job consumer-00000"],
}


@pytest.mark.parametrize("name", OWNERS)
def test_the_owners_of_its_pods(name: str) -> None:
    given(name)
    ended = run("inject", "-s", "set.yaml", "--as-pods", "one.yaml")
    assert "[ControllerMayRefuse]" not in ended.stderr
    pods = [pod for pod in yaml.safe_load_all(ended.stdout) if pod]
    owners = {f"{owner['kind']} {owner['name']}" for pod in pods for owner in pod["metadata"]["ownerReferences"]}
    assert sorted(owners) == OWNERS[name]
    assert {pod["kind"] for pod in pods} == {"Pod"}
