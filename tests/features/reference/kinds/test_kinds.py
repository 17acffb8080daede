"""`sidecarctl kinds`, and the table on docs/workload-kinds.md."""

import json
import os
import re
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.api.workload_kinds import BY_OPERATOR, WORKLOADS
from tests.cli.running import run
from tests.schemas import assert_valid

PAGE = Path(__file__).parents[4] / "docs" / "workload-kinds.md"


def test_every_template_is_listed() -> None:
    text = run("kinds").stdout
    for workload in WORKLOADS:
        for row in workload.templates:
            assert f"  {row.path}" in text
    assert re.search(r"(?m)^LeaderWorkerSet\.leaderworkerset\.x-k8s\.io +spec\.leaderWorkerTemplate\.workerTemplate +"
                     r"spec\.replicas \* \(spec\.leaderWorkerTemplate\.size - 1\)$", text)  # fmt: skip
    assert re.search(r"(?m)^DaemonSet\.apps +spec\.template +one on each node$", text)


def test_json_and_yaml_say_the_same() -> None:
    listed = json.loads(run("kinds", "-o", "json").stdout)
    assert listed == yaml.safe_load(run("kinds", "-o", "yaml").stdout)
    assert len(listed["kinds"]) == len(WORKLOADS)
    service = next(item for item in listed["kinds"] if item["group"] == "serving.knative.dev")
    assert "init containers" in service["restriction"]
    assert len(listed["byOperator"]) == len(BY_OPERATOR)
    assert_valid(listed, "workload-kind-list.json")


def test_kinds_that_are_taught_come_first_with_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    Path(".sidecarctl.yaml").write_text(
        "templatePaths:\n  Game.example.com: spec.lobby\n  Deployment.apps: spec.canary\n  Old: spec.pod\n"
    )
    words = ["--template-path", "Old=spec.other"]
    first, second, third, *others = run("kinds", *words).stdout.splitlines()[1:]
    assert first.split() == ["Old", "spec.other", "spec.replicas", "--template-path"]
    assert second.split() == ["Game.example.com", "spec.lobby", "spec.replicas", ".sidecarctl.yaml:2:21"]
    assert third.split() == ["Deployment.apps", "spec.canary", "spec.replicas", ".sidecarctl.yaml:3:20"]
    assert [line for line in others if line.startswith("Deployment.apps ")] == []
    assert others[0].endswith("  the table")
    listed = json.loads(run("kinds", "-o", "json", *words).stdout)
    assert_valid(listed, "workload-kind-list.json")
    assert [item["taughtBy"] for item in listed["kinds"][:2]] == [
        {"option": "--template-path", "place": None},
        {"option": None, "place": {"file": ".sidecarctl.yaml", "line": 2, "column": 21}},
    ]
    assert listed["kinds"][2]["versions"] == ["v1", "v1beta2", "v1beta1"]
    assert "FROM" not in run("kinds", "--no-config").stdout


def test_every_kind_has_versions_and_no_kind_is_named_twice() -> None:
    names = [(workload.kind, workload.group) for workload in WORKLOADS]
    assert len(set(names)) == len(names)
    assert all(workload.versions for workload in WORKLOADS)
    assert not set(BY_OPERATOR) & set(names)


def test_the_page_has_the_table() -> None:
    page = PAGE.read_text()
    begin, end = "<!-- kinds -->\n", "<!-- end of kinds -->"
    table = run("kinds", "-o", "markdown").stdout
    now = re.sub(f"(?s){begin}.*{end}", lambda _: begin + table + end, page)
    if os.environ.get("REWRITE"):
        PAGE.write_text(now)
    assert now == page
