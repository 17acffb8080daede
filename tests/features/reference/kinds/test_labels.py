"""The labels that a kind's controller adds: `inject --as-pods` prints them, SidecarSets select by them."""

from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.manifests import SET
from tests.cli.running import run
from tests.features.reference.kinds.test_cases import CASES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    return tmp_path


def case(name: str) -> str:
    return (CASES / f"{name}.yaml").read_text()


def labels(text: str, *prefixes: str) -> dict[str, dict[str, Any]]:
    """The labels with these prefixes of each pod, by its name."""
    Path("one.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "--as-pods", "one.yaml")
    assert ended.code == 0, ended.stderr
    pods = [pod["metadata"] for pod in yaml.safe_load_all(ended.stdout) if pod]
    return {
        pod["name"]: {key: text for key, text in pod["labels"].items() if key.startswith(prefixes)} for pod in pods
    }


def hashed(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def roles(text: str) -> dict[str, str | None]:
    key = "training.kubeflow.org/job-role"
    return {name: found.get(key) for name, found in labels(text, key).items()}


def test_kubeflow_marks_the_masters_of_a_job() -> None:
    assert roles(case("pytorch-job")) == {"train-master-0": "master", "train-worker-0": None, "train-worker-1": None}
    assert roles(case("mpi-job"))["train-launcher"] == "master"
    assert set(roles(case("mpi-job")).values()) == {"master", None}
    without = case("tf-job")
    assert roles(without) == {"train-ps-0": None, "train-worker-0": "master", "train-worker-1": None}
    assert roles(without.replace("    PS:", "    Chief:")) == {
        "train-chief-0": "master", "train-worker-0": None, "train-worker-1": None,
    }  # a table, a case a line  # fmt: skip
    assert [role for role in roles(case("jax-job")).values() if role] == ["master"]


def test_volcano_names_the_queue() -> None:
    key = "volcano.sh/queue-name"
    assert {found[key] for found in labels(case("volcano-job"), key).values()} == {"default"}
    queued = case("volcano-job").replace("spec:\n", "spec:\n  queue: night\n", 1)
    assert {found[key] for found in labels(queued, key).values()} == {"night"}
    run_of_cron = case("volcano-cron-job").replace("      tasks:", "      queue: night\n      tasks:")
    assert {found[key] for found in labels(run_of_cron, key).values()} == {"night"}


def test_ray_adds_the_labels_of_a_group() -> None:
    text = case("ray-cluster").replace(
        "- groupName: small\n", "- groupName: small\n    labels: {zone: a, app: other}\n"
    )
    found = labels(text, "zone", "app", "ray.io/node-type")
    small = {name: item for name, item in found.items() if "-small-" in name}
    assert len(small) == 2
    for item in small.values():
        assert item["zone"] == "a"
        assert item["app"] == "other"
        assert item["ray.io/node-type"] == "worker"
    assert all("zone" not in item for name, item in found.items() if name not in small)


def test_flink_says_how_it_was_deployed() -> None:
    kinds = [item["type"] for item in labels(case("flink-deployment"), "type").values()]
    assert kinds == ["flink-native-kubernetes"] * 3
    standalone = case("flink-deployment").replace("  flinkVersion:", "  mode: standalone\n  flinkVersion:")
    assert {item["type"] for item in labels(standalone, "type").values()} == {"flink-standalone-kubernetes"}


def test_the_labels_of_a_job_set() -> None:
    prefix = "jobset.sigs.k8s.io/"
    found = labels(case("job-set"), prefix)
    assert len(found) == 5
    first, last = found["js-leader-0-0-00000"], found["js-workers-1-1-00003"]
    assert {key.removeprefix(prefix): value for key, value in last.items()} == {
        "jobset-name": "js",
        "replicatedjob-name": "workers",
        "job-index": "1",
        "job-global-index": "2",
        "global-replicas": "3",
        "job-group-index": "2",
        "group-replicas": "3",
        "group-name": "default",
        "restart-attempt": "0",
        "replicatedjob-replicas": "2",
        "job-key": hashed("shop/js-workers-1"),
    }
    assert first[f"{prefix}job-global-index"] == "0"
    assert first[f"{prefix}replicatedjob-replicas"] == "1"
    grouped = case("job-set").replace("- name: workers\n", "- name: workers\n    groupName: pool\n")
    pool = labels(grouped, prefix)["js-workers-1-1-00003"]
    assert pool[f"{prefix}group-name"] == "pool"
    assert pool[f"{prefix}job-group-index"] == "1"
    assert pool[f"{prefix}group-replicas"] == "2"
    assert pool[f"{prefix}job-global-index"] == "2"


def test_a_leader_worker_set_hashes_the_leader_of_a_group() -> None:
    key = "leaderworkerset.sigs.k8s.io/group-key"
    found = labels(case("leader-worker-set"), key)
    assert found["llm-1"][key] == found["llm-1-2"][key] == hashed("shop/llm-1")
    assert found["llm-0"][key] != found["llm-1"][key]


def test_a_set_selects_by_an_added_label() -> None:
    Path("set.yaml").write_text(SET.replace("app: web", "training.kubeflow.org/job-role: master"))
    Path("new.yaml").write_text(Path("set.yaml").read_text().replace("2.4.1", "2.4.2"))
    Path("one.yaml").write_text(case("tf-job"))
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml", "-o", "json")
    assert '"name": "train-worker-0"' in ended.stdout
    assert '"name": "train-worker-1"' not in ended.stdout


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("job-suspended", "", ""),
        ("job-set", "spec:\n", "spec:\n  suspend: true\n"),
        ("tf-job", "spec:\n", "spec:\n  runPolicy: {suspend: true}\n"),
        ("ray-job", "spec:\n", "spec:\n  suspend: true\n"),
        ("ray-cluster", "spec:\n", "spec:\n  suspend: true\n"),
        ("flink-deployment", "  job: {", "  job: {state: suspended, "),
    ],
)
def test_what_is_suspended_has_no_pods(name: str, old: str, new: str) -> None:
    Path("one.yaml").write_text(case(name).replace(old, new, 1) if old else case(name))
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml", "-o", "json")
    assert '"pods": []' in ended.stdout or '"waves": []' in ended.stdout
    assert ended.stderr.count("it is suspended and has no pods until it is resumed") == 1
    again = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml", "--replicas", f"{kind_and_name()}=1")
    assert "it is suspended" not in again.stderr


def kind_and_name() -> str:
    manifest = yaml.safe_load(Path("one.yaml").read_text())
    return f"{manifest['kind']}/{manifest['metadata']['name']}"
