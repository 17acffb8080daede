"""Every command, and the function, takes the rows of the one table: a LeaderWorkerSet of six pods in each of them."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.api.workload_kinds import WORKLOADS
from sidecarctl.engine.files.fixed_files import shipped_schema
from tests.cli.manifests import SET
from tests.cli.running import run
from tests.features.reference.kinds.test_cases import CASES
from tests.krm import calls
from tests.krm.calls import call

ROOT = Path(__file__).parents[4]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    Path("one.yaml").write_text((CASES / "leader-worker-set.yaml").read_text())
    return tmp_path


def test_explain_shows_each_template() -> None:
    document = json.loads(run("explain", "-s", "set.yaml", "one.yaml", "-o", "json").stdout)
    assert [pod["outcome"] for pod in document["pods"]] == ["Injected", "Injected"]
    text = run("explain", "-s", "set.yaml", "one.yaml").stdout
    assert "spec.leaderWorkerTemplate.leaderTemplate" in text
    assert "spec.leaderWorkerTemplate.workerTemplate" in text


def test_plan_counts_its_pods() -> None:
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml", "-o", "json")
    [plan] = json.loads(ended.stdout)["sidecarSets"]
    assert plan["counts"]["after"]["matchedPods"] == 6


def test_diff_counts_the_pods_that_lose_sidecars() -> None:
    Path("new.yaml").write_text(SET.replace("app: web", "app: other"))
    ended = run("diff", "set.yaml", "new.yaml", "one.yaml", "-o", "json")
    [change] = json.loads(ended.stdout)["sidecarSets"]
    assert sum(item["pods"] for item in change["lost"]) == 6


def test_validate_looks_into_its_templates() -> None:
    Path("set.yaml").write_text(SET.replace("name: log-agent", "name: worker"))
    assert "container-replaced" in run("validate", "set.yaml", "one.yaml").stdout


def test_uninject_restores_it() -> None:
    Path("made.yaml").write_text(run("inject", "-s", "set.yaml", "one.yaml").stdout)
    assert run("uninject", "-s", "set.yaml", "--force", "made.yaml").stdout == Path("one.yaml").read_text()


def test_the_function_injects_it() -> None:
    answered = call([yaml.safe_load(Path("one.yaml").read_text())], calls.SET)
    [found] = [item for item in answered.items if item["kind"] == "LeaderWorkerSet"]
    template = found["spec"]["leaderWorkerTemplate"]
    for part in ("leaderTemplate", "workerTemplate"):
        assert "log-agent" in {container["name"] for container in template[part]["spec"]["containers"]}


def test_the_docs_and_the_schema_have_every_row() -> None:
    page = (ROOT / "docs" / "workload-kinds.md").read_text()
    assert all(f"| `{item.name}` | " in page for item in WORKLOADS)
    assert shipped_schema("WorkloadKindList")["title"] == "WorkloadKindList"
