"""`sidecarctl plan`: its outputs, what-ifs, refusals and exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sidecarctl.facts.values import Object, Value
from tests.cli.running import Ended, run
from tests.rollout.manifests import not_ready, pod

EVERY_OPERATOR = "app in (web, x),!gone,app,app!=x,app==web,app notin (y)"
TWO_PRIORITIES = "{weightPriority: [{weight: 1, matchSelector: {}}], orderPriority: [{orderedKey: a}]}"
SCHEMAS = Path(__file__).parents[2] / "schemas"
SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  containers:
  - {name: agent, image: "agent:2"}
  updateStrategy:
    maxUnavailable: 2
"""
BARE_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p0, namespace: shop, labels: {app: web}}
spec: {containers: [{name: app, image: "app:1"}]}
"""


def dump(path: Path, pods: Sequence[Object], *more: Object) -> Path:
    path.write_text(json.dumps({"apiVersion": "v1", "items": [*pods, *more], "kind": "List"}))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    dump(tmp_path / "pods.json", [pod(f"p{index}") for index in range(5)])
    return tmp_path


def planned(folder: Path, *options: str | Path, code: int = 0) -> Object:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "-o", "json", *options)
    assert ended.code == code, ended.stderr
    document: Object = json.loads(ended.stdout)
    schema = json.loads((SCHEMAS / "rollout-plan.json").read_text())
    assert not [error.message for error in Draft202012Validator(schema).iter_errors(document)]
    return document


def waves(document: Object) -> list[list[str]]:
    return [[one["name"] for one in wave["pods"]] for wave in document["sets"][0]["waves"]]


def told(ended: Ended, *words: str) -> None:
    for word in words:
        assert word in ended.stderr


def test_text_is_what_comes_without_being_asked_for(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 0
    lines = ended.stdout.splitlines()
    assert lines[0] == "SidecarSet logs"
    assert "  image            agent: agent:1 -> agent:2" in lines
    assert "  pods             5 matched: 0 updated, 5 ready" in lines
    assert "maxUnavailable   2: 2 at a time, 0 taken at the start" in ended.stdout.replace("\n" + " " * 19, " ")
    assert lines[-1] == "Completes: 5 of 5 pods updated after 3 waves."


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
    one = document["sets"][0]
    assert waves(document) == [["p0", "p1"], ["p2", "p3"], ["p4"]]
    assert one["window"]["maxUnavailable"] == {"written": 2, "pods": 2, "from": f"{folder}/set.yaml:9:21"}
    assert one["window"]["partition"] == {"written": 0, "pods": 0, "from": "default"}
    assert one["counts"]["ties"] == 5
    patch = one["waves"][0]["pods"][0]
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
            ["--selector", "app in (web, x),!gone,app,app!=x,app==web,app notin (y)"],
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
    assert document["sets"][0]["ending"] == ending


def test_no_longer_paused(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + "    paused: true\n")
    assert planned(folder)["sets"][0]["ending"] == "Paused"
    assert planned(folder, "--no-paused")["sets"][0]["ending"] == "Complete"


def test_pods_that_fail_stall_the_rollout(folder: Path) -> None:
    document = planned(folder, "--fail", "p[01]", code=1)
    one = document["sets"][0]
    assert one["ending"] == "Stalled"
    assert [held["name"] for held in one["holdingBudget"]] == ["p0", "p1"]
    assert [held["name"] for held in one["waiting"]] == ["p2", "p3", "p4"]
    text = run("plan", folder / "set.yaml", folder / "pods.json", "--fail", "shop/p0", "--fail", "p1")
    assert text.code == 1
    assert "Stalls: 2 of 5 pods updated after 1 wave; 3 pods wait, since 2 updated and" in text.stdout
    markdown = run("plan", folder / "set.yaml", folder / "pods.json", "--fail", "p*", "-o", "markdown")
    assert "<summary>2 pods holding the budget: updated, but not available</summary>" in markdown.stdout


def test_a_pattern_that_fits_no_pod_is_told(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--fail", "nobody", "--strict")
    assert ended.code == 1
    told(ended, "--fail nobody: no pod has such a name", "[NoPods]")


def test_pods_that_are_not_ready_become_so_if_that_is_assumed(folder: Path) -> None:
    dump(folder / "pods.json", [not_ready(pod(f"p{index}")) for index in range(3)])
    assert planned(folder, "--assume-ready")["sets"][0]["counts"]["after"]["updatedReadyPods"] == 3
    assert planned(folder)["sets"][0]["counts"]["after"]["updatedReadyPods"] == 0


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
    schema = json.loads((SCHEMAS / "rollout-sweep.json").read_text())
    assert not [error.message for error in Draft202012Validator(schema).iter_errors(document)]
    assert [row["updatedPods"] for row in document["rows"]] == [5, 4, 1]


def test_a_sweep_fits_into_a_comment(folder: Path) -> None:
    (folder / "other.yaml").write_text(SET.replace("name: logs", "name: other"))
    values = ",".join(map(str, range(1200)))
    paths = ("plan", folder / "set.yaml", folder / "other.yaml", folder / "pods.json")
    comment = run(*paths, "--sweep", f"partition={values}", "-o", "markdown").stdout
    assert len(comment) <= 60_000
    assert comment.endswith("1 more set: too long for a comment.\n")


def test_a_sweep_of_max_unavailable_that_stalls(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--sweep", "max-unavailable=0,1")
    assert ended.code == 1
    assert "Stalled" in ended.stdout


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
    assert "--by and --by-node say nothing in the table of --sweep" in refused.stderr


def test_a_sweep_on_a_narrow_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecarctl.cli.plan_outputs.text_width", lambda: 50)
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--sweep", "partition=0,4")
    assert ended.stdout.splitlines()[1:] == [
        "  partition  UPDATED  WAVES  DOWN  ENDING",
        "  0                5      3     2  Complete",
        "  4                1      1     1  HeldByPartition",
    ]


def test_the_largest_number_unavailable_by_label_and_by_node(folder: Path) -> None:
    zones = [pod(f"p{index}", labels={"zone": "ab"[index % 2]} if index else {}) for index in range(5)]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"rack": "r1"}}}
    dump(folder / "pods.json", zones, node)
    document = planned(folder, "--by", "zone", "--by-node", "rack")
    assert document["sets"][0]["largestUnavailableBy"] == [
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


def test_blocked_pods_and_the_fields_that_block_them(folder: Path) -> None:
    changed = SET.replace('image: "agent:2"', 'image: "agent:2", command: [run]').replace("agent:2", "agent:1")
    (folder / "set.yaml").write_text(changed)
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 1
    assert "  5 pods not updatable in place: recreate them" in ended.stdout
    assert 'spec.containers[0].command: is absent, would be ["run"]' in ended.stdout
    assert "Blocked: 0 of 5 pods updated after 0 waves; 5 pods cannot be updated in place" in ended.stdout
    blocked = planned(folder, code=1)["sets"][0]["blocked"]
    fields = {entry["field"]: (entry["now"], entry["new"]) for entry in blocked[0]["fields"]}
    assert fields["spec.containers[0].command"] == (None, ["run"])
    assert not [field for field in fields if "termination" in field or "PullPolicy" in field]
    assert blocked[0]["fields"][0]["pointer"].startswith("/spec/containers/0/")


def test_what_the_api_server_fills_in_blocks_no_pod(folder: Path) -> None:
    probe = "startupProbe: {httpGet: {port: 1}}, ports: [{containerPort: 1}]"
    (folder / "set.yaml").write_text(SET.replace('image: "agent:2"', f'image: "agent:2", command: [run], {probe}'))
    (folder / "bare.yaml").write_text(BARE_POD)
    injected = json.loads(run("inject", folder / "bare.yaml", "-s", folder / "set.yaml", "-o", "json").stdout)
    agent = injected["spec"]["containers"][0]
    agent["startupProbe"] = {
        "httpGet": {"port": 1, "path": "/", "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    agent["command"] = ["stop"]
    injected["metadata"]["annotations"]["kruise.io/sidecarset-hash"] = '{"logs": {"hash": "old"}}'
    injected["metadata"]["annotations"]["kruise.io/sidecarset-hash-without-image"] = '{"logs": {"hash": "old"}}'
    dump(folder / "pods.json", [{**injected, "status": pod()["status"]}])
    [fields] = [one["fields"] for one in planned(folder, code=1)["sets"][0]["blocked"]]
    assert [(entry["field"], entry["now"], entry["new"]) for entry in fields] == [
        ("spec.containers[0].command", ["stop"], ["run"])
    ]


def test_a_blocked_pod_that_differs_only_in_what_it_records(folder: Path) -> None:
    (folder / "bare.yaml").write_text(BARE_POD)
    injected = run("inject", folder / "bare.yaml", "-s", folder / "set.yaml", "-o", "json")
    manifest = json.loads(injected.stdout)
    key = "kruise.io/sidecarset-hash-without-image"
    manifest["metadata"]["annotations"][key] = '{"logs": {"hash": "old"}}'
    manifest["metadata"]["annotations"]["kruise.io/sidecarset-hash"] = '{"logs": {"hash": "old"}}'
    manifest["spec"]["containers"][1]["volumeMounts"] = [
        {
            "name": "kube-api-access-x2f4",
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
        }
    ]
    manifest["spec"]["volumes"] = [{"name": "kube-api-access-x2f4", "projected": {"sources": []}}]
    dump(folder / "pods.json", [{**manifest, "status": pod()["status"]}])
    [fields] = [one["fields"] for one in planned(folder, code=1)["sets"][0]["blocked"]]
    assert [(entry["field"], entry["now"]) for entry in fields] == [(f"metadata.annotations[{key}].logs", "old")]


def test_pods_that_are_left_out(folder: Path) -> None:
    never = pod("never", annotations={"kruise.io/sidecarset-injected-list": None})
    ended_pod = pod("done", status={"phase": "Succeeded"})
    dump(folder / "pods.json", [pod("p0"), never, ended_pod])
    left = planned(folder)["sets"][0]["leftOut"]
    assert [(one["name"], one["reason"]) for one in left] == [("never", "NeverInjected"), ("done", "PodNotActive")]
    text = run("plan", folder / "set.yaml", folder / "pods.json").stdout
    assert "1 pod left out: never injected: recreate the pod" in text


def test_all_pods(folder: Path) -> None:
    text = run("plan", folder / "set.yaml", folder / "pods.json", "--all-pods", "--partition", "3").stdout
    assert "      upgrade shop/p0  agent: agent:1 -> agent:2\n" in text
    assert "    shop/p2\n    shop/p3\n    shop/p4\n" in text


def test_several_sets_and_only_one(folder: Path) -> None:
    (folder / "other.yaml").write_text(SET.replace("name: logs", "name: mesh"))
    paths = (folder / "set.yaml", folder / "other.yaml", folder / "pods.json")
    both = json.loads(run("plan", *paths, "-o", "json").stdout)
    assert [one["name"] for one in both["sets"]] == ["logs", "mesh"]
    one = json.loads(run("plan", *paths, "-o", "json", "--only", "logs").stdout)
    assert [one["name"] for one in one["sets"]] == ["logs"]
    missing = run("plan", *paths, "--only", "nope")
    assert missing.code == 2
    told(missing, "--only nope: there is no such SidecarSet (there are logs, mesh)")


def test_times_are_recorded_as_asked(folder: Path) -> None:
    document = planned(folder, "--timestamp", "2026-01-01T00:00:00Z")
    annotations = document["sets"][0]["waves"][0]["pods"][0]["annotations"]
    assert annotations[0]["entries"][0]["value"]["updateTimestamp"] == "2026-01-01T00:00:00Z"


# bad input: each a named finding, never a traceback


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--partition", "many"], "--partition many is neither a number nor a percentage"),
        (["--partition", "-5%"], "--partition -5% is neither"),
        (["--max-unavailable", "1.5"], "--max-unavailable 1.5 is neither"),
        (["--selector", "a=(b"], "--selector a=(b cannot be read"),
        (["--sweep", "replicas=1"], "--sweep replicas=1: replicas is not swept (one of partition, max-unavailable"),
        (["--sweep", "partition=1,,2"], "--sweep partition=1,,2: one of its values is empty"),
        (["--sweep", "partition=1,x"], "--sweep partition=x is neither"),
        (["--replicas", "Deployment/web=2"], "which only --from OLD asks for"),
        (["-o", "xml"], "-o xml: there is no such form"),
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
    (folder / "set.yaml").write_text(SET.partition("  updateStrategy")[0] + f"  updateStrategy: {strategy}\n")
    told(run("plan", folder / "set.yaml", folder / "pods.json"), f"[{reason}]", "set.yaml:")


def test_no_pods_among_the_inputs(folder: Path) -> None:
    ended = run("plan", folder / "set.yaml")
    assert ended.code == 0
    told(ended, "there are no pods among the inputs (kubectl get pods -A -o json dumps those of a cluster) [NoPods]")


def test_a_set_that_matches_nothing(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace("app: web", "app: none"))
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 0
    told(ended, "no pod is part of this rollout", "[NoPods]")
    assert "Nothing to do: the set has no pods." in ended.stdout


def test_namespaces_whose_labels_are_not_known(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + "  namespaceSelector: {matchLabels: {team: a}}\n")
    pods = [pod("p0")] + [pod("p0", namespace=f"n{index}") for index in range(4)]
    dump(folder / "pods.json", pods)
    told(
        run("plan", folder / "set.yaml", folder / "pods.json"),
        "the labels of namespaces are not known: n0, n1, n2 and 2 more",
        "[NamespaceUnknown]",
    )
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    dump(folder / "pods.json", [pod("p0")], namespace)
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.stderr, ended.code) == ("", 0)


def test_pods_that_kruise_would_reject_now_are_blocked_by_their_hash(folder: Path) -> None:
    policy = (
        """{targetContainersMode: sum, targetContainersNameRegex: "^none$", resourcesExpr: {limits: {cpu: cpu}}}"""
    )
    rejecting = SET.replace('image: "agent:2"', f'image: "agent:2", resourcesPolicy: {policy}')
    (folder / "set.yaml").write_text(rejecting)
    blocked = planned(folder, code=1)["sets"][0]["blocked"]
    assert [entry["field"].rpartition("/")[2] for entry in blocked[0]["fields"]] == [
        "sidecarset-hash-without-image].logs"
    ]


def test_what_injection_takes_from_metadata_is_looked_at_in_each_pod(folder: Path) -> None:
    source = "{sourceContainerNameFrom: {fieldRef: {fieldPath: \"metadata.labels['main']\"}}, envName: A}"
    (folder / "set.yaml").write_text(SET.replace('image: "agent:2"', f'image: "agent:2", transferEnv: [{source}]'))
    pods = [pod(f"p{index}", labels={"main": "app"} if index else {}) for index in range(2)]
    for one in pods:
        one["spec"]["containers"][1]["env"] = [{"name": "A", "value": "1"}]
    dump(folder / "pods.json", pods)
    first, second = planned(folder, code=1)["sets"][0]["blocked"]
    assert "spec.containers[0].env" in str(second["fields"])
    assert first["fields"] != second["fields"]


def test_a_selector_with_an_unknown_operator(folder: Path) -> None:
    bad = "{matchExpressions: [{key: a, operator: Near, values: [b]}]}"
    (folder / "set.yaml").write_text(SET.replace("{matchLabels: {app: web}}", bad))
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.code, ended.stdout) == (3, "")
    told(ended, "[MalformedSelector]")


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
    told(ended, "a pod has a name", "[MissingField]")


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
    assert document["sets"][0]["ending"] == "Error"
    assert document["sets"][0]["error"]["reason"] == "MetadataPatchFailed"
    assert "Ends with an error" in run("plan", folder / "set.yaml", folder / "pods.json").stdout


def test_text_that_cannot_be_read(folder: Path) -> None:
    (folder / "pods.json").write_text('{"items": [')
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert (ended.code, ended.stdout) == (2, "")
    told(ended, "[Syntax]", "pods.json")


def test_no_set_and_no_pods(folder: Path) -> None:
    none = run("plan", folder / "pods.json")
    assert none.code == 2
    told(none, "there is no SidecarSet among the inputs")
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
    told(workloads, "there are workloads, but no pods", "--from OLD")


def test_help_ends_with_an_example() -> None:
    example = "    sidecarctl plan sidecarset.yaml pods.json -o text -o json=plan.json\n"
    assert f"Example:\n{example}" in run("plan", "--help").stdout
    assert "Example:  sidecarctl render plan.json" in run("render", "--help").stdout
