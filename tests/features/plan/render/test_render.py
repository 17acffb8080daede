"""`sidecarctl render`: the patches of a plan in every form."""

import json
import os
import subprocess
from pathlib import Path

import jsonpatch
import pytest
import yaml

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import not_ready, pod
from tests.features.plan.planning import SET, dump
from tests.schemas import assert_valid

HOT = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  containers:
  - name: agent
    image: agent:2
    upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: "empty:1"}
  updateStrategy: {maxUnavailable: 2}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    prepared(tmp_path, [pod(f"p{index}", uid=f"u{index}") for index in range(3)])
    return tmp_path


def prepared(folder: Path, pods: list[Object], *options: str | Path) -> None:
    dump(folder / "pods.json", pods)
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "-o", f"json={folder}/plan.json", *options)
    assert ended.code in (0, 1), ended.stderr


def rendered(folder: Path, *options: str | Path) -> Value:
    ended = run("render", folder / "plan.json", *options)
    assert ended.code == 0, ended.stderr
    patches = json.loads(ended.stdout)
    assert_valid(patches, "rendered-patches.json")
    return patches


def told(ended: Ended, code: int, *words: str) -> None:
    assert (ended.code, ended.stdout) == (code, "")
    for word in words:
        assert word in ended.stderr


def test_json_patches_in_wave_order(folder: Path) -> None:
    patches = rendered(folder)
    assert [(patch["wave"], patch["target"]["name"]) for patch in patches] == [(1, "p0"), (1, "p1"), (2, "p2")]
    operations = patches[0]["patch"]
    assert [(operation["op"], operation["path"]) for operation in operations[:5]] == [
        ("test", "/metadata/uid"),
        ("test", "/spec/containers/0/name"),
        ("test", "/spec/containers/0/image"),
        ("test", "/metadata/annotations/kruise.io~1sidecarset-hash"),
        ("replace", "/spec/containers/0/image"),
    ]
    after = jsonpatch.apply_patch(pod("p0", uid="u0"), operations)
    assert after["spec"]["containers"][0]["image"] == "agent:2"


def test_texts_are_written_as_the_api_server_writes_them(folder: Path) -> None:
    """It compares those of `test` operations byte by byte: all else must stay as it is."""
    patched = {"patchPodMetadata": [{"annotations": {"url": "?a=2&b=<é>"}, "patchPolicy": "Overwrite"}]}
    manifest = yaml.safe_load(SET)
    manifest["spec"] |= patched
    (folder / "set.yaml").write_text(json.dumps(manifest))
    prepared(folder, [pod("p0", uid="u0", annotations={"url": "?a=1&b=<é\u2028>", "kept": "<"})])
    text = run("render", folder / "plan.json").stdout
    assert r'"?a=1\u0026b=\u003cé\u2028\u003e"' in text
    assert r'"?a=2\u0026b=\u003cé\u003e"' in text
    script = run("render", folder / "plan.json", "-o", "kubectl").stdout
    assert r'"?a=1\u0026b=\u003cé\u2028\u003e"' in script


def test_a_text_that_servers_write_differently_is_guarded_by_the_version(folder: Path) -> None:
    r"""Go writes `\b` as `\u0008` up to 1.21, so no text of it equals that of every server."""
    manifest = yaml.safe_load(SET)
    manifest["spec"]["patchPodMetadata"] = [{"annotations": {"bell": "2"}, "patchPolicy": "Overwrite"}]
    (folder / "set.yaml").write_text(json.dumps(manifest))
    prepared(folder, [pod("p0", uid="u0", annotations={"bell": "a\bb"}, resourceVersion="7")])
    [patch] = rendered(folder)
    tested = {operation["path"]: operation["value"] for operation in patch["patch"] if operation["op"] == "test"}
    assert tested["/metadata/resourceVersion"] == "7"
    assert "/metadata/annotations/bell" not in tested


def test_single_waves(folder: Path) -> None:
    assert [item["target"]["name"] for item in rendered(folder, "--waves", "2")] == ["p2"]
    assert len(rendered(folder, "--waves", "1-2")) == 3
    told(run("render", folder / "plan.json", "--waves", "3"), 2, "the plan has no wave 3", "it has waves up to 2")
    told(run("render", folder / "plan.json", "--waves", "0"), 2, "--waves 0 is not a wave")
    told(run("render", folder / "plan.json", "--waves", "2-1"), 2, "--waves 2-1 is not a wave")


def test_strategic_and_merge_patches(folder: Path) -> None:
    strategic = rendered(folder, "-o", "strategic")[0]["patch"]
    assert strategic["spec"] == {"containers": [{"name": "agent", "image": "agent:2"}]}
    assert strategic["metadata"]["uid"] == "u0"
    merge = rendered(folder, folder / "pods.json", "-o", "merge")[0]["patch"]
    assert [container["image"] for container in merge["spec"]["containers"]] == ["agent:2", "app:1"]


def test_whole_pods(folder: Path) -> None:
    ended = run("render", folder / "plan.json", folder / "pods.json", "-o", "pods", "--waves", "1")
    pods = list(yaml.safe_load_all(ended.stdout))
    assert [item["metadata"]["name"] for item in pods] == ["p0", "p1"]
    assert [container["image"] for container in pods[0]["spec"]["containers"]] == ["agent:2", "app:1"]
    assert pods[0]["status"] == pod("p0")["status"]


def test_a_file_for_each_pod(folder: Path) -> None:
    out = folder / "out"
    assert run("render", folder / "plan.json", "-d", out).stdout == ""
    found = sorted(str(path.relative_to(out)) for path in out.rglob("*.json"))
    assert found == [
        "logs/wave-0001/000001-shop-p0.jsonpatch.json",
        "logs/wave-0001/000002-shop-p1.jsonpatch.json",
        "logs/wave-0002/000003-shop-p2.jsonpatch.json",
    ]
    assert json.loads((out / found[0]).read_text()) == rendered(folder)[0]["patch"]
    run("render", folder / "plan.json", folder / "pods.json", "-o", "pods", "-d", folder / "pods")
    assert min(path.name for path in (folder / "pods").iterdir()) == "000001-shop-p0.yaml"


def test_names_lead_nowhere_else(folder: Path) -> None:
    prepared(folder, [pod("../../p0")])
    run("render", folder / "plan.json", "-d", folder / "out")
    [found] = (folder / "out").rglob("*.json")
    assert found.relative_to(folder / "out") == Path("logs/wave-0001/000001-shop-_.._p0.jsonpatch.json")


def test_conditions_are_rendered_apart(folder: Path) -> None:
    assert not [item for item in rendered(folder) if "subresource" in item]
    conditions = [item for item in rendered(folder, "--write-conditions") if item.get("subresource") == "status"]
    assert [condition["target"]["name"] for condition in conditions] == ["p0", "p1", "p2"]
    assert conditions[0]["patch"]["status"]["conditions"][0]["type"] == "SidecarSetUpgradable"
    assert conditions[0]["patch"]["metadata"] == {"uid": "u0"}
    assert len(rendered(folder, "--write-conditions", "--waves", "2")) == 2
    run("render", folder / "plan.json", "--write-conditions", "-d", folder / "out")
    assert (folder / "out/logs/conditions-0001/000004-shop-p0.strategic.json").exists()


def test_only_one_set(folder: Path) -> None:
    assert len(rendered(folder, "--only", "logs")) == 3
    unknown = run("render", folder / "plan.json", "--only", "mesh")
    told(unknown, 2, "--only mesh: SidecarSet not found (SidecarSets: logs)")


def test_a_plan_that_patches_nothing(folder: Path) -> None:
    prepared(folder, [pod("p0")], "--paused")
    assert rendered(folder) == []
    told(run("render", folder / "plan.json", "--waves", "1"), 2, "the plan has no wave 1")


def test_pods_that_have_changed_since_are_refused(folder: Path) -> None:
    changed = pod("p0", uid="u0", images={"agent": "agent:9", "app": "app:1"})
    dump(folder / "now.json", [changed, pod("p1", uid="u1"), pod("p2", uid="u2")])
    paths = ("render", folder / "plan.json", folder / "now.json", "-o", "merge")
    told(run(*paths), 3, "Pod shop/p0", "the image of agent is agent:9, but the plan expects agent:1", "[StalePlan]")
    dump(folder / "now.json", [pod("p0", uid="other")])
    told(run(*paths), 3, "its uid is other, but the plan is for u0")
    dump(folder / "now.json", [pod("p0", uid="u0", images={"app": "app:1"})])
    told(run(*paths), 3, "agent is not number 0 of its containers")
    dump(folder / "now.json", [pod("p0", uid="u0", annotations={"kruise.io/sidecarset-hash": "{}"})])
    told(run(*paths), 3, "it records another hash")
    dump(folder / "now.json", [])
    told(run(*paths), 3, "it is not in PODS")


def test_pods_that_cannot_be_read(folder: Path) -> None:
    broken: Value = pod("p0")
    broken["spec"]["containers"] = 5
    dump(folder / "now.json", [broken])
    told(run("render", folder / "plan.json", folder / "now.json", "-o", "pods"), 2, "[WrongType]")
    (folder / "now.json").write_text("{")
    told(run("render", folder / "plan.json", folder / "now.json", "-o", "pods"), 2, "[Syntax]")


def test_what_does_not_go_together(folder: Path) -> None:
    plan = folder / "plan.json"
    told(run("render", plan, "-o", "merge"), 2, "-o merge needs the pods")
    told(run("render", plan, "-o", "kubectl", "-d", folder), 2, "prints one script")
    told(
        run("render", plan, folder / "pods.json", "-o", "pods", "--write-conditions"),
        2,
        "cannot be combined with -o pods",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: Pod\n", "not a RolloutPlan"),
        ("[]", "not a RolloutPlan"),
        ("kind: RolloutPlan\napiVersion: v9\n", "unknown version v9"),
        ("kind: RolloutPlan\napiVersion: sidecarctl.dev/v1alpha1\n", "sidecarSets is missing"),
        ("a: 1\n---\nb: 2\n", "PLAN must be one file with one RolloutPlan"),
        ("", "PLAN must be one file with one RolloutPlan"),
        ("a: [", "[Syntax]"),
    ],
)
def test_what_is_not_a_plan(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "plan.yaml").write_text(text)
    told(run("render", tmp_path / "plan.yaml"), 2, words, "plan.yaml")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"round": -1}, "waves[0].round: expected a number of at least 1, got the number -1"),
        ({"pods": [{}]}, "waves[0].pods[0]: namespace is missing"),
        ({"pods": [{"namespace": 5}]}, "namespace: expected a string, got the number 5"),
        ({"pods": 5}, "waves[0].pods: expected a list, got the number 5"),
        ({"pod": []}, "waves[0].pod: unknown field pod (did you mean pods?)"),
    ],
)
def test_a_plan_that_was_damaged(folder: Path, change: Object, words: str) -> None:
    plan = json.loads((folder / "plan.json").read_text())
    plan["sidecarSets"][0]["waves"][0] |= change
    (folder / "plan.json").write_text(json.dumps(plan))
    told(run("render", folder / "plan.json"), 2, "plan.json:1:", words)


def test_a_container_that_stands_elsewhere_than_pods_have_them(folder: Path) -> None:
    plan = json.loads((folder / "plan.json").read_text())
    plan["sidecarSets"][0]["waves"][0]["pods"][0]["images"][0]["in"] = "ephemeralContainers"
    (folder / "plan.json").write_text(json.dumps(plan))
    told(
        run("render", folder / "plan.json"),
        2,
        'in: expected containers or initContainers, got the string "ephemeralContainers"',
    )


def hot(folder: Path, **images: str) -> None:
    (folder / "set.yaml").write_text(HOT)
    held = {"agent-1": "agent:1", "agent-2": images.get("idle", "empty:1"), "app": "app:1"}
    prepared(folder, [pod(f"p{index}", hot=True, images=held) for index in range(2)])


def test_a_hot_upgrade_records_what_the_cluster_knows(folder: Path) -> None:
    hot(folder)
    assert [item["wave"] for item in rendered(folder)] == [1, 1, 2, 2]


def test_invented_image_ids_are_refused(folder: Path) -> None:
    hot(folder, idle="agent:0")
    assert len(rendered(folder, "--waves", "1")) == 2
    told(run("render", folder / "plan.json"), 3, "4 patches, the first in wave 2 of logs", "[InventedImageId]")
    assert len(rendered(folder, "--simulated")) == 6


def test_pods_patched_twice_come_once(folder: Path) -> None:
    hot(folder)
    ended = run("render", folder / "plan.json", folder / "pods.json", "-o", "pods", "--simulated")
    pods = list(yaml.safe_load_all(ended.stdout))
    images = [[container["image"] for container in item["spec"]["containers"]] for item in pods]
    assert images == [["empty:1", "agent:2", "app:1"]] * 2


def test_a_plan_from_workloads_is_not_for_a_cluster(folder: Path) -> None:
    samples = Path(__file__).parents[4] / "samples/rollouts/canary"
    paths = (samples / "sidecarset.yaml", samples / "workloads.yaml", "--from", samples / "old.yaml")
    run("plan", *paths, "-o", f"json={folder}/plan.json")
    told(run("render", folder / "plan.json"), 3, "[SyntheticPlan]", "--simulated")
    assert len(rendered(folder, "--simulated")) == 2


KUBECTL = """\
#!/bin/sh
# A stand-in: patches are noted, every container runs what was asked for.
echo "$@" >> "$LOG"
case "$*" in
  get*) echo "docker.io/library/$RUNNING" ;;
esac
"""


def script_of(folder: Path, *options: str) -> str:
    ended = run("render", folder / "plan.json", "-o", "kubectl", *options)
    assert ended.code == 0, ended.stderr
    return ended.stdout


def executed(folder: Path, script: str, running: str = "agent:2") -> subprocess.CompletedProcess[str]:
    (folder / "kubectl").write_text(KUBECTL)
    (folder / "kubectl").chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "LOG": str(folder / "log"), "RUNNING": running, "TIMEOUT": "0", "YES": "1"}
    return subprocess.run(["sh"], input=script, env=env, capture_output=True, text=True, check=False)


def test_names_are_printed_as_they_are(folder: Path) -> None:
    """The echo of some shells reads escapes."""
    script = script_of(folder)
    assert "echo " not in script
    odd = script.replace("round 1: logs", r"round 1: a\\033b\\nc")
    assert "\n" + r"round 1: a\\033b\\nc, wave 1" in executed(folder, odd).stdout


def test_a_script_that_patches_wave_after_wave(folder: Path) -> None:
    ended = executed(folder, script_of(folder))
    assert ended.returncode == 0, ended.stderr
    assert "\nround 1: logs, wave 1 (upgrade): 2 pods\n" in ended.stdout
    calls = [line.split()[0] + " " + line.split()[-1] for line in (folder / "log").read_text().splitlines()]
    assert calls == [
        "config {.clusters[0].cluster.server}",
        "get p0", "patch p0", "get p1", "patch p1", "get p0", "wait pod/p0", "get p1", "wait pod/p1",
        "get p2", "patch p2", "get p2", "wait pod/p2",
    ]  # a table, a case a line  # fmt: skip


def test_the_script_does_not_wait_for_pods_that_were_not_ready_before(folder: Path) -> None:
    prepared(folder, [not_ready(pod("p0")), pod("p1")])
    script = script_of(folder)
    assert "does not wait for those that were not ready before" in script
    assert [line.split()[:3] for line in script.splitlines() if line.startswith("await_") and "()" not in line] == [
        ["await_image", "shop", "p1"],
        ["await_ready", "shop", "p1"],
    ]


def test_the_old_half_of_a_pair_is_emptied_only_once_the_new_one_runs(folder: Path) -> None:
    hot(folder)
    unready = {"conditions": [{"type": "Ready", "status": "False"}]}
    prepared(folder, [pod("p0", hot=True, status=unready)])
    script = script_of(folder, "--simulated")
    waits = [line for line in script.splitlines() if line.startswith("await_") and "()" not in line]
    assert waits[:1] == ["await_image shop p0 containerStatuses agent-2 agent:2"]
    assert not [line for line in waits if line.startswith("await_ready")]


@pytest.mark.slow
def test_the_script_stops_where_an_image_does_not_come(folder: Path) -> None:
    ended = executed(folder, script_of(folder), running="agent:1")
    assert ended.returncode == 1
    assert "pod shop/p0: container agent does not run agent:2 after 0 seconds" in ended.stderr
    assert "p2" not in (folder / "log").read_text()


@pytest.mark.slow
def test_a_digest_is_known_by_the_image_id(folder: Path) -> None:
    digest = f"agent@sha256:{'a' * 64}"
    (folder / "set.yaml").write_text(SET.replace("agent:2", digest))
    prepared(folder, [pod("p0")])
    assert executed(folder, script_of(folder), running=digest).returncode == 0
    assert "imageID" in (folder / "log").read_text()


@pytest.mark.slow
def test_the_script_writes_conditions_when_asked(folder: Path) -> None:
    assert "\npatch_status " not in script_of(folder)
    script = script_of(folder, "--write-conditions")
    assert script.count("\npatch_status ") == 3
    assert executed(folder, script).returncode == 0


@pytest.mark.slow
def test_words_of_the_script_are_quoted(folder: Path) -> None:
    name = "p'0; touch gone; $(x) `y`"
    prepared(folder, [pod(name)])
    ended = executed(folder, script_of(folder))
    assert ended.returncode == 0, ended.stderr
    assert name in (folder / "log").read_text()
    assert not (folder / "gone").exists()


def test_what_a_killed_run_left_in_the_folder_is_removed(folder: Path) -> None:
    out = folder / "out"
    assert run("render", folder / "plan.json", "-d", out).code == 0
    [wave] = {path.parent for path in out.rglob("*.json") if "wave-0001" in path.parts}
    left = wave / ".sidecarctl-0123456789abcdef.tmp"
    left.write_text("half of a pa")
    ended = run("render", folder / "plan.json", "-d", out)
    assert ended.code == 0
    assert f"{wave}: removed temporary files of a killed run: 1 [LeftBehind]" in ended.stderr
    assert not left.exists()
