"""`explain`: what it says of pods that end, of many SidecarSets, of names that clash, of containers that are left."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset

BARE = {"kruise.io/sidecarset-injected-list": None}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def status(new: Object, *pods: Object) -> list[Object]:
    Path("set.json").write_text(json.dumps(new))
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    found = json.loads(run("status", "set.json", "pods.json", "-o", "json").stdout)
    left: list[Object] = found["sidecarSets"][0]["leftOut"]
    return left


def explained(*more: str) -> str:
    return run("explain", "-s", "set.json", "pods.json", *more).stdout


def test_injection_that_is_paused_is_the_state() -> None:
    paused = sidecarset(injectionStrategy={"paused": True}).manifest
    assert [item["reason"] for item in status(paused, pod("p0", annotations=BARE))] == ["InjectionPaused"]
    text = explained("shop/p0")
    assert "set spec.injectionStrategy.paused to false; only pods created after that have its sidecars" in text


@pytest.mark.parametrize(
    ("created", "said"),
    [
        ("2026-01-01T00:00:00Z", "created before the SidecarSet: recreate the pod"),
        ("2026-01-05T00:00:00Z", "injection was paused when it was created (logs-paused): recreate the pod"),
        ("2026-01-12T00:00:00Z", "created after the SidecarSet, but the webhook did not see it: was Kruise down"),
        ("2026-01-09T00:00:00Z", "created after the SidecarSet, but the webhook did not see it: was Kruise down"),
        (None, "older than the SidecarSet, or the webhook was down: recreate it"),
    ],
)
def test_why_a_pod_was_never_injected(created: str | None, said: str) -> None:
    manifest = sidecarset("1").manifest
    manifest = {**manifest, "metadata": {**manifest["metadata"], "creationTimestamp": "2026-01-03T00:00:00Z"}}
    revisions = [
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {
                "name": f"logs-{name}",
                "namespace": "kruise-system",
                "creationTimestamp": time,
                "labels": {"kruise.io/sidecarset-name": "logs"},
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied},
            },
            "revision": number,
            "data": {"spec": {"containers": [{"name": "agent", "image": f"agent:{name}"}]}},
        }
        for number, (name, time, applied) in enumerate(
            [
                ("paused", "2026-01-04T00:00:00Z", json.dumps({"spec": {"injectionStrategy": {"paused": True}}})),
                ("goes-on", "2026-01-07T00:00:00Z", json.dumps({"spec": {}})),
                ("unreadable", "2026-01-11T00:00:00Z", "{"),
            ],
            1,
        )
    ]
    times: dict[str, Any] = {"creationTimestamp": created} if created else {}
    bare = pod("p0", annotations=BARE, **times)
    found = status(manifest, bare, *revisions)
    assert found[0]["message"].startswith(said)


OWNED = {
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}]
}
JOB = {"ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]}
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("metadata", "phase", "said"),
    [
        ({**OWNED, **DELETED}, "Running", "it ends; the pod that replaces it would get sidecars"),
        (OWNED, "Failed", "it ends; the pod that replaces it would get sidecars"),
        ({**JOB, **DELETED}, "Running", "it ends; the pod that replaces it would get sidecars"),
        (JOB, "Failed", "it has failed; a pod that its Job creates instead would get sidecars"),
        (JOB, "Succeeded", "it has ended or is being deleted, and nothing replaces it"),
        (DELETED, "Running", "it has ended or is being deleted, and nothing replaces it"),
        ({}, "Succeeded", "it has ended or is being deleted, and nothing replaces it"),
    ],
)
def test_pods_that_end(metadata: dict[str, Any], phase: str, said: str) -> None:
    status(sidecarset().manifest, pod("p0", status={"phase": phase}, **metadata))
    text = explained("shop/p0")
    assert f"Pod shop/p0: {said}" in text
    assert ("logs: Injected when replaced\n" in text) is ("nothing replaces it" not in said)
    assert text.count("what to change") == 1
    (found,) = json.loads(explained("shop/p0", "-o", "json"))["pods"]
    fates = {"it ends": "replaced", "it has failed": "retried", "it has ended or is being deleted, and": "gone"}
    assert found["fate"] == next(fate for words, fate in fates.items() if said.startswith(words))


def many(number: int) -> str:
    others = [
        SET.replace("name: logs", f"name: s{each}").replace("app: web", f"app: a{each}") for each in range(number)
    ]
    return "---\n".join([SET, *others])


def test_many_sidecarsets_are_folded_and_the_conclusion_comes_first() -> None:
    Path("sets.yaml").write_text(many(29))
    Path("web.yaml").write_text(DEPLOYMENT)
    lines = run("explain", "-s", "sets.yaml", "web.yaml").stdout.splitlines()
    assert len(lines) < 20
    assert lines[0].startswith("Deployment shop/web: sidecars are injected")
    assert "containers in start order" in lines[1]
    assert any(line.startswith("├─ logs: Injected") for line in lines)
    folded = (
        "29 others, PodNotSelected: the SidecarSet's selector does not match the pod's labels (s0, s1, s2, s3, s4"
    )
    assert any(folded in line for line in lines)
    every = run("explain", "-s", "sets.yaml", "web.yaml", "--all").stdout
    assert every.index(" s2: ") < every.index(" s10: ")
    assert "others" not in every
    document = json.loads(run("explain", "-s", "sets.yaml", "web.yaml", "-o", "json").stdout)
    assert len(document["pods"][0]["sidecarSets"]) == 30


def test_a_few_of_several_reasons_are_folded_where_another_one_applies() -> None:
    paused = SET.replace("name: logs", "name: p1") + "  injectionStrategy: {paused: true}\n"
    Path("sets.yaml").write_text("---\n".join([many(3), paused]))
    Path("web.yaml").write_text(DEPLOYMENT)
    text = run("explain", "-s", "sets.yaml", "web.yaml").stdout
    assert (
        "3 others, PodNotSelected: the SidecarSet's selector does not match the pod's labels (s0, s1, s2; --all"
        in text
    )
    assert "1 other, InjectionPaused: injection is paused: " in text
    assert "(p1; --all explains it)" in text
    Path("web.yaml").write_text(DEPLOYMENT.replace("labels: {app: web}", "labels: {app: none}"))
    text = run("explain", "-s", "sets.yaml", "web.yaml").stdout
    assert "p1: InjectionPaused, PodNotSelected\n" in text
    assert "what to change: set spec.injectionStrategy.paused to false; change the label app" in text


def test_two_containers_of_one_name_are_refused_each_at_its_place() -> None:
    Path("sets.yaml").write_text("---\n".join([SET, SET.replace("name: logs", "name: other")]))
    Path("web.yaml").write_text(DEPLOYMENT)
    text = run("explain", "-s", "sets.yaml", "web.yaml").stdout
    assert "Deployment shop/web: the pod would be rejected" in text
    assert "two containers are named log-agent: the API server rejects such a pod" in text
    assert "log-agent (logs), log-agent (other)" in text
    assert ("at containers[0]" in text, "at containers[1]" in text) == (True, True)


def test_a_container_that_no_sidecarset_injects_anymore_is_not_in_a_new_pod() -> None:
    marked = {"env": [{"name": "IS_INJECTED", "value": "true"}]}
    found = pod("p0", images={"agent": "agent:1", "old": "old:1", "app": "app:1"})
    containers = [{**item, **(marked if item["name"] != "app" else {})} for item in found["spec"]["containers"]]
    marked_pod = {**found, "spec": {**found["spec"], "containers": containers}}
    status(sidecarset("1").manifest, marked_pod)
    text = explained("shop/p0")
    assert "containers of a new pod in start order: agent (logs), app\n" in text
    assert "not in a new pod: old, which a SidecarSet injected before" in text
    status(sidecarset("1", selector={"matchLabels": {"app": "api"}}).manifest, marked_pod)
    text = explained("shop/p0")
    assert "Pod shop/p0: running; a new pod like it would get no sidecars" in text
    assert "not in a new pod: agent, old, which a SidecarSet injected before" in text
    gone = {**marked_pod["metadata"], **DELETED}
    status(sidecarset("1").manifest, {**marked_pod, "metadata": gone})
    assert "not in a new pod" not in explained("shop/p0")


def test_a_volume_that_the_pod_has_already_is_not_added() -> None:
    mount = "    volumeMounts: [{name: data, mountPath: /data}]\n  volumes: [{name: data, emptyDir: {}}]\n"
    Path("sets.yaml").write_text(SET + mount)
    own = DEPLOYMENT.rstrip("\n") + "\n      volumes: [{name: data, emptyDir: {}}]\n"
    for text, kept in ((DEPLOYMENT, False), (own, True)):
        Path("web.yaml").write_text(text)
        said = run("explain", "-s", "sets.yaml", "web.yaml").stdout
        assert ("volumes added with it: data" in said) is not kept
        assert ("volumes that the pod has already, and keeps: data" in said) is kept
