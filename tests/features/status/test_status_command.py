"""`sidecarctl status`: counts, pods, forms, what cannot be read."""

import json
import re
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from sidecarctl.render.output import Page
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import not_ready, pod, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dump(*objects: Object) -> str:
    Path("dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return "dump.json"


def at_width(monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> list[str]:
    monkeypatch.setattr("sidecarctl.cli.documents.page_of_stdout", lambda: Page(columns))
    return run("status", *arguments).stdout.splitlines()


def status(*objects: Object, options: tuple[str, ...] = ()) -> Ended:
    return run("status", dump(*objects), *options)


def document(*objects: Object, options: tuple[str, ...] = ()) -> Object:
    ended = status(*objects, options=("-o", "json", *options))
    written: Object = json.loads(ended.stdout)
    assert_valid(written, "rollout-status.json")
    return written


def test_text() -> None:
    ended = status(
        sidecarset().manifest, pod("p0"), not_ready(pod("p1")), pod("p2", annotations={"x": "y"}, labels={})
    )
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == (
        "logs: 0 of 3 pods updated, 2 ready, 0 updated and ready\n"
        "  revision  logs-659cdf7f46\n"
        "  strategy  RollingUpdate, partition 0, maxUnavailable 1, 0 unavailable\n"
        "\n"
        "  POD      STATE    INJECTED  READY  WHY\n"
        "  shop/p0  Waiting  1         yes    the next round updates it\n"
        "  shop/p1  Waiting  1         no     the next round updates it\n"
        "  shop/p2  Waiting  1         yes    not before a later round\n"
    )


def test_left_out_pods_and_what_the_manifest_records() -> None:
    manifest = {**sidecarset().manifest, "status": {"matchedPods": 5, "updatedPods": 0}}
    ended = status(manifest, pod(annotations={"kruise.io/sidecarset-injected-list": None}))
    assert "logs: 0 of 0 pods updated, 0 ready, 0 updated and ready; 1 left out\n" in ended.stdout
    assert "  recorded  matchedPods 5 in the manifest's status\n" in ended.stdout
    assert (
        "  shop/p0  NeverInjected  -         -      older than the SidecarSet, or the webhook was down: recreate it\n"
        in ended.stdout
    )
    assert ended.stderr.startswith("warning: dump.json:1:")
    assert "[NoPods]" in ended.stderr


def test_very_many_pods_are_folded_unless_all_are_requested() -> None:
    pods = [pod(f"p{number}") for number in range(500)]
    left_out = [pod(f"q{number}", annotations={"kruise.io/sidecarset-injected-list": None}) for number in range(2)]
    item = sidecarset(updateStrategy={"partition": "90%"}).manifest
    ended = status(item, *pods, *left_out)
    assert ended.stdout.splitlines()[5:] == [
        "  PODS  STATE            INJECTED  READY  WHICH",
        "  50    Waiting          1         50     shop/p0, shop/p1, shop/p2 and 47 more",
        "  450   HeldByPartition  1         450    shop/p50, shop/p51, shop/p52 and 447 more",
        "  2     NeverInjected    -         -      shop/q0, shop/q1",
    ]
    assert len(status(item, *pods, options=("--all-pods",)).stdout.splitlines()) == 506
    assert len(status(item, *pods, options=("-o", "wide")).stdout.splitlines()) == 506


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ({"type": "NotUpdate"}, "NotUpdate: running pods are never updated"),
        ({"paused": True}, "RollingUpdate, paused, partition 0, maxUnavailable 1, 0 unavailable"),
        ({"partition": "50%"}, "RollingUpdate, partition 50% = 1 pod, maxUnavailable 1, 0 unavailable"),
    ],
)
def test_strategies(strategy: Object, said: str) -> None:
    assert f"  strategy  {said}\n" in status(sidecarset(updateStrategy=strategy).manifest, pod()).stdout


def test_wide_shows_all_that_is_known() -> None:
    lines = status(sidecarset(hot=True).manifest, pod(hot=True), options=("-o", "wide")).stdout.splitlines()
    header = "POD STATE INJECTED VERSION UPDATED READY UPGRADABLE IN-FLIGHT WORKING WHY"
    assert lines[4].split() == header.split()
    assert lines[5].split()[:9] == ["shop/p0", "Waiting", "logs-1", "-", "no", "yes", "yes", "no", "agent-1"]


def test_wide_without_pods_is_the_head() -> None:
    assert len(status(sidecarset().manifest, options=("-o", "wide")).stdout.splitlines()) == 3


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_terminal_is_not_overrun(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    long = "a-workload-with-a-rather-long-name-6c9f7b8d5-x2x4z"
    dump(sidecarset(customVersion="release-2026-01").manifest, *(pod(f"{long}{number}") for number in range(3)))
    lines = at_width(monkeypatch, columns, "dump.json")
    assert max(map(len, lines)) <= columns
    assert sum("Waiting" in line for line in lines) == 3


@pytest.mark.parametrize("number", [3, 30])
def test_words_of_states_stay_whole_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    long = "a-workload-with-a-rather-long-name-6c9f7b8d5-x2x4z"
    item = sidecarset(updateStrategy={"partition": 2}, customVersion="release-2026-01").manifest
    blocked = pod(f"{long}-b", annotations={"kruise.io/sidecarset-hash-without-image": None})
    left_out = pod(f"{long}-l", annotations={"kruise.io/sidecarset-injected-list": None})
    dump(item, *(pod(f"{long}-{index}") for index in range(number)), blocked, left_out)
    lines = at_width(monkeypatch, 40, "dump.json")
    assert max(map(len, lines)) <= 40
    for word in ("HeldByPartition", "NotUpgradable", "NeverInjected"):
        assert any(word in line for line in lines)
    assert any(line.startswith("      revision 1, ready: ") for line in lines)


def test_json_and_yaml_hold_the_same() -> None:
    objects = (sidecarset(hot=True, customVersion="v2").manifest, pod(hot=True), pod("p1", hot=True))
    written = document(*objects)
    assert yaml.safe_load(status(*objects, options=("-o", "yaml")).stdout) == written
    (item,) = written["sidecarSets"]
    assert written["behavior"].startswith("Kruise 1.9")
    assert item["status"] == {
        "matchedPods": 2,
        "updatedPods": 0,
        "readyPods": 2,
        "latestRevision": item["status"]["latestRevision"],
    }
    assert item["pods"][0]["workingContainers"] == {"agent": "agent-1"}
    assert (item["customVersion"], item["window"]["partitionPods"]) == ("v2", 0)


def test_left_out_pods_have_their_reason_in_json() -> None:
    (item,) = document(sidecarset().manifest, pod(annotations={"kruise.io/sidecarset-injected-list": None}))[
        "sidecarSets"
    ]
    assert [(each["name"], each["reason"]) for each in item["leftOut"]] == [("p0", "NeverInjected")]


def test_several_outputs_in_one_run(folder: Path) -> None:
    ended = status(sidecarset().manifest, pod(), options=("-o", "text", "-o", "json=status.json"))
    assert ended.stdout.startswith("logs: ")
    assert_valid(json.loads((folder / "status.json").read_text()), "rollout-status.json")


def test_everything_that_cannot_be_read_is_reported_at_once(folder: Path) -> None:
    (folder / "bad.yaml").write_text("a: [")
    (folder / "latin.yaml").write_bytes(b"a: \xe9\n")
    broken_set = {**sidecarset(name="mesh").manifest, "spec": {"containers": 5}}
    nameless = {**pod(), "metadata": {"labels": {"app": "web"}}}
    odd = {**pod(), "spec": {"containers": [{"name": 5}]}}
    name = dump(sidecarset().manifest, broken_set, nameless, odd, pod("p1"))
    ended = run("status", "bad.yaml", "latin.yaml", "no/where.yaml", name, "-o", "json")
    assert (ended.code, ended.stdout) == (2, "")
    assert re.findall(r"^error: .*\[([A-Za-z0-9]+)\]$", ended.stderr, re.MULTILINE) == [
        "Syntax",
        "NotUtf8",
        "UnreadableFile",
        "MissingField",
        "WrongType",
        "WrongType",
    ]


def test_a_document_beyond_the_limit_is_a_finding() -> None:
    large = pod("large")
    large["metadata"]["annotations"]["note"] = "x" * 1_100_000
    pods = [pod(f"p{number}") for number in range(2000)]
    for items in ([large], [large, *pods]):
        ended = run("status", dump(sidecarset().manifest, *items), "--max-document-size", "1")
        assert (ended.code, ended.stdout) == (2, "")
        assert "TooLarge" in ended.stderr
    ended = run(
        "status", dump(sidecarset().manifest, *pods), "--max-document-size", "1"
    )  # a long list of small items
    assert (ended.code, ended.stderr) == (0, "")


def test_the_same_pod_twice_counts_once_and_two_of_one_name_are_a_finding() -> None:
    assert document(sidecarset().manifest, pod(), pod())["sidecarSets"][0]["status"]["matchedPods"] == 1
    ended = status(sidecarset().manifest, pod(), not_ready(pod()))
    assert ended.code == 2
    assert "error: dump.json:1:" in ended.stderr.partition(": Pod shop/p0: also defined at")[0]
    assert "with different content (keep only one of them) [DuplicatePod]" in ended.stderr
    assert ended.stdout == ""


def test_a_pod_that_cannot_be_decoded_matters_only_where_a_set_selects_it() -> None:
    odd = {**pod(labels={"app": "api"}), "spec": {"containers": 5}}
    assert status(sidecarset().manifest, odd).code == 0
    assert status(sidecarset().manifest, {**odd, "metadata": pod()["metadata"]}).code == 2


def test_odd_pods_are_named_once_for_all_of_a_kind() -> None:
    pods = [{**pod(f"p{number}"), "status": {}} for number in range(10)]
    ended = status(sidecarset().manifest, *pods)
    assert ended.code == 0
    assert ended.stderr.count("\n") == 4
    assert "warning: 7 more: it has no status: it counts as not ready [PodWithoutStatus]\n" in ended.stderr


def test_strict_objects_to_warnings() -> None:
    assert status(sidecarset().manifest, options=("--strict",)).code == 1
    assert status(sidecarset().manifest, pod(), options=("--strict",)).code == 0


def test_a_selector_that_cannot_be_asked_is_an_objection() -> None:
    broken = {"matchExpressions": [{"key": "app", "operator": "Like", "values": ["web"]}]}
    ended = status(sidecarset(selector=broken).manifest, pod())
    assert (ended.code, ended.stdout) == (1, "")
    assert "MalformedSelector" in ended.stderr


def test_only_some_sets() -> None:
    sets = (sidecarset().manifest, sidecarset(name="mesh").manifest)
    assert status(*sets, pod(), options=("--only", "mesh")).stdout.startswith("mesh: ")
    ended = status(*sets, pod(), options=("--only", "mush"))
    assert (ended.code, ended.stdout) == (2, "")
    assert "--only mush: SidecarSet not found (did you mean mesh?)" in ended.stderr


def test_pods_that_name_no_namespace_are_of_the_one_that_is_named() -> None:
    manifest = pod()
    del manifest["metadata"]["namespace"]
    assert "  cart/p0  " in status(sidecarset().manifest, manifest, options=("-n", "cart")).stdout


def test_no_set_at_all() -> None:
    ended = status(pod())
    assert (ended.code, ended.stdout) == (2, "")
    assert "no SidecarSet found in the inputs" in ended.stderr
    assert status(pod(), options=("--allow-empty",)).code == 0


def test_older_manifests_name_the_versions_of_pods(folder: Path) -> None:
    older = sidecarset("1", customVersion="one").manifest
    (folder / "old.json").write_text(json.dumps(older))
    ended = status(sidecarset().manifest, pod(), options=("--revision-from", "old.json"))
    assert ended.code == 0


def blocked_pod(name: str = "p0") -> Object:
    """A pod that was injected when the set had another command."""
    manifest = pod(name, annotations={"kruise.io/sidecarset-hash-without-image": '{"logs": {"hash": "old"}}'})
    agent, *others = manifest["spec"]["containers"]
    agent = {**agent, "command": ["stop"], "env": [{"name": "IS_INJECTED", "value": "true"}]}
    return {**manifest, "spec": {**manifest["spec"], "containers": [agent, *others]}}


def test_the_fields_that_block_a_pod() -> None:
    ended = status(sidecarset().manifest, blocked_pod())
    why = 'spec.containers[0].command: is ["stop"], would be absent; recreate it'
    assert f"  shop/p0  NotUpgradable  1         yes    {why}\n" in ended.stdout
    (told,) = document(sidecarset().manifest, blocked_pod())["sidecarSets"][0]["pods"]
    assert told["blockedBy"] == [
        {
            "field": "spec.containers[0].command",
            "pointer": "/spec/containers/0/command",
            "now": ["stop"],
            "new": None,
        }
    ]
    folded = status(sidecarset().manifest, *(blocked_pod(f"p{number}") for number in range(30)))
    assert "shop/p0, shop/p1, shop/p2 and 27 more; because of spec.containers[0].command\n" in folded.stdout


def test_a_pod_that_records_no_hash_is_blocked_by_that_if_no_field_differs() -> None:
    manifest = pod(annotations={"kruise.io/sidecarset-hash-without-image": None})
    agent, *others = manifest["spec"]["containers"]
    agent = {**agent, "env": [{"name": "IS_INJECTED", "value": "true"}]}
    ended = status(sidecarset().manifest, {**manifest, "spec": {"containers": [agent, *others]}})
    assert "it records no hash-without-image of the SidecarSet; recreate it" in ended.stdout


def test_namespaces_of_unknown_labels_are_reported() -> None:
    manifest = sidecarset(namespaceSelector={"matchLabels": {"team": "a"}}).manifest
    ended = status(manifest, pod())
    assert ended.code == 1
    assert ended.stdout.startswith("logs: Unknown: shop/p0 matches only if the labels of namespace shop do; add the")
    assert f"the labels of namespace shop are not known (add the Namespaces to the inputs: {DUMP}; or" in ended.stderr
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    assert status(manifest, namespace, pod()).stderr == ""


def test_numbers_are_written_as_in_a_plan() -> None:
    pods = [pod(f"p{number}") for number in range(1200)]
    text = status(sidecarset(updateStrategy={"partition": "90%", "maxUnavailable": 1100}).manifest, *pods).stdout
    assert text.startswith("logs: 0 of 1,200 pods updated, 1,200 ready, 0 updated and ready\n")
    assert "partition 90% = 1,080 pods, maxUnavailable 1,100, " in text
    assert "  1,080  HeldByPartition  1         1,080  shop/p" in text
    assert " and 1,077 more\n" in text


def test_markdown_shows_counts_pods_and_findings() -> None:
    text = status(sidecarset().manifest, pod("web-0"), pod("web-1"), options=("-o", "markdown")).stdout
    assert text.startswith("### Status of SidecarSet logs\n\n#### ")
    assert "| pod | state | injected | ready | why |\n| --- | --- | --- | --- | --- |\n| " in text
    assert len([line for line in text.splitlines() if "web-" in line]) == 2


def test_markdown_folds_very_many_pods() -> None:
    pods = [pod(f"web-{index}") for index in range(60)]
    text = status(sidecarset().manifest, *pods, options=("-o", "markdown")).stdout
    assert "| pods | state | injected | ready | which |" in text
    assert "web-0, shop/web-1, shop/web-2 and 57 more" in text
    every = status(sidecarset().manifest, *pods, options=("-o", "markdown", "--all-pods")).stdout
    assert len([line for line in every.splitlines() if line.startswith("| shop/web-")]) == 60


def uninjected(name: str) -> Object:
    found = pod(name)
    return {**found, "metadata": {**found["metadata"], "annotations": {}}}


def test_pods_without_sidecars_fail_it_if_requested() -> None:
    asked = ("--exit-code",)
    assert status(sidecarset().manifest, pod("p0"), options=asked).code == 0
    assert status(sidecarset().manifest, pod("p0"), uninjected("p1")).code == 0
    ended = status(sidecarset().manifest, pod("p0"), uninjected("p1"), options=(*asked, "--report", "junit"))
    assert ended.code == 1
    assert "SidecarSet logs: older than the SidecarSet, or the webhook was down: recreate it" in ended.stderr
    paused = sidecarset(injectionStrategy={"paused": True}).manifest
    assert status(paused, uninjected("p1"), options=asked).code == 0
    labels = {"control-plane": "openkruise"}
    skipped = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}}
    assert status(sidecarset().manifest, skipped, uninjected("p1"), options=asked).code == 0
    ended_pod = {**uninjected("p1"), "status": {"phase": "Succeeded"}}
    assert status(sidecarset().manifest, ended_pod, options=asked).code == 0


def test_a_readiness_gate_that_is_not_met_is_named() -> None:
    unmet = 'the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False'
    found = pod("p0", status={"conditions": [{"type": "Ready", "status": "False", "message": unmet}]})
    assert f"its condition Ready is not True: {unmet}" in status(sidecarset("1").manifest, found).stdout


def test_pods_that_run_an_image() -> None:
    newer = pod("p1", images={"agent": "agent:2", "app": "app:1"})
    stray = pod("p2", labels={"app": "other"})
    ended = status(sidecarset().manifest, pod("p0"), newer, stray, options=("--image", "agent:1"))
    assert ended.stdout.splitlines()[-2:] == [
        "  POD      STATE    INJECTED  READY  WHY",
        "  shop/p0  Waiting  1         yes    agent runs agent:1; the next round updates it",
    ]
    assert ended.stderr == (
        "note: an image like agent:1 runs in 2 pods, also of no SidecarSet here: shop/p2 [ImageRuns]\n"
    )
    [item] = document(sidecarset().manifest, pod("p0"), newer, options=("--image", "agent:1"))["sidecarSets"]
    assert [(each["name"], each["images"]) for each in item["pods"]] == [("p0", {"agent": "agent:1"})]


def test_no_pod_runs_an_image() -> None:
    ended = status(sidecarset().manifest, pod("p0"), options=("--image", "*:9", "--fail-on", "any"))
    assert (ended.code, ended.stderr) == (0, "note: an image like *:9 runs in 0 pods [ImageRuns]\n")


def test_sidecarsets_without_pods_are_one_line_apart() -> None:
    ended = run("status", dump(sidecarset("1").manifest, sidecarset("1", name="mesh").manifest))
    assert "unavailable\n\nmesh: 0 of 0 pods" in ended.stdout
    assert ended.stdout.endswith("unavailable\n")
