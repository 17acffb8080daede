"""`sidecarctl diff --kruise-from --kruise-to`: what an upgrade of Kruise does to pods."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.comparing.recreated_pods import RecreatedPods
from sidecarctl.engine.facts.findings import ObjectReference
from tests.cli.manifests import DEPLOYMENT
from tests.cli.running import run
from tests.engine.rollout.manifests import pod
from tests.features.diff.upgraded_sets import AGENT, PROBED, document, sidecarset, upgrade


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pods_are_counted_those_of_workloads_if_none_run() -> None:
    Path("web.yaml").write_text(DEPLOYMENT.replace("replicas: 2", "replicas: 30"))
    probed = sidecarset(containers=[PROBED], updateStrategy={"partition": "25%"})
    ended = upgrade("1.4", "1.5", probed, options=("web.yaml",))
    assert ended.stdout.splitlines()[2] == (
        "logs: Recreate: Once the SidecarSet is written again, 30 pods of workloads (of 30) must be recreated to be "
        "updated."
    )
    assert "  - 30 pods of workloads are outdated once the SidecarSet is written\n" in ended.stdout
    assert "1 SidecarSet: 1 Recreate (30 pods)" in ended.stdout
    ended = upgrade("1.7", "1.8", sidecarset(updateStrategy={"partition": "25%"}), options=("web.yaml",))
    assert "logs: NoEffect: 30 pods of workloads stay as before.\n" in ended.stdout
    assert "partition 25% of 30 pods is 8 instead of 7" in ended.stdout
    running = [pod(f"p{number}") for number in range(3)]
    ended = upgrade("1.7", "1.8", sidecarset(updateStrategy={"maxUnavailable": "50%"}), *running)
    assert "logs: NoEffect: 3 running pods stay as before.\n" in ended.stdout
    assert "maxUnavailable 50% of 3 pods is 2 instead of 1" in ended.stdout


def test_recorded_hashes_count_as_those_before() -> None:
    recorded = sidecarset()
    recorded["metadata"]["annotations"] = {
        "kruise.io/sidecarset-hash": "old",
        "kruise.io/sidecarset-hash-without-image": "older",
    }
    Path("sets.json").write_text(json.dumps(recorded))
    words = ("diff", "--kruise-from", "1.7", "--kruise-to", "1.8", "sets.json", "-o", "json")
    (trusting,) = json.loads(run(*words, "--trust-annotated-hash").stdout)["sidecarSets"]
    assert (trusting["before"]["hash"], trusting["verdict"]) == ("old", "Recreate")
    (computed,) = json.loads(run(*words).stdout)["sidecarSets"]
    assert computed["verdict"] == "NoEffect"


def test_pods_of_workloads_that_are_injected_differently() -> None:
    Path("web.yaml").write_text(DEPLOYMENT)
    given = sidecarset(
        initContainers=[{"name": "web", "image": "init:1", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
        volumes=[{"name": "v", "emptyDir": {}}],
    )
    ended = upgrade("1.0", "1.2", given, options=("web.yaml",))
    assert "Deployment shop/web, 2 pods: injected differently when recreated" in ended.stdout
    assert "spec.volumes" in ended.stdout


def test_the_namespace_selector_that_was_dropped() -> None:
    given = sidecarset(namespaceSelector={"matchLabels": {"team": "a"}})
    found = document("1.3", "1.4", given, pod())
    [pods] = found["recreatedPods"]
    assert ([item["sidecarSet"] for item in pods["before"]], pods["after"]) == (["logs"], [])
    assert not {"rejectedBefore", "rejectedAfter"} & {*pods}


def test_pods_that_only_the_new_release_rejects_break() -> None:
    given = sidecarset(containers=[{**AGENT, "volumeMounts": [{"name": "gone", "mountPath": "/v"}]}])
    ended = upgrade("1.9", "1.8", given, pod(), options=("-o", "json=out.json", "--report", "json=report.json"))
    assert ended.code == 1
    told = [
        finding
        for finding in json.loads(Path("report.json").read_text())["findings"]
        if finding["object"]["kind"] == "Pod"
    ]
    assert [item["severity"] for item in told] == ["error"]
    assert "webhook of Kruise 1.8 crashes" in told[0]["message"]


def test_pods_that_only_the_later_release_rejects_say_why_in_a_member_of_their_own() -> None:
    reference = ObjectReference("v1", "Pod", "shop", "web-0")
    pods = RecreatedPods(reference, 1, "logs (agent)", "rejected: two containers are called agent", ())
    assert pods.rejections == ("", "two containers are called agent")
    assert pods.breaks


@pytest.mark.parametrize(
    ("labels", "namespace", "said"),
    [
        (
            {},
            "kube-system",
            "injected: nothing (the Helm chart of Kruise 1.9 leaves out namespace kube-system); before: logs (agent)",
        ),
        (
            {"control-plane": "x"},
            "ops",
            "nothing (the Helm chart of Kruise 1.4 leaves out namespace ops, which has the label control-plane)",
        ),
    ],
)
def test_the_rule_of_an_installation_is_named_where_it_decides(
    labels: dict[str, str], namespace: str, said: str
) -> None:
    workload = yaml.safe_load(DEPLOYMENT)
    workload["metadata"]["namespace"] = namespace
    there = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}}
    ended = upgrade("1.4", "1.9", sidecarset(), workload, there, options=("-o", "markdown"))
    assert said in ended.stdout
