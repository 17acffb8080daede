"""`sidecarctl test --init` writes the current state, for the samples and for every recorded injection."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.effort import sampled, unmeasured
from tests.features.reference.kinds.test_pod_sorts import UNITED
from tests.schemas import assert_valid

ROOT = Path(__file__).parents[3]
FILE = Path("sidecars.sidecartest.yaml")
RECORDED = sorted((ROOT / "tests" / "conformance" / "inject").glob("*.json"))
SAMPLES = [
    ["-s", "quickstart/sidecarset.yaml", "quickstart/deployment.yaml"],
    ["-s", "shop/plain/sidecarsets", "shop/plain/apps"],
    ["-s", "explain/sidecarsets.yaml", "-s", "explain/namespaces.yaml", "explain/workloads.yaml"],
    ["-s", "explain/sidecarsets.yaml", "explain/pods.yaml"],
    ["-s", "questions/logs.yaml", "questions/workloads.yaml"],
    ["canary"],
    *(
        ["-s", f"rollouts/{name}/sidecarset.yaml", f"rollouts/{name}/workloads.yaml"]
        for name in ("canary", "hot-upgrade", "partition-50", "partition-980", "priority", "scatter")
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", SAMPLES, ids=" ".join)
def test_samples_pass_as_written(words: list[str]) -> None:
    shutil.copytree(ROOT / "samples", ".", dirs_exist_ok=True)
    shutil.rmtree("tests")
    begun = run("test", "--init", *words)
    assert begun.code == 0, begun.stderr
    assert_valid(yaml.safe_load(FILE.read_text()), "sidecar-test.json")
    ended = run("test", FILE)
    assert ended.code == 0, ended.stdout


@unmeasured
@pytest.mark.parametrize("case", sampled(RECORDED, 5), ids=lambda case: case.stem)
def test_recorded_injections_pass_as_written(case: Path) -> None:
    recorded: dict[str, Any] = json.loads(case.read_text())
    Path("in").mkdir()
    for number, item in enumerate(recorded["objects"]):
        Path(f"in/{number:03}.json").write_text(json.dumps(item))
    gates = [f"--feature-gates={gate}" for gate in (recorded.get("params") or {}).get("gates") or ()]
    begun = run("test", "--init", "in", *gates, "--kruise", "master")
    assert begun.code == 0, begun.stderr
    ended = run("test", FILE)
    assert ended.code == 0, ended.stdout + FILE.read_text()


def test_a_case_for_each_outcome() -> None:
    Path("set.yaml").write_text(SET)
    other = DEPLOYMENT.replace("name: web\n  namespace", "name: api\n  namespace").replace("app: web", "app: api")
    third = DEPLOYMENT.replace("name: web\n  namespace", "name: admin\n  namespace")
    Path("apps.yaml").write_text(f"{DEPLOYMENT}---\n{other}---\n{third}")
    ended = run("test", "--init", "-s", "set.yaml", "apps.yaml")
    assert ended.stdout == "sidecars.sidecartest.yaml: 2 cases\n"
    text = FILE.read_text()
    document = yaml.safe_load(text)
    assert [case["select"]["name"] for case in document["cases"]] == [["admin", "web"], "api"]
    assert [case["expect"]["injected"] for case in document["cases"]] == [["logs"], []]
    assert "# Deployment shop/web, Deployment shop/admin\n" in text
    assert run("test").code == 0
    Path("set.yaml").write_text(SET.replace("2.4.1", "3.0.0"))
    assert run("test").code == 1


def test_a_file_is_not_replaced() -> None:
    Path("set.yaml").write_text(SET)
    FILE.write_text("mine")
    ended = run("test", "--init", "set.yaml")
    assert ended.code == 2
    assert "exists already" in ended.stderr
    assert FILE.read_text() == "mine"


def test_a_folder_that_is_named_twice_is_read_once() -> None:
    Path("all.yaml").write_text(f"{SET}---\n{DEPLOYMENT}")
    assert run("test", "--init", "-s", ".", ".").stdout == f"{FILE}: 1 case\n"
    assert FILE.read_text().count("Deployment") == 1


def test_what_is_left_out_has_its_reason() -> None:
    Path("set.yaml").write_text(
        SET.replace("  selector:", "  namespaceSelector: {matchLabels: {team: a}}\n  selector:")
    )
    Path("web.yaml").write_text(DEPLOYMENT)
    ended = run("test", "--init", "-s", "set.yaml", "web.yaml")
    assert ended.stdout.startswith(f"{FILE}: 0 cases\nleft out: Deployment shop/web: it requires labels of namespace")
    assert ended.stdout.endswith("; inputs.namespaceLabels can say it\n")


def test_subsets_that_get_something_else_are_no_outcome() -> None:
    Path("set.yaml").write_text(SET)
    Path("united.yaml").write_text(UNITED)
    assert "left out: UnitedDeployment" in run("test", "--init", "-s", "set.yaml", "united.yaml").stdout
    case = "{name: a, select: {}, expect: {injected: [logs]}}"
    FILE.write_text(FILE.read_text().replace("cases: []", f"cases: [{case}]"))
    ended = run("test")
    assert ended.code == 1
    assert "pods of subset zone-b get no SidecarSet, while the common template has logs" in ended.stdout
