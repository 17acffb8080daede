"""`sidecarctl plan`: its outputs, what-ifs and who is left out."""

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.engine.rollout.manifests import not_ready, pod
from tests.features.plan.planning import SET, dump, planned, told, waves

EVERY_OPERATOR = "app in (web, x),!gone,app,app!=x,app==web,app notin (y)"


def test_text_is_what_comes_without_being_asked_for(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 0
    lines = ended.stdout.splitlines()
    assert lines[0] == "SidecarSet logs"
    assert "  image            agent: agent:1 -> agent:2" in lines
    assert "  pods             5 matched: 0 updated, 5 ready" in lines
    assert "maxUnavailable   2: 2 at a time, 0 taken at the start" in ended.stdout.replace("\n" + " " * 19, " ")
    assert lines[-1] == "Completes: all 5 pods updated after 3 waves."


def test_both_images_are_written_in_full(folder: Path) -> None:
    """A registry that gets lost shows."""
    pods = (folder / "pods.json").read_text().replace('"agent:1"', '"r.example.com/agent:1"')
    (folder / "pods.json").write_text(pods)
    for image in ("r.example.com/agent:2", "agent:2"):
        (folder / "set.yaml").write_text(SET.replace("agent:2", image))
        for form, arrow in {"text": "->", "markdown": "-&#62;"}.items():
            ended = run("plan", folder / "set.yaml", folder / "pods.json", "-o", form)
            assert f"agent: r.example.com/agent:1 {arrow} {image}\n" in ended.stdout


def test_all_forms_in_one_run(folder: Path) -> None:
    outputs = ["-o", f"markdown={folder}/plan.md", "-o", f"json={folder}/plan.json", "-o", f"yaml={folder}/plan.yaml"]
    ended = run("plan", folder / "set.yaml", folder / "pods.json", *outputs, "-o", f"text={folder}/plan.txt")
    assert (ended.code, ended.stdout) == (0, "")
    assert (folder / "plan.md").read_text().startswith("### ✅ Rollout of SidecarSet logs\n")
    assert (folder / "plan.txt").read_text().startswith("SidecarSet logs\n")
    import yaml

    assert yaml.safe_load((folder / "plan.yaml").read_text()) == json.loads((folder / "plan.json").read_text())


def test_the_document(folder: Path) -> None:
    document = planned(folder)
    item = document["sidecarSets"][0]
    assert waves(document) == [["p0", "p1"], ["p2", "p3"], ["p4"]]
    assert item["window"]["maxUnavailable"] == {"written": 2, "pods": 2, "from": f"{folder}/set.yaml:9:21"}
    assert item["window"]["partition"] == {"written": 0, "pods": 0, "from": "default"}
    assert item["counts"]["ties"] == 5
    patch = item["waves"][0]["pods"][0]
    assert patch["images"] == [
        {"container": "agent", "in": "containers", "index": 0, "before": "agent:1", "after": "agent:2"}
    ]
    entries = {annotation["key"]: annotation["entries"] for annotation in patch["annotations"]}
    assert entries["kruise.io/sidecarset-hash"][0]["presentTime"]
    assert [entry["pods"] for entry in document["inputs"]] == [0, 5]


@pytest.mark.parametrize(
    ("options", "expected", "ending"),
    [
        (["--partition", "3"], [["p0", "p1"]], "HeldByPartition"),
        (["--partition", "60%"], [["p0", "p1"]], "HeldByPartition"),
        (["--max-unavailable", "100%"], [["p0", "p1", "p2", "p3", "p4"]], "Complete"),
        (["--paused"], [], "Paused"),
        (["--selector", "app=other"], [], "HeldBySelector"),
        (
            ["--selector", EVERY_OPERATOR],
            [["p0", "p1"], ["p2", "p3"], ["p4"]],
            "Complete",
        ),
        (["--rounds", "1"], [["p0", "p1"]], "RoundLimit"),
        (["--pod-update-duration", "2"], [["p0", "p1"], ["p2", "p3"], ["p4"]], "Complete"),
    ],
)
def test_what_if(folder: Path, options: list[str], expected: list[list[str]], ending: str) -> None:
    document = planned(folder, *options)
    assert waves(document) == expected
    assert document["sidecarSets"][0]["ending"] == ending


def test_no_longer_paused(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + "    paused: true\n")
    assert planned(folder)["sidecarSets"][0]["ending"] == "Paused"
    assert planned(folder, "--no-paused")["sidecarSets"][0]["ending"] == "Complete"


def test_pods_that_fail_stall_the_rollout(folder: Path) -> None:
    document = planned(folder, "--fail", "p[01]", code=1)
    item = document["sidecarSets"][0]
    assert item["ending"] == "Stalled"
    assert [held["name"] for held in item["holdingBudget"]] == ["p0", "p1"]
    assert [held["name"] for held in item["waiting"]] == ["p2", "p3", "p4"]
    text = run("plan", folder / "set.yaml", folder / "pods.json", "--fail", "shop/p0", "--fail", "p1")
    assert text.code == 1
    assert "Stalls: 2 of 5 pods updated after 1 wave; 3 pods wait, since 2 updated and" in text.stdout
    markdown = run("plan", folder / "set.yaml", folder / "pods.json", "--fail", "p*", "-o", "markdown")
    assert "<summary>2 pods using up maxUnavailable: updated, but not available</summary>" in markdown.stdout


def test_a_pattern_that_fits_no_pod_is_reported(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--fail", "nobody", "--strict")
    assert ended.code == 1
    told(ended, "--fail nobody: no pod has a matching name", "[NoPods]")


def test_pods_that_are_not_ready_become_so_if_that_is_assumed(folder: Path) -> None:
    dump(folder / "pods.json", [not_ready(pod(f"p{index}")) for index in range(3)])
    assert planned(folder, "--assume-ready")["sidecarSets"][0]["counts"]["after"]["updatedReadyPods"] == 3
    assert planned(folder)["sidecarSets"][0]["counts"]["after"]["updatedReadyPods"] == 0


def test_the_largest_number_unavailable_by_label_and_by_node(folder: Path) -> None:
    zones = [pod(f"p{index}", labels={"zone": "ab"[index % 2]} if index else {}) for index in range(5)]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"rack": "r1"}}}
    dump(folder / "pods.json", zones, node)
    document = planned(folder, "--by", "zone", "--by-node", "rack")
    assert document["sidecarSets"][0]["largestUnavailableBy"] == [
        {"by": "zone", "value": "", "pods": 1, "largest": 1},
        {"by": "zone", "value": "a", "pods": 2, "largest": 1},
        {"by": "zone", "value": "b", "pods": 2, "largest": 1},
        {"by": "node rack", "value": "r1", "pods": 5, "largest": 2},
    ]
    text = run("plan", folder / "set.yaml", folder / "pods.json", "--by", "zone").stdout
    assert "  most unavailable at once, by zone\n    (none)       1 of 1\n    a            1 of 2\n" in text
    markdown = run("plan", folder / "set.yaml", folder / "pods.json", "--by", "zone", "-o", "markdown").stdout
    assert "- \\(none\\)" not in markdown
    assert "- b: 1 of 2" in markdown


def test_by_node_needs_nodes(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--by-node", "rack")
    assert (ended.code, ended.stdout) == (2, "")
    told(ended, "--by-node needs Nodes among the inputs")


def test_pods_that_are_left_out(folder: Path) -> None:
    never = pod("never", annotations={"kruise.io/sidecarset-injected-list": None})
    ended_pod = pod("done", status={"phase": "Succeeded"})
    dump(folder / "pods.json", [pod("p0"), never, ended_pod])
    left = planned(folder)["sidecarSets"][0]["leftOut"]
    assert [(item["name"], item["reason"]) for item in left] == [("never", "NeverInjected"), ("done", "PodNotActive")]
    text = run("plan", folder / "set.yaml", folder / "pods.json").stdout
    assert "1 pod left out: older than the SidecarSet, or the webhook was down: recreate it" in text


def test_all_pods(folder: Path) -> None:
    text = run("plan", folder / "set.yaml", folder / "pods.json", "--all-pods", "--partition", "3").stdout
    assert "      upgrade shop/p0  agent: agent:1 -> agent:2  input order, a tie\n" in text
    assert "    shop/p2\n    shop/p3\n    shop/p4\n" in text


def test_several_sets_and_only_one(folder: Path) -> None:
    (folder / "other.yaml").write_text(SET.replace("name: logs", "name: mesh"))
    paths = (folder / "set.yaml", folder / "other.yaml", folder / "pods.json")
    both = json.loads(run("plan", *paths, "-o", "json").stdout)
    assert [item["name"] for item in both["sidecarSets"]] == ["logs", "mesh"]
    alone = json.loads(run("plan", *paths, "-o", "json", "--only", "logs").stdout)
    assert [item["name"] for item in alone["sidecarSets"]] == ["logs"]
    missing = run("plan", *paths, "--only", "nope")
    assert missing.code == 2
    told(missing, "--only nope: SidecarSet not found (SidecarSets: logs, mesh)")


def test_times_are_recorded_as_asked(folder: Path) -> None:
    document = planned(folder, "--timestamp", "2026-01-01T00:00:00Z")
    annotations = document["sidecarSets"][0]["waves"][0]["pods"][0]["annotations"]
    assert annotations[0]["entries"][0]["value"]["updateTimestamp"] == "2026-01-01T00:00:00Z"


def test_help_ends_with_an_example() -> None:
    example = "    sidecarctl plan sidecarset.yaml pods.json -o text -o json=plan.json\n"
    assert f"Example:\n{example}" in run("plan", "--help").stdout
    assert "Example:  sidecarctl render plan.json" in run("render", "--help").stdout
