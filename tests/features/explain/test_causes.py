"""`explain` says what happened to running pods: who updated them and when, and why their containers restarted."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.rollout.manifests import sidecarset
from tests.schemas import assert_valid

SAMPLES = Path(__file__).parents[3] / "samples" / "on-call"
SET = SAMPLES / "sidecarset.yaml"
PODS = SAMPLES / "pods.yaml"


def pods() -> list[Object]:
    return list(yaml.safe_load_all(PODS.read_text()))


def explained(tmp_path: Path, pod: Object, *words: str) -> str:
    (tmp_path / "pod.json").write_text(json.dumps(pod))
    return run("explain", SET, tmp_path / "pod.json", *words).stdout


def test_the_update_that_restarted_a_sidecar() -> None:
    said = run("explain", SET, PODS, "web-0").stdout
    assert "├─ updated in place 2026-05-04T09:30:00Z, logs-864d4554cf\n" in said
    assert "└─ spec.containers[log-agent].image: registry.example.com/log-agent:2.1.0\n" in said
    assert "log-agent: 1 restart; the update of logs restarted it, 3 s after the patch\n" in said
    assert "└─ web: has not restarted\n" in said


def test_restarts_for_other_reasons() -> None:
    said = run("explain", SET, PODS).stdout
    assert (
        "log-agent: 7 restarts; it restarts by itself since the update of logs: the last run ended with exit 1"
        in said
    )
    assert "web: 2 restarts; the last run ended with exit 137 (OOMKilled)" in said
    assert "the update of logs did not touch it\n" in said


def test_a_pod_that_was_only_injected() -> None:
    said = run("explain", SET, PODS, "web-3").stdout
    assert "├─ injected 2026-05-01T08:00:00Z, logs-74f4b7db58\n" in said
    assert "restarts" not in said


def test_a_restart_before_the_last_update(tmp_path: Path) -> None:
    pod = pods()[0]
    status = pod["status"]["containerStatuses"][0]
    status["lastState"]["terminated"] |= {"startedAt": "2026-05-01T08:00:00Z", "finishedAt": "2026-05-02T08:00:00Z"}
    assert "the last run ended with exit 0 after 86,400 s; it was before the last update" in explained(tmp_path, pod)
    del status["lastState"]
    assert "1 restart; the status does not say how the last run ended\n" in explained(tmp_path, pod)


def test_a_pod_without_updates_restarts(tmp_path: Path) -> None:
    pod = pods()[2]
    del pod["metadata"]["annotations"]["kruise.io/sidecarset-inplace-update-state"]
    assert "exit 137 (OOMKilled) after 147,600 s; no SidecarSet updated it in place" in explained(tmp_path, pod)


def test_several_updates_in_place(tmp_path: Path) -> None:
    pod = pods()[0]
    notes = pod["metadata"]["annotations"]
    key = "kruise.io/sidecarset-inplace-update-state"
    notes[key] = notes[key].replace("2026-05-04T09:30:00Z", "2026-05-02T07:00:00Z")
    said = explained(tmp_path, pod)
    assert "updated in place 2026-05-04T09:30:00Z, logs-864d4554cf; updated first 2026-05-02T07:00:00Z\n" in said


def test_what_restarted_in_all_pods_of_a_sidecarset() -> None:
    said = run("explain", SET, PODS, "logs").stdout
    assert (
        "3 pods updated in place at 2026-05-04T09:30:00Z to logs-864d4554cf (spec.containers[log-agent].image "
        "registry.example.com/log-agent:2.1.0); restarted by it: log-agent in 2; for other reasons: log-agent in 1, "
        "web in 1\n"
    ) in said
    assert "3 pods updated in place at" in run("explain", SET, PODS, "logs", "-o", "markdown").stdout


@pytest.mark.parametrize(("words", "schema"), [((), "pod"), (("logs",), "sidecarset")])
def test_json_has_updates_and_restarts(words: tuple[str, ...], schema: str) -> None:
    document = json.loads(run("explain", SET, PODS, *words, "-o", "json").stdout)
    assert_valid(document, f"{schema}-explanation.json")
    if words:
        [tally] = document["updates"]
        assert (tally["pods"], tally["restarted"]) == (3, {"log-agent": 2})
    else:
        restarts = document["pods"][0]["restarts"]
        assert [(each["container"], each["count"], each["sidecarSet"]) for each in restarts] == [
            ("log-agent", 1, "logs"),
            ("web", 0, None),
        ]
        assert document["pods"][3]["updates"][0]["changes"] == []


def test_a_container_that_the_sidecarset_no_longer_has_is_named() -> None:
    said = run("explain", SET, PODS, "web-3").stdout
    assert (
        'spec.containers[1]: {"name": "metrics", "image": "registry.example.com/metrics:1… now, null wanted' in said
    )
    assert "hash-without-image" not in said


def test_a_field_that_leaves_no_trace_in_pods_is_named_where_its_revision_is_available(tmp_path: Path) -> None:
    older = SET.read_text().replace("log-agent:2.1.0", "log-agent:2.1.0\n      podInjectPolicy: AfterAppContainer")
    (tmp_path / "older.yaml").write_text(older)
    pod = pods()[0]
    (tmp_path / "pod.json").write_text(
        json.dumps({**pod, "metadata": {"name": "a", "namespace": "shop", "labels": {"app": "web"}}})
    )
    words = ("-s", tmp_path / "older.yaml", tmp_path / "pod.json", "-o", "json")
    made = json.loads(run("inject", *words).stdout)
    pod["metadata"]["annotations"] = made["metadata"]["annotations"]
    (tmp_path / "pod.json").write_text(json.dumps(pod))
    assert "kruise.io/sidecarset-hash-without-image" in run("explain", SET, tmp_path / "pod.json").stdout
    said = run("explain", SET, tmp_path / "pod.json", "--revision-from", tmp_path / "older.yaml").stdout
    assert 'spec.containers[0].podInjectPolicy: "AfterAppContainer" now, "BeforeAppContainer" wanted' in said


def with_labels_at(place: str) -> Object:
    labels = {"team": "a", "inject": "yes"}
    own = {"labels": {"team": "a", **({"Inject": "yes"} if place == "case" else {})}}
    metadata = {**own, **({"annotations": labels} if place == "annotations" else {})}
    spec = {"template": {"metadata": metadata, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}}
    if place == "job":
        spec = {"jobTemplate": {"metadata": {"labels": labels}, "spec": spec}}
    return {
        "apiVersion": "batch/v1" if place == "job" else "apps/v1",
        "kind": "CronJob" if place == "job" else "Deployment",
        "metadata": {"name": "web", "namespace": "shop", **({"labels": labels} if place == "object" else {})},
        "spec": spec,
    }


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("object", "on the Deployment itself"),
        ("annotations", "among its annotations"),
        ("job", "in its jobTemplate"),
        ("case", "in different case"),
        ("nowhere", ""),
    ],
)
def test_labels_where_they_do_not_count_are_named(
    place: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    selecting = sidecarset("1", selector={"matchLabels": {"team": "a", "inject": "yes"}}).manifest
    Path("set.json").write_text(json.dumps(selecting))
    Path("web.json").write_text(json.dumps(with_labels_at(place)))
    text = run("explain", "-s", "set.json", "web.json").stdout
    assert "NO  Selector" in text
    note = f"note: the labels that it asks for are {said}, where they do not count"
    assert (note in text) is bool(said)
    assert ("where they do not count" in text) is bool(said)
