"""`--fail-on`: what exit code 1 is for, in each command that has the option."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import not_ready, pod, sidecarset


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(command: str, new: Object, pods: list[Object], *options: str) -> Ended:
    Path("new.json").write_text(json.dumps(new))
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    return run(command, "new.json", "pods.json", *options)


HELD = sidecarset(updateStrategy={"partition": 1}).manifest
BUMP = sidecarset().manifest
STUCK = [not_ready(pod("p0", images={"agent": "agent:2", "app": "app:1"})), pod("p1")]
UPDATED = sidecarset("1").manifest
BARE = pod("p2", annotations={"kruise.io/sidecarset-injected-list": None})


@pytest.mark.parametrize(
    ("command", "new", "pods", "options", "code"),
    [
        ("plan", HELD, [pod("p0"), pod("p1")], [], 0),
        ("plan", HELD, [pod("p0"), pod("p1")], ["--fail-on", "HeldByPartition"], 1),
        ("plan", HELD, [pod("p0"), pod("p1")], ["--fail-on", "any"], 1),
        ("plan", BUMP, [pod("p0")], ["--fail-on", "any"], 0),
        ("plan", BUMP, [pod("p0"), pod("p1")], ["--fail", "p*"], 1),
        ("plan", BUMP, [pod("p0"), pod("p1")], ["--fail", "p*", "--fail-on", "none"], 0),
        ("plan", BUMP, [pod("p0"), pod("p1")], ["--fail", "p*", "--fail-on", "Blocked,error"], 0),
        ("plan", BUMP, [pod("p0"), pod("p1")], ["--fail", "p*", "--fail-on", "Blocked,stalled"], 1),
        ("plan", BUMP, [pod("p0"), pod("p1")], ["--fail", "p*", "--sweep", "partition=0", "--fail-on", "none"], 0),
        ("plan", BUMP, [pod("p0"), pod("p1")], ["--sweep", "partition=0,1", "--fail-on", "HeldByPartition"], 1),
        ("status", BUMP, [pod("p0"), BARE], [], 0),
        ("status", BUMP, [pod("p0"), BARE], ["--fail-on", "none"], 0),
        ("status", BUMP, [pod("p0")], ["--fail-on", "Waiting"], 1),
        ("status", BUMP, [pod("p0")], ["--fail-on", "NeverInjected,SidecarMissing"], 0),
        ("status", UPDATED, [pod("p0"), BARE], ["--fail-on", "neverinjected"], 1),
        ("status", UPDATED, [pod("p0")], ["--fail-on", "any"], 0),
    ],
)
def test_exit_code(command: str, new: Object, pods: list[Object], options: list[str], code: int) -> None:
    assert asked(command, new, pods, *options).code == code


def test_what_fails_is_a_finding() -> None:
    asked("plan", HELD, [pod("p0"), pod("p1")], "--fail-on", "HeldByPartition", "--report", "json=found")
    (finding,) = json.loads(Path("found").read_text())["findings"]
    assert (finding["severity"], finding["reason"], finding["file"]) == ("error", "RolloutStalls", "new.json")
    asked("status", BUMP, [pod("p0")], "--fail-on", "Waiting", "--report", "json=found")
    (finding,) = json.loads(Path("found").read_text())["findings"]
    assert (finding["severity"], finding["reason"]) == ("error", "PodNotUpdated")
    assert finding["message"].startswith("SidecarSet logs: Waiting: ")
    assert finding["object"]["name"] == "p0"


@pytest.mark.parametrize(("command", "known"), [("plan", "Stalled, Blocked, Error"), ("status", "Updating")])
def test_an_unknown_word(command: str, known: str) -> None:
    ended = asked(command, BUMP, [pod("p0")], "--fail-on", "Recreate")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--fail-on Recreate is unknown (one of any, none, " in ended.stderr
    assert known in ended.stderr
