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


def test_two_sweeps_make_a_grid(folder: Path) -> None:
    sweeps = ("--sweep", "partition=0,20%,4", "--sweep", "max-unavailable=1,3")
    paths = ("plan", folder / "set.yaml", folder / "pods.json", *sweeps)
    text = run(*paths)
    assert text.code == 0
    assert text.stdout.splitlines() == [
        "SidecarSet logs: 5 pods, 0 updated; rows: partition, columns: maxUnavailable",
        "  updated  1  3",
        "  0        5  5",
        "  20%      4  4",
        "  4        1  1",
        "",
        "  waves  1  3",
        "  0      5  2",
        "  20%    4  2",
        "  4      1  1",
        "",
        "  most unavailable  1  3",
        "  0                 1  3",
        "  20%               1  3",
        "  4                 1  1",
        "",
        "  ending  1                3",
        "  0       Complete         Complete",
        "  20%     HeldByPartition  HeldByPartition",
        "  4       HeldByPartition  HeldByPartition",
    ]
    assert "\n| waves | 1 | 3 |\n| --- | ---: | ---: |\n| 0 | 5 | 2 |\n" in run(*paths, "-o", "markdown").stdout
    document = json.loads(run(*paths, "-o", "json").stdout)
    assert_valid(document, "rollout-sweep.json")
    assert (document["field"], document["columnField"]) == ("partition", "maxUnavailable")
    cells = [(row["value"], row["columnValue"], row["waves"]) for row in document["rows"]]
    assert cells == [(0, 1, 5), (0, 3, 2), ("20%", 1, 4), ("20%", 3, 2), (4, 1, 1), (4, 3, 1)]


def test_a_grid_has_for_each_pair_what_the_plan_of_the_pair_has(folder: Path) -> None:
    paths = ("plan", folder / "set.yaml", folder / "pods.json", "-o", "json")
    grid = json.loads(run(*paths, "--sweep", "maxUnavailable=1,40%", "--sweep", "partition=0,1,50%").stdout)
    for row in grid["rows"]:
        options = ("--max-unavailable", str(row["value"]), "--partition", str(row["columnValue"]))
        [alone] = json.loads(run(*paths, *options).stdout)["sidecarSets"]
        assert (row["ending"], row["waves"]) == (alone["ending"], len(alone["waves"]))
        assert row["updatedPods"] == alone["counts"]["after"]["updatedPods"]
        assert row["largestUnavailable"] == alone["window"]["largestUnavailable"]


def test_a_cell_of_a_grid_that_stalls_names_both_values(folder: Path) -> None:
    paths = ("plan", folder / "set.yaml", folder / "pods.json", "--report", "json", "-o", "text=ignored.txt")
    ended = run(*paths, "--sweep", "partition=0,4", "--sweep", "maxUnavailable=0,1")
    stalled = [item for item in json.loads(ended.stdout)["findings"] if item["reason"] == "RolloutStalls"]
    assert ended.code == 1
    assert [item["message"].split(":")[0] for item in stalled] == [
        "partition 0, maxUnavailable 0",
        "partition 4, maxUnavailable 0",
    ]


@pytest.mark.parametrize(
    ("sweeps", "says"),
    [
        (
            ["partition=0,1", "maxUnavailable=1", "partition=2"],
            "--sweep is given 3 times, and a grid has only rows and",
        ),
        (["partition=0,1", "partition=50%"], "--sweep partition is given twice (use --sweep partition=0,1,50%)"),
        (["partition=0", "replicas=1"], "--sweep replicas=1: replicas cannot be swept"),
    ],
)
def test_sweeps_that_make_no_grid(folder: Path, sweeps: list[str], says: str) -> None:
    paths = ("plan", folder / "set.yaml", folder / "pods.json")
    ended = run(*paths, *(word for sweep in sweeps for word in ("--sweep", sweep)))
    assert (ended.code, ended.stdout) == (2, "")
    assert says in ended.stderr


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
