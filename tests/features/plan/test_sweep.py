"""`sidecarctl plan --sweep`: what each value of a strategy gives."""

import json
from pathlib import Path

import pytest

from sidecarctl.render.output import Page
from tests.cli.running import run
from tests.engine.rollout.manifests import pod
from tests.features.plan.planning import SET, dump
from tests.schemas import assert_valid


def test_a_sweep(folder: Path) -> None:
    paths = ("plan", folder / "set.yaml", folder / "pods.json", "--sweep", "partition=0,20%,4")
    text = run(*paths)
    assert text.code == 0
    assert text.stdout.splitlines() == [
        "SidecarSet logs: 5 pods, 0 updated",
        "  partition  UPDATED  OLD  WAVES  ROUNDS  DOWN  ENDING",
        "  0                5    0      3       4     2  Complete",
        "  20%              4    1      2       3     2  HeldByPartition",
        "  4                1    4      1       2     1  HeldByPartition",
    ]
    assert "| 20% | 4 | 1 | 2 | 3 | 2 | HeldByPartition |" in run(*paths, "-o", "markdown").stdout
    document = json.loads(run(*paths, "-o", "json").stdout)
    assert_valid(document, "rollout-sweep.json")
    assert [row["updatedPods"] for row in document["rows"]] == [5, 4, 1]


def test_a_sweep_fits_into_a_comment(folder: Path) -> None:
    (folder / "other.yaml").write_text(SET.replace("name: logs", "name: other"))
    values = ",".join(map(str, range(1200)))
    paths = ("plan", folder / "set.yaml", folder / "other.yaml", folder / "pods.json")
    comment = run(*paths, "--sweep", f"partition={values}", "-o", "markdown").stdout
    assert len(comment) <= 60_000
    assert comment.endswith("2 more sections: too long for a comment.\n")


def test_a_sweep_of_max_unavailable_that_stalls(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--sweep", "max-unavailable=0,1")
    assert ended.code == 1
    assert "Stalled" in ended.stdout


def test_a_sweep_takes_the_name_of_the_api_too(folder: Path) -> None:
    paths = ("plan", folder / "set.yaml", folder / "pods.json", "--sweep")
    assert run(*paths, "maxUnavailable=1,2").stdout == run(*paths, "max-unavailable=1,2").stdout != ""


def test_no_sweep_is_ignored(folder: Path) -> None:
    paths = ("plan", folder / "set.yaml", folder / "pods.json")
    ended = run(*paths, "--sweep", "partition=0,1", "--sweep", "maxUnavailable=1,2")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--sweep can be given only once" in ended.stderr


def test_a_sweep_tells_what_is_odd_about_its_inputs(folder: Path) -> None:
    odd = pod("odd", status={"phase": "Odd"})
    dump(folder / "pods.json", [pod("p0"), odd])
    paths = ("plan", folder / "set.yaml", folder / "pods.json", "--sweep", "partition=0,1", "--assume-ready")
    ended = run(*paths)
    assert (ended.code, ended.stderr.count("[UnknownPhase]")) == (0, 1)
    assert run(*paths, "--strict").code == 1
    assert run(*paths, "--quiet").stderr == ""
    refused = run(*paths, "--by", "zone")
    assert (refused.code, refused.stdout) == (2, "")
    assert "--sweep cannot be combined with --by and --by-node" in refused.stderr


def test_a_sweep_on_a_narrow_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecarctl.cli.documents.page_of_stdout", lambda: Page(50))
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--sweep", "partition=0,4")
    assert ended.stdout.splitlines()[1:] == [
        "  partition  UPDATED  WAVES  DOWN  ENDING",
        "  0                5      3     2  Complete",
        "  4                1      1     1  HeldByPartition",
    ]


def test_pods_that_may_match_make_the_ending_unknown(folder: Path) -> None:
    """A dump without Namespaces does not tell whether the pods match."""
    (folder / "set.yaml").write_text(SET.replace("spec:", "spec:\n  namespaceSelector: {matchLabels: {team: a}}", 1))
    paths = ("plan", folder / "set.yaml", folder / "pods.json")
    ended = run(*paths)
    assert ended.code == 1
    assert "Unknown: 5 pods (shop/p0, shop/p1, shop/p2 +2) match only if" in ended.stdout
    document = json.loads(run(*paths, "-o", "json").stdout)
    assert_valid(document, "rollout-plan.json")
    assert document["sidecarSets"][0]["ending"] == "Unknown"
