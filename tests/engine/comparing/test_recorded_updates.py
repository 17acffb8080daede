"""Updates of SidecarSets as the webhook of a real cluster answered them: `diff` and `plan` refuse just the same ones.

Recorded with kube-apiserver 1.32.13 and Kruise 1.9 (default feature gates) as dry runs; `sets.json` holds what else
was in the cluster.
"""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run

UPDATES = Path(__file__).parent / "updates"
CASES = sorted(path for path in UPDATES.glob("*.json") if path.name != "sets.json")


def _files(case: Object, folder: Path) -> list[str]:
    others = json.loads((UPDATES / "sets.json").read_text())
    others["items"] = [item for item in others["items"] if item["metadata"]["name"] != case["set"]]
    files = {"old.json": case["old"], "new.json": case["new"], "others.json": others}
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value))
    return [str(folder / name) for name in files]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_diff_refuses_what_the_webhook_refuses(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text())
    old, new, others = _files(case, tmp_path)
    ended = run("diff", old, new, "-s", others, "--kruise", "master", "--only", case["set"], "-o", "json")
    if ended.code == 2:  # what cannot be decoded is refused as a whole
        assert not case["kruise"]["accepts"]
        return
    (item,) = json.loads(ended.stdout)["sidecarSets"]
    assert (item["verdicts"][0] == "Rejected") == (not case["kruise"]["accepts"]), case["kruise"]
    assert bool(item["refusals"]) == (not case["kruise"]["accepts"])
    if item["verdict"] == "Rejected":
        assert (ended.code, item["verdicts"]) == (1, ["Rejected"])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_plan_does_not_plan_what_the_webhook_refuses(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text())
    old, new, others = _files(case, tmp_path)
    named = ["--from", old, "--from", others, new, "-s", others, "--only", case["set"]]
    ended = run("plan", *named, "--kruise", "master", "-o", "json")
    if case["kruise"]["accepts"]:
        assert [item["name"] for item in json.loads(ended.stdout)["sidecarSets"]] == [case["set"]]
    else:
        assert (ended.code in (2, 3), ended.stdout) == (True, "")
