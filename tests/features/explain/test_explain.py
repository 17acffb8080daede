"""`sidecarctl explain`: the questions of pages/text.md, and what they do not show."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HashEntry, write_hashes
from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import run
from tests.engine.files.peak_memory import peak_memory
from tests.engine.rollout.manifests import pod as rolled_pod
from tests.engine.rollout.manifests import sidecarset
from tests.schemas import assert_valid

ROOT = Path(__file__).parents[3]
PAGE = Path(__file__).parent / "pages" / "text.md"
PAGE_IN_MARKDOWN = Path(__file__).parent / "pages" / "markdown.md"
_EXAMPLE = r"```console\n\$ sidecarctl (.+)\n((?:.*\n)*?)```\n"
EXAMPLES = re.findall(_EXAMPLE, PAGE.read_text())
QUESTIONS = re.findall(r"^## (.+)\n(?:(?!## ).*\n)*?```console\n\$ sidecarctl (.+)\n", PAGE.read_text(), re.MULTILINE)
SAMPLES = ROOT / "samples" / "explain"
WORLD = ("-s", SAMPLES / "sidecarsets.yaml", "-s", SAMPLES / "namespaces.yaml")


@pytest.mark.parametrize("example", EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_gives_what_is_shown(example: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, shown = example
    ended = run(*shlex.split(command))
    if os.environ.get("REWRITE"):  # the outputs are written again, for a look at what changed in them
        PAGE.write_text(PAGE.read_text().replace(f"{command}\n{shown}```", f"{command}\n{ended.stdout}```"))
    assert (ended.code, ended.stdout) == (0, shown)


def test_every_question_is_answered_in_markdown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    head = PAGE_IN_MARKDOWN.read_text().partition("\n## ")[0]
    sections = [f"\n## {question}\n\n`sidecarctl {command} -o markdown`\n" for question, command in QUESTIONS]
    answers = [run(*shlex.split(command), "-o", "markdown").stdout for _, command in QUESTIONS]
    quoted = ["".join(f"> {line}".rstrip() + "\n" for line in answer.splitlines()) for answer in answers]
    page = head + "".join(f"{section}\n{answer}" for section, answer in zip(sections, quoted, strict=True))
    if os.environ.get("REWRITE"):
        PAGE_IN_MARKDOWN.write_text(page)
    assert page == PAGE_IN_MARKDOWN.read_text()


def test_there_are_a_dozen_questions() -> None:
    assert len(EXAMPLES) == len(QUESTIONS) >= 12


def test_all_reasons_are_listed_with_their_sentences() -> None:
    document = json.loads(run("explain", "--reasons", "-o", "json").stdout)
    assert_valid(document, "reason-list.json")
    listed = document["reasons"]
    assert [item["code"] for item in listed] == [str(reason) for reason in Reason]
    assert all(item["meaning"].endswith(".") for item in listed)
    assert "NeverInjected" in run("explain", "--reasons").stdout
    assert run("explain", "--reasons", "-o", "markdown").stdout.startswith("| code | meaning |\n")


def test_the_evidence_is_the_field_that_decides(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT.replace("{app: web}", "{app: other}"))
    ended = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml", "-o", "json")
    document = json.loads(ended.stdout)
    assert_valid(document, "pod-explanation.json")
    [item] = document["pods"][0]["sidecarSets"]
    failed = [test for test in item["tests"] if test["passed"] is False]
    assert [(each["test"], each["path"], each["value"], each["line"]) for each in failed] == [
        ("Selector", "spec.selector.matchLabels.app", "web", 8)
    ]
    assert [test["passed"] for test in item["tests"]] == [True, True, True, False, None, None]


def test_a_rejected_pod_names_the_sidecarset_and_asks_the_others_anyway() -> None:
    labels = "pinned=yes,trace=on"
    document = json.loads(run("explain", *WORLD, "-n", "shop", "--labels", labels, "-o", "json").stdout)
    [pod] = document["pods"]
    assert pod["outcome"] == "Rejected"
    assert [error["reason"] for error in pod["errors"]] == ["RevisionNotFound"]
    reasons = {item["name"]: item["reason"] for item in pod["sidecarSets"]}
    assert reasons["pinned"] == "RevisionNotFound"
    assert reasons["trace"] == "Injected"
    assert reasons["logs"] == "PodNotSelected"


def test_expressions_come_with_their_operands() -> None:
    words = ("--pod", "Deployment/web", "--only", "proxy", "-o", "json")
    document = json.loads(run("explain", *WORLD, SAMPLES / "workloads.yaml", *words).stdout)
    [sidecar] = document["pods"][0]["sidecarSets"][0]["sidecars"]
    assert sidecar["computedResources"] == [
        {
            "field": "limits.cpu",
            "expression": "max(cpu*50%, 100m)",
            "mode": "sum",
            "operands": {"web": "1", "cache": "200m"},
            "aggregate": "1200m",
            "result": "600m",
        },
        {
            "field": "requests.cpu",
            "expression": "cpu*10%",
            "mode": "sum",
            "operands": {"web": "400m", "cache": "100m"},
            "aggregate": "500m",
            "result": "50m",
        },
    ]


def test_the_groups_of_a_sidecarset_hold_every_pod_once() -> None:
    words = ("--sidecarset", "logs", "-o", "json")
    document = json.loads(run("explain", *WORLD, SAMPLES / "pods.yaml", *words).stdout)
    assert_valid(document, "sidecarset-explanation.json")
    named = [called(pod) for group in document["groups"] for pod in group["pods"]]
    assert sorted(named) == [f"Pod shop/web-{number}" for number in range(6)]
    states = {group["example"]["rollout"]["state"]: len(group["pods"]) for group in document["groups"]}
    assert states == {"NotReady": 1, "HeldByPartition": 2, "Waiting": 1, "NotUpgradable": 1, "NeverInjected": 1}


def test_a_pod_that_runs_is_not_said_to_be_injected() -> None:
    text = run("explain", *WORLD, SAMPLES / "pods.yaml", "--pod", "shop/web-5", "--only", "logs").stdout
    assert "running; a new pod like it would get sidecars" in text
    assert "logs: NeverInjected" in text


def test_what_cannot_be_meant(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    for words, told in {
        ("--labels", "app"): "--labels app is not a list of labels",
        (SAMPLES / "pods.yaml", "--pod", "nobody"): "no pod or workload with this name",
        (SAMPLES / "pods.yaml", "nobody"): "nobody: no pod or workload with this name",
        (SAMPLES / "pods.yaml", "sidecarset/nobody"): "nobody: SidecarSet not found (SidecarSets: audit, logs, ",
        (SAMPLES / "pods.yaml", "sidecarset/lgos"): "lgos: SidecarSet not found (did you mean logs?)",
        (SAMPLES / "pods.yaml", "logs", "audit"): "explain takes one SidecarSet, not logs and audit",
        (SAMPLES / "pods.yml",): "pods.yml: cannot be read",
        ("nobody",): "nobody: not found",
        (SAMPLES / "pods.yaml", "--sidecarset", "nobody"): "--sidecarset nobody: SidecarSet not found",
        (tmp_path / "service.yaml",): "there is neither a pod nor a workload to explain",
        (): "no PATHS given",
    }.items():
        ended = run("explain", *WORLD, *words)
        assert (ended.code, ended.stdout) == (2, "")
        assert told in ended.stderr
    assert run("explain", SAMPLES / "pods.yaml").code == 2


def called(reference: Object) -> str:
    """`Pod shop/web-0`."""
    return f"{reference['kind']} {'/'.join(filter(None, (reference.get('namespace'), reference['name'])))}"


def explained(*words: str | Path) -> Object:
    document: Object = json.loads(run("explain", *WORLD, *words, "-o", "json").stdout)
    kind = "pod" if document["kind"] == "PodExplanation" else "sidecarset"
    assert_valid(document, f"{kind}-explanation.json")
    return document


def test_the_evidence_has_the_labels_of_the_pod_and_of_its_namespace() -> None:
    [item] = explained(SAMPLES / "workloads.yaml", "Deployment/web", "logs")["pods"][0]["sidecarSets"]
    passed = {
        test["test"]: [(called(each["object"]), each["path"], each["line"]) for each in test["evidence"]]
        for test in item["tests"]
    }
    assert passed["Namespace"] == [
        ("SidecarSet logs", "spec.namespaceSelector.matchLabels.env", 7),
        ("Namespace shop", "metadata.labels.env", 3),
    ]
    assert passed["Selector"] == [
        ("SidecarSet logs", "spec.selector.matchLabels.app", 8),
        ("Deployment shop/web", "spec.template.metadata.labels.app", 6),
    ]


def test_the_canary_holds_the_evidence_that_it_replaces_its_base() -> None:
    canaries = ("-s", SAMPLES.parent / "canary", "--kruise", "master")
    [item] = explained(SAMPLES / "workloads.yaml", "api", "trace", *canaries)["pods"][0]["sidecarSets"]
    [canary] = [test for test in item["tests"] if test["passed"] is False]
    [evidence] = canary["evidence"]
    assert (called(evidence["object"]), evidence["value"]) == ("SidecarSet trace-canary", "trace")


def test_a_name_is_distinguished_from_a_file_and_a_sidecarset_from_a_pod(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT.replace("name: web\n", "name: logs\n", 1))
    world = ("-s", tmp_path / "set.yaml", tmp_path / "web.yaml", "-o", "json")
    unclear = run("explain", *world, "logs")
    assert (unclear.code, unclear.stdout) == (2, "")
    assert "logs is the name of a SidecarSet and of Deployment shop/logs" in unclear.stderr
    assert json.loads(run("explain", *world, "sidecarset/logs").stdout)["kind"] == "SidecarSetExplanation"
    for name in ("deployment/logs", "shop/logs"):
        document = json.loads(run("explain", *world, name).stdout)
        assert [called(pod["object"]) for pod in document["pods"]] == ["Deployment shop/logs"]


def test_only_one_pod_of_several_and_only_the_sidecarset_that_is_asked_about() -> None:
    pods = explained(SAMPLES / "pods.yaml", "web-0", "pod/web-3", "logs")["pods"]
    assert [pod["name"] for pod in pods] == ["web-0", "web-3"]
    assert [[item["name"] for item in pod["sidecarSets"]] for pod in pods] == [["logs"], ["logs"]]
    [pod] = explained(SAMPLES / "pods.yaml", "web-5", "zonal")["pods"]
    assert pod["outcome"] == "Injected"  # by others


def test_the_whitelist_is_found_in_the_right_namespace_only() -> None:
    words = ("-n", "shop", "--labels", "metrics=on", "metrics")
    answers = {
        name: explained("-s", SAMPLES / f"{name}.yaml", *words)["pods"][0]["sidecarSets"][0]["whitelist"]
        for name in ("whitelist", "whitelist-elsewhere", "namespaces")
    }
    allowed = {name: [each["allowed"] for each in item["annotations"]] for name, item in answers.items()}
    assert allowed == {"whitelist": [True, False], "whitelist-elsewhere": [None, None], "namespaces": [None, None]}
    assert [answer["found"] for answer in answers.values()] == [True, False, False]
    assert [item["namespace"] for item in answers["whitelist-elsewhere"]["misplaced"]] == ["shop"]


def test_a_whitelist_of_another_name_is_named(tmp_path: Path) -> None:
    renamed = (SAMPLES / "whitelist.yaml").read_text().replace("kruise-configuration", "kruise-config")
    (tmp_path / "whitelist.yaml").write_text(renamed)
    document = explained("-s", tmp_path, "-n", "shop", "--labels", "metrics=on", "metrics")
    answer = document["pods"][0]["sidecarSets"][0]["whitelist"]
    assert (answer["found"], [each["name"] for each in answer["misplaced"]]) == (False, ["kruise-config"])


def test_with_the_defaults_gate_every_annotation_is_allowed() -> None:
    gate = "--feature-gates=SidecarSetPatchPodMetadataDefaultsAllowed=true"
    document = explained("-n", "shop", "--labels", "metrics=on", "metrics", gate)
    keys = document["pods"][0]["sidecarSets"][0]["whitelist"]["annotations"]
    assert [each["allowed"] for each in keys] == [True, True]


def test_labels_that_come_later_than_the_webhook_are_named(tmp_path: Path) -> None:
    late = {"topology.kubernetes.io/zone": "after scheduling", "pod-template-hash": "by the workload's controller"}
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    for key, told in late.items():
        (tmp_path / "set.yaml").write_text(SET.replace("app: web", f"{key}: x"))
        text = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml").stdout
        assert f"note: label {key} " in text
        assert told in " ".join(text.split())


def test_nothing_blocks_what_the_next_round_updates() -> None:
    document = explained(SAMPLES / "tools-pods.yaml", "tools")
    assert document["rollout"]["next"] == 1
    assert "nothing in these files blocks it" in document["rollout"]["message"]
    states = {called(pod): group["example"]["rollout"] for group in document["groups"] for pod in group["pods"]}
    assert [states[f"Pod shop/build-{number}"]["next"] for number in (0, 1)] == [False, True]
    held = explained(SAMPLES / "pods.yaml", "logs")["rollout"]
    assert (held["next"], "nothing in these files" in held["message"]) == (0, False)


def test_pods_that_are_not_ready_are_one_group_whatever_their_containers(tmp_path: Path) -> None:
    """Each names its own container and its own restarts; only what can be done about it makes a group."""
    manifest = sidecarset().manifest
    names = ["catalog", "catalog", *map("app-{}".format, range(9))]
    (tmp_path / "set.json").write_text(json.dumps(manifest))
    pods = [_unready(f"p{place}", name) for place, name in enumerate(names)]
    (tmp_path / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    paths = ("explain", tmp_path / "set.json", tmp_path / "pods.json", "sidecarset/logs")
    [group] = json.loads(run(*paths, "-o", "json").stdout)["groups"]
    assert len(group["pods"]) == len(names)
    text = run(*paths).stdout
    assert "11 pods, NotReady" in text
    assert "2 pods: not ready: catalog (CrashLoopBackOff)\n" in text
    assert "9 pods: other\n" in text


def _unready(name: str, container: str) -> Object:
    waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
    statuses = [
        {"name": "agent", "image": "agent:2", "imageID": "a", "ready": True},
        {"name": container, "image": "app:1", "imageID": "b", "ready": False, "state": waiting},
    ]
    hashes = write_hashes({"logs": HashEntry(None, sidecarset().hash, "logs", ("agent",))})
    status: Object = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
    images = {"agent": "agent:2", container: "app:1"}
    return rolled_pod(
        name, images=images, annotations={HASH: hashes}, status={**status, "containerStatuses": statuses}
    )


def test_podinjectpolicy_has_no_effect_on_initcontainers_up_to_1_6(tmp_path: Path) -> None:
    init = SET.replace(
        "  containers:",
        "  initContainers:\n  - {name: first, image: x, podInjectPolicy: BeforeAppContainer}\n  containers:",
    )
    (tmp_path / "set.yaml").write_text(init.replace("v1beta1", "v1alpha1"))
    (tmp_path / "web.yaml").write_text(
        DEPLOYMENT.replace("    spec:\n", "    spec:\n      initContainers: [{name: own, image: 'y:1'}]\n", 1)
    )
    answers = {}
    for release in ("1.6", "1.7"):
        ended = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml", "--kruise", release, "-o", "json")
        assert ended.stdout, ended.stderr
        document = json.loads(ended.stdout)
        assert document["behavior"] == f"Kruise {release}"
        [first] = [
            sidecar for sidecar in document["pods"][0]["sidecarSets"][0]["sidecars"] if sidecar["name"] == "first"
        ]
        answers[release] = first["place"], first["beforeAppContainers"], first["podInjectPolicy"]
    assert answers == {"1.6": (1, False, ""), "1.7": (0, True, "BeforeAppContainer")}
    text = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml", "--kruise", "1.6").stdout
    assert "does not look at podInjectPolicy there" in " ".join(text.split())


@pytest.mark.parametrize(("release", "ignored"), [("1.4", True), ("1.5", False)])
def test_a_field_that_a_release_ignores_in_initcontainers_is_named(
    release: str,
    ignored: bool,  # noqa: FBT001 - by pytest
    tmp_path: Path,
) -> None:
    init = "  initContainers:\n  - {name: first, image: x, shareVolumePolicy: {type: enabled}}\n  containers:"
    (tmp_path / "set.yaml").write_text(SET.replace("  containers:", init).replace("v1beta1", "v1alpha1"))
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    text = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml", "--kruise", release).stdout
    said = "spec.initContainers[0].shareVolumePolicy: it has no effect in initContainers before 1.5"
    assert (said in " ".join(text.split())) is ignored


def test_the_order_says_what_put_a_pod_there() -> None:
    groups = explained(SAMPLES / "pods.yaml", "logs")["groups"]
    waiting = next(
        group["example"]["rollout"] for group in groups if [*map(called, group["pods"])] == ["Pod shop/web-3"]
    )
    assert (waiting["place"], waiting["of"], waiting["whyThere"]) == (1, 3, "created 2026-03-01T00:00:03Z")


@pytest.mark.parametrize("pods", ["pods.yaml", "tools-pods.yaml", "workloads.yaml"])
def test_pods_of_a_group_are_those_that_are_explained_alike(pods: str) -> None:
    every = {called(pod["object"]): pod for pod in explained(SAMPLES / pods)["pods"]}
    for name in ("logs", "proxy", "audit", "trace", "tools", "pinned"):
        for group in explained(SAMPLES / pods, name)["groups"]:
            for pod in map(called, group["pods"]):
                [item] = [each for each in every[pod]["sidecarSets"] if each["name"] == name]
                outcome = "Rejected" if every[pod]["outcome"] == "Rejected" and item["injected"] else item["reason"]
                assert (group["outcome"], group["example"]["reason"]) == (outcome, item["reason"])
                assert (group["example"]["rollout"] or {}).get("state") == (item["rollout"] or {}).get("state")


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("logs",), ("-o", "json")], ids=["a SidecarSet", "all pods"])
def test_pods_of_a_large_dump_are_not_held(tmp_path: Path, asked: tuple[str, ...]) -> None:
    """What a pod more costs is its name and what its state follows from, not its manifest."""
    (tmp_path / "set.yaml").write_text(SET)
    peaks = []
    for number in (10_000, 30_000):  # dumps from 16 MB on are read pod by pod
        pods = [_large_pod(index) for index in range(number)]
        (tmp_path / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
        peaks.append(peak_memory("explain", "-s", "set.yaml", "pods.json", *asked, cwd=tmp_path))
    assert (peaks[1] - peaks[0]) / 20_000 < 6 * 1024  # a manifest as this one takes three times as much


def _large_pod(index: int) -> Object:
    env = [{"name": f"V{number}", "value": f"{index}-{number}"} for number in range(40)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"web-{index}", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {"nodeName": "n1", "containers": [{"name": "web", "image": "web:7", "env": env}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


@pytest.mark.parametrize(
    "name",
    [
        "web",
        "shop/web",
        "deploy/web",
        "deployments/web",
        "Deployment/web",
        "deployment.apps/web",
        "deploy/shop/web",
        "deployments.apps/shop/web",
    ],
)
def test_a_name_is_written_as_for_kubectl(name: str, tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    both = f"{DEPLOYMENT}---\n{DEPLOYMENT.replace('Deployment', 'DaemonSet').replace('shop', 'lab')}"
    (tmp_path / "web.yaml").write_text(both)
    words: list[str | Path] = ["explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml"]
    for spelled in ([name], ["--pod", name]):
        ended = run(*words, *spelled)
        assert "Deployment shop/web" in ended.stdout
        assert ("DaemonSet lab/web" in ended.stdout) == (name == "web")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("pod/web", "deployment/shop/web"),
        ("lab/web", "deployment/shop/web"),
        ("deploy/lab/web", "deployment/shop/web"),
        ("deploy/wbe", "deployment/shop/web"),
        ("shop/webb", "deployment/shop/web"),
        ("logz", "sidecarset/logs"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name: str, meant: str, tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    ended = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml", name)
    assert (ended.code, ended.stdout) == (2, "")
    assert f"{name}: no pod or workload with this name in PATHS (did you mean {meant}?)" in ended.stderr


def test_what_if_a_workload_had_other_labels() -> None:
    words = (*WORLD, SAMPLES / "workloads.yaml", "deployment/web", "trace")
    assert "trace: PodNotSelected" in run("explain", *words).stdout
    ended = run("explain", *words, "--labels", "trace=on,mesh=off")
    assert ended.stdout.startswith("Deployment shop/web with trace=on, mesh=off: sidecars are injected (")
    assert "containers in start order: log-agent (logs), tracer (trace), web, cache" in ended.stdout
    assert f'yes Selector: the pod\'s label trace is "on" ({SAMPLES}/sidecarsets.yaml:48:35)' in ended.stdout


def test_labels_of_a_running_pod_change_no_injection() -> None:
    ended = run("explain", *WORLD, SAMPLES / "pods.yaml", "web-0", "--labels", "trace=on")
    assert ended.code == 2
    assert "--labels: Pod shop/web-0 runs, and a SidecarSet injects when a pod is created" in ended.stderr
    assert "name its workload, as in deployment/NAME" in ended.stderr
