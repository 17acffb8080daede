"""Reading what releases gave: whole, or relative to another release; and running cases by it."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.profiles import R1_7, R1_8, R1_9
from sidecarctl.engine.releases.release import MASTER
from tests.conformance.__main__ import main
from tests.engine.releases.recordings import Recordings

ROUNDS: Object = {
    "rounds": [
        {"round": 1, "conditions": {"a": "True"}, "events": ["Normal NotUpgradablePods x", "Normal Reset"]},
        {"round": 2, "events": ["Normal NotUpgradablePods x"]},
    ],
    "latestRevision": "logs-abc",
}


def folder(path: Path, lines: dict[str, list[Object]]) -> Recordings:
    for name, recorded in lines.items():
        release = path / name
        release.mkdir()
        text = "".join(json.dumps({"case": "rollout/one"} | line) + "\n" for line in recorded)
        (release / "rollout.jsonl").write_text(text)
    return Recordings(path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"expect": {"rounds": []}}, {"rounds": []}),
        ({"as": "master", "rename": [["logs-abc", "logs-x"]]}, ROUNDS | {"latestRevision": "logs-x"}),
        ({"as": "master", "firstRounds": 1}, ROUNDS | {"rounds": ROUNDS["rounds"][:1]}),
        (
            {"as": "master", "dropConditions": True},
            ROUNDS | {"rounds": [{"round": 1, "events": ["Normal Reset"]}, {"round": 2}]},
        ),
        (
            {"as": "master", "patch": [[["rounds", 1, "round"], 3]]},
            ROUNDS | {"rounds": [ROUNDS["rounds"][0], ROUNDS["rounds"][1] | {"round": 3}]},
        ),
        ({"as": "master", "patch": [[["rounds"]]]}, {"latestRevision": "logs-abc"}),
        ({"as": "master", "patch": [[[], {"error": "x"}]]}, {"error": "x"}),
    ],
)
def test_a_line_says_what_a_release_gave(tmp_path: Path, line: Object, expected: Object) -> None:
    before = json.dumps(ROUNDS)
    assert folder(tmp_path, {"1.8": [line]}).expected("rollout/one", R1_8, ROUNDS) == expected
    assert json.dumps(ROUNDS) == before


def test_a_line_may_begin_with_another_release(tmp_path: Path) -> None:
    recordings = folder(
        tmp_path,
        {
            "1.9.0": [{"as": "master", "patch": [[["latestRevision"], "b"]]}],
            "1.8": [{"as": "1.9.0", "firstRounds": 0}],
        },
    )
    assert recordings.expected("rollout/one", R1_8, ROUNDS) == {"rounds": [], "latestRevision": "b"}
    assert recordings.expected("rollout/one", R1_9, ROUNDS)["latestRevision"] == "b"
    for release in (MASTER, R1_7):
        assert recordings.expected("rollout/one", release, ROUNDS) is ROUNDS
    assert recordings.expected("rollout/two", R1_8, ROUNDS) is ROUNDS


def test_a_case_is_run_by_what_its_release_gave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    namespaces = {"namespace": "shop", "namespaceSelector": {"matchLabels": {"team": "a"}}}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "containers": [{"name": "a", "image": "a:1"}], **namespaces}
    sidecarset = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "SidecarSet",
        "metadata": {"name": "a"},
        "spec": spec,
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "shop", "labels": {"app": "web"}},
    }
    expect = {"pods": [{"name": "p", "namespace": "shop", "matches": {"a": True}}]}
    case = {"id": "one", "op": "match", "objects": [sidecarset, pod], "expect": expect}
    cases, recorded = tmp_path / "generated.jsonl", tmp_path / "recorded"
    cases.write_text(json.dumps(case) + "\n")
    recorded.mkdir()
    recordings = folder(recorded, {"1.8": []})
    assert main([cases], ["master"], recordings) == 0
    assert main([cases], ["1.8"], recordings) == 1
    line = {"case": "match/one", "as": "master", "patch": [[["pods", 0, "matches", "a"], False]]}
    (recorded / "1.8" / "match.jsonl").write_text(json.dumps(line) + "\n")
    assert main([cases], ["1.8", "1.9"], Recordings(recorded)) == 0
    assert "1/1" in capsys.readouterr().out
