"""Bad input of `sidecarctl plan`: each a named finding, never a traceback."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from tests.cli.running import run
from tests.engine.rollout.manifests import not_ready, pod
from tests.features.plan.planning import SET, dump, planned, told, waves

TWO_PRIORITIES = "{weightPriority: [{weight: 1, matchSelector: {}}], orderPriority: [{orderedKey: a}]}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--partition", "many"], "--partition many is neither a number nor a percentage"),
        (["--partition", "-5%"], "--partition -5% is neither"),
        (["--max-unavailable", "1.5"], "--max-unavailable 1.5 is neither"),
        (["--selector", "a=(b"], "--selector a=(b is malformed"),
        (
            ["--sweep", "replicas=1"],
            "--sweep replicas=1: replicas cannot be swept (use one of partition, maxUnavailable",
        ),
        (["--sweep", "partition=1,,2"], "--sweep partition=1,,2 has an empty value"),
        (["--sweep", "partition=1,x"], "--sweep partition=x is neither"),
        (["--replicas", "Deployment/web=2"], "--replicas needs --from OLD"),
        (["-o", "xml"], "-o xml is unknown (one of text, markdown, json, yaml, html)"),
    ],
)
def test_options_that_make_no_sense(folder: Path, options: list[str], message: str) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", *options)
    assert (ended.code, ended.stdout) == (2, "")
    told(ended, message, "[Usage]")


def test_pods_without_status(folder: Path) -> None:
    bare = [{key: value for key, value in pod(f"p{index}").items() if key != "status"} for index in range(8)]
    dump(folder / "pods.json", bare)
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.stderr.count("it has no status: it counts as not ready [") == 4  # three, and how many more
    told(ended, "[PodWithoutStatus]", "warning: 5 more: it has no status")


def test_pods_of_unknown_phase_and_unreadable_annotations(folder: Path) -> None:
    odd = [
        pod("p0", status={"phase": "Dreaming"}),
        pod("p1", annotations={"kruise.io/sidecarset-hash": "not json"}),
        pod("p2", annotations={"kruise.io/sidecarset-inplace-update-state": "["}),
    ]
    dump(folder / "pods.json", odd)
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code in (0, 1)
    told(ended, "[UnknownPhase]", "[AnnotationUnreadable]")


@pytest.mark.parametrize(
    ("strategy", "reason"),
    [
        ("{partition: 10%, maxUnavailable: 0}", "NothingAllowed"),
        ("{partition: 100%}", "NothingAllowed"),
        ("{partition: some}", "NotAPercentage"),
        ("{partition: 1, selector: {matchLabels: {app: web}}}", "StrategyRefused"),
        ("{partition: -1}", "StrategyRefused"),
        ("{selector: {matchLabels: {app: other}}}", "NoPods"),
        (
            f"{{priorityStrategy: {TWO_PRIORITIES}}}",
            "HasNoEffect",
        ),
    ],
)
def test_odd_strategies(folder: Path, strategy: str, reason: str) -> None:
    accepted = SET.replace("{name: logs}", "{name: logs, uid: from-a-cluster}")
    (folder / "set.yaml").write_text(accepted.partition("  updateStrategy")[0] + f"  updateStrategy: {strategy}\n")
    told(run("plan", folder / "set.yaml", folder / "pods.json"), f"[{reason}]", "set.yaml:")


def test_no_pods_among_the_inputs(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml")
    assert ended.code == 0
    told(ended, f"no pods found in the inputs (add the output of {DUMP}) [NoPods]")


def test_a_set_that_matches_nothing(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace("app: web", "app: none"))
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 0
    told(ended, "no pod takes part in this rollout", "[NoPods]")
    assert "Nothing to do: the SidecarSet has no pods." in ended.stdout


def test_namespaces_whose_labels_are_not_known(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + "  namespaceSelector: {matchLabels: {team: a}}\n")
    pods = [pod("p0")] + [pod("p0", namespace=f"n{index}") for index in range(4)]
    dump(folder / "pods.json", pods)
    told(
        run("plan", folder / "set.yaml", folder / "pods.json"),
        "the labels of namespaces n0, n1, n2 and 2 more are not known",
        "[NamespaceUnknown]",
    )
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    dump(folder / "pods.json", [pod("p0")], namespace)
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.stderr, ended.code) == ("", 0)


def test_a_selector_with_an_unknown_operator(folder: Path) -> None:
    bad = "{matchExpressions: [{key: a, operator: Near, values: [b]}]}"
    endings = []
    for manifest in (SET, SET.replace("{name: logs}", "{name: logs, uid: from-a-cluster}")):
        (folder / "set.yaml").write_text(manifest.replace("{matchLabels: {app: web}}", bad))
        endings.append(run("plan", folder / "set.yaml", folder / "pods.json"))
        assert (endings[-1].code, endings[-1].stdout) == (3, "")
    told(endings[-1], "[MalformedSelector]")


def test_a_version_that_kruise_refuses_is_not_planned(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace('image: "agent:2"', 'image: ""'))
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.code, ended.stdout) == (3, "")
    told(ended, "spec.containers[0].image: ")
    (folder / "other.yaml").write_text(SET.replace("name: logs", "name: mesh"))
    ended = run("plan", folder / "set.yaml", folder / "other.yaml", folder / "pods.json", "-o", "json")
    assert (ended.code, [item["name"] for item in json.loads(ended.stdout)["sidecarSets"]]) == (1, ["mesh"])


def test_pods_that_cannot_be_decoded_matter_only_where_a_set_selects_them(folder: Path) -> None:
    broken: Value = pod("broken")
    broken["spec"]["containers"] = "none"
    dump(folder / "pods.json", [pod("p0"), broken])
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.code, ended.stdout) == (2, "")
    told(ended, "spec.containers: expected a list", "[WrongType]", "pods.json:1:")
    broken["metadata"]["labels"] = {"app": "other"}
    dump(folder / "pods.json", [pod("p0"), broken])
    assert waves(planned(folder)) == [["p0"]]
    broken["metadata"]["labels"] = 5
    dump(folder / "pods.json", [pod("p0"), broken])
    assert run("plan", folder / "set.yaml", folder / "pods.json").code == 2


def test_a_pod_without_a_name(folder: Path) -> None:
    nameless = pod("")
    del nameless["metadata"]["name"]
    dump(folder / "pods.json", [nameless])
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 2
    told(ended, "the pod has no name", "[MissingField]")


def test_the_same_pod_twice(folder: Path) -> None:
    dump(folder / "pods.json", [pod("p0"), pod("p0")])
    assert waves(planned(folder)) == [["p0"]]
    dump(folder / "pods.json", [pod("p0"), not_ready(pod("p0"))])
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 2
    told(ended, "Pod shop/p0", "[DuplicatePod]")


def test_an_annotation_that_cannot_be_merged_ends_the_rollout(folder: Path) -> None:
    patch = "  patchPodMetadata:\n  - annotations: {note: '{\"a\": 1}'}\n    patchPolicy: MergePatchJson\n"
    (folder / "set.yaml").write_text(SET + patch)
    dump(folder / "pods.json", [pod("p0", annotations={"note": "no json"})])
    document = planned(folder, code=1)
    assert document["sidecarSets"][0]["ending"] == "Error"
    assert document["sidecarSets"][0]["error"]["reason"] == "MetadataPatchFailed"
    assert "Ends with an error" in run("plan", folder / "set.yaml", folder / "pods.json").stdout


def test_text_that_cannot_be_read(folder: Path) -> None:
    (folder / "pods.json").write_text('{"items": [')
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.code, ended.stdout) == (2, "")
    told(ended, "[Syntax]", "pods.json")


def test_no_set_and_no_pods(folder: Path) -> None:
    none = run("plan", folder / "pods.json")
    assert none.code == 2
    told(none, "no SidecarSet found in the inputs")
    empty = run("plan", folder / "pods.json", "--allow-empty")
    assert (empty.code, empty.stdout) == (0, "no SidecarSet\n")
    for form in ("text", "markdown"):
        assert run("plan", folder / "pods.json", "--allow-empty", "-o", form).stdout == "no SidecarSet\n"
        swept = run("plan", folder / "pods.json", "--allow-empty", "--sweep", "partition=1", "-o", form)
        assert (swept.code, swept.stdout) == (0, "no SidecarSet\n")
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": {"template": {}}}
    dump(folder / "pods.json", [], workload)
    workloads = run("plan", folder / "set.yaml", folder / "pods.json")
    assert workloads.code == 2
    told(workloads, "the inputs contain workloads but no pods", "--from OLD")


def test_what_one_of_two_sidecarsets_is_refused_for_is_reported_once(folder: Path) -> None:
    spec = SET.replace("name: logs", "name: other").replace(
        "maxUnavailable: 2", "partition: 1\n    selector: {matchLabels: {a: b}}"
    )
    (folder / "refused.yaml").write_text(spec)
    ended = run("plan", folder / "set.yaml", folder / "refused.yaml", folder / "pods.json")
    assert ended.code == 1
    assert ended.stderr.count("partition and selector cannot be used together") == 1
