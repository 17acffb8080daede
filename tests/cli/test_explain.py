"""`sidecarctl explain`: the questions of docs/explain.md, and what they do not show."""

import json
import re
import shlex
from pathlib import Path

import pytest

from sidecarctl.facts.reasons import Reason
from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import run
from tests.schemas import assert_valid

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(
    r"```console\n\$ sidecarctl (.+)\n((?:.*\n)*?)```\n", (ROOT / "docs" / "explain.md").read_text()
)
SAMPLES = ROOT / "samples" / "explain"
WORLD = ("-s", SAMPLES / "sidecarsets.yaml", "-s", SAMPLES / "namespaces.yaml")


@pytest.mark.parametrize("example", EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_gives_what_is_shown(example: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, shown = example
    ended = run(*shlex.split(command))
    assert (ended.code, ended.stdout) == (0, shown)


def test_there_are_a_dozen_questions() -> None:
    assert len(EXAMPLES) >= 12


def test_all_reasons_are_listed_with_their_sentences() -> None:
    listed = json.loads(run("explain", "--reasons", "-o", "json").stdout)["reasons"]
    assert [one["code"] for one in listed] == [str(reason) for reason in Reason]
    assert all(one["meaning"].endswith(".") for one in listed)
    assert "NeverInjected" in run("explain", "--reasons").stdout
    assert run("explain", "--reasons", "-o", "markdown").stdout.startswith("| code | meaning |\n")


def test_the_evidence_is_the_field_that_decides(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT.replace("{app: web}", "{app: other}"))
    ended = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml", "-o", "json")
    document = json.loads(ended.stdout)
    assert_valid(document, "pod-explanation.json")
    [one] = document["pods"][0]["sidecarSets"]
    failed = [test for test in one["tests"] if test["passed"] is False]
    assert [(each["test"], each["path"], each["value"], each["line"]) for each in failed] == [
        ("Selector", "spec.selector.matchLabels.app", "web", 8)
    ]
    assert [test["passed"] for test in one["tests"]] == [True, True, True, False, None, None]


def test_a_rejected_pod_names_the_sidecarset_and_asks_the_others_all_the_same() -> None:
    labels = "pinned=yes,trace=on"
    document = json.loads(run("explain", *WORLD, "-n", "shop", "--labels", labels, "-o", "json").stdout)
    [pod] = document["pods"]
    assert pod["outcome"] == "Rejected"
    assert [one["reason"] for one in pod["errors"]] == ["RevisionNotFound"]
    reasons = {one["name"]: one["reason"] for one in pod["sidecarSets"]}
    assert reasons["pinned"] == "RevisionNotFound"
    assert reasons["trace"] == "Injected"
    assert reasons["logs"] == "PodNotSelected"


def test_expressions_come_with_their_operands() -> None:
    words = ("--pod", "Deployment/web", "--only", "proxy", "-o", "json")
    document = json.loads(run("explain", *WORLD, SAMPLES / "workloads.yaml", *words).stdout)
    [sidecar] = document["pods"][0]["sidecarSets"][0]["sidecars"]
    assert sidecar["computedResources"] == [
        {
            "field": "limits.cpu",
            "expression": "max(cpu*50%, 100m)",
            "mode": "sum",
            "operands": {"web": "1", "cache": "200m"},
            "aggregate": "1200m",
            "result": "600m",
        },
        {
            "field": "requests.cpu",
            "expression": "cpu*10%",
            "mode": "sum",
            "operands": {"web": "400m", "cache": "100m"},
            "aggregate": "500m",
            "result": "50m",
        },
    ]


def test_the_groups_of_a_sidecarset_hold_every_pod_once() -> None:
    words = ("--sidecarset", "logs", "-o", "json")
    document = json.loads(run("explain", *WORLD, SAMPLES / "pods.yaml", *words).stdout)
    assert_valid(document, "sidecarset-explanation.json")
    named = [name for group in document["groups"] for name in group["pods"]]
    assert sorted(named) == [f"Pod shop/web-{number}" for number in range(6)]
    states = {group["example"]["rollout"]["state"]: len(group["pods"]) for group in document["groups"]}
    assert states == {"NotReady": 1, "HeldByPartition": 2, "Waiting": 1, "NotUpgradable": 1, "NeverInjected": 1}


def test_a_pod_that_runs_is_not_said_to_be_injected() -> None:
    text = run("explain", *WORLD, SAMPLES / "pods.yaml", "--pod", "shop/web-5", "--only", "logs").stdout
    assert "running; a new pod like it would get sidecars" in text
    assert "logs: NeverInjected" in text


def test_what_cannot_be_meant(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    for words, told in {
        ("--labels", "app"): "--labels app is no list of labels",
        (SAMPLES / "pods.yaml", "--pod", "nobody"): "no pod or workload with this name",
        (SAMPLES / "pods.yaml", "--sidecarset", "nobody"): "--sidecarset nobody: SidecarSet not found",
        (tmp_path / "service.yaml",): "there is neither a pod nor a workload to explain",
        (): "no PATHS given",
    }.items():
        ended = run("explain", *WORLD, *words)
        assert (ended.code, ended.stdout) == (2, "")
        assert told in ended.stderr
    assert run("explain", SAMPLES / "pods.yaml").code == 2
