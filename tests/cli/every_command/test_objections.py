"""What a command objects to with exit code 1 is a finding, with its place, in the forms for machines."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.rollout.manifests import pod


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("web.yaml").write_text("# first\n---\n" + DEPLOYMENT)
    Path("pods.json").write_text(json.dumps({"kind": "List", "items": [pod("web-0")]}))
    return tmp_path


def errors(*arguments: str) -> list[Object]:
    ended = run(*arguments, "--report", "json=found")
    assert ended.code == 1
    found = json.loads(Path("found").read_text())
    assert (found["exitCode"], found["failed"]) == (1, False)
    return [finding for finding in found["findings"] if finding["severity"] == "error"]


def places(found: list[Object]) -> list[tuple[str, str, int, int]]:
    return [(item["reason"], item["file"], item["line"], item["column"]) for item in found]


def test_what_check_would_change() -> None:
    found = errors("inject", "--check", "-s", "set.yaml", "web.yaml")
    assert places(found) == [("InjectionDiffers", "web.yaml", 4, 1)]
    assert found[0]["message"] == "to inject logs (log-agent)"
    run("inject", "-s", "set.yaml", "web.yaml", "-i")
    assert places(errors("uninject", "--check", "-s", "set.yaml", "web.yaml")) == [
        ("StillInjected", "web.yaml", 4, 1)
    ]


def test_a_change_that_recreates_pods() -> None:
    Path("new.yaml").write_text(SET.replace("    image:", "    command: [run]\n    image:"))
    found = errors("diff", "set.yaml", "new.yaml")
    assert places(found) == [("PodsMustBeRecreated", "new.yaml", 11, 14)]
    assert found[0]["message"].endswith("because of spec.containers[log-agent].command")


@pytest.mark.parametrize("sweep", [[], ["--sweep", "partition=0,50%"]], ids=" ".join)
def test_a_rollout_that_stalls(sweep: list[str]) -> None:
    Path("set.yaml").write_text(SET + "  updateStrategy: {maxUnavailable: 1}\n")
    Path("old.yaml").write_text(SET.replace("2.4.1", "2.4.0"))
    found = errors("plan", "set.yaml", "web.yaml", "--from", "old.yaml", "--fail", "web-*", *sweep)
    assert {place[:3] for place in places(found)} == {("RolloutStalls", "set.yaml", 12)}
    assert all("Stalls: " in item["message"] for item in found)
    assert found[0]["message"].startswith("partition 0: " if sweep else "Stalls: ")
