"""The worked examples of the manual, as they ship in samples/rollouts/."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples" / "rollouts"


def planned(sample: str, *options: str) -> Object:
    folder = SAMPLES / sample
    paths = (folder / "sidecarset.yaml", folder / "workloads.yaml", "--from", folder / "old.yaml")
    ended = run("plan", *paths, *options, "-o", "json")
    assert ended.code == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert document["synthetic"]
    planned: Object = document["sidecarSets"][0]
    return planned


def names(item: Object) -> list[list[str]]:
    return [[pod["name"] for pod in wave["pods"]] for wave in item["waves"]]


def test_1000_pods_with_partition_980_and_maxunavailable_10_percent() -> None:
    item = planned("partition-980")
    assert [len(wave) for wave in names(item)] == [20]
    assert item["ending"] == "HeldByPartition"
    assert item["window"]["maxUnavailable"]["pods"] == 100
    assert len(item["heldBack"]["partition"]) == 980
    assert item["counts"]["after"]["updatedPods"] == 20


def test_the_remaining_pods_without_a_partition() -> None:
    item = planned("partition-980", "--partition", "0")
    assert [len(wave) for wave in names(item)] == [100] * 10
    assert item["ending"] == "Complete"


def test_100_pods_with_partition_50_and_maxunavailable_10() -> None:
    item = planned("partition-50")
    assert [len(wave) for wave in names(item)] == [10] * 5
    assert item["counts"]["after"]["updatedPods"] == 50
    assert item["window"]["largestUnavailable"] == 10


def test_100_pods_with_partition_80_and_maxunavailable_30() -> None:
    item = planned("partition-50", "--partition", "80", "--max-unavailable", "30")
    assert [len(wave) for wave in names(item)] == [20]
    assert item["counts"]["after"]["updatedPods"] == 20


def test_100_pods_with_partition_90() -> None:
    assert planned("partition-50", "--partition", "90")["counts"]["after"]["updatedPods"] == 10
    assert planned("partition-50", "--partition", "90%")["counts"]["after"]["updatedPods"] == 10


def test_scatter_over_10_pods() -> None:
    [order] = names(planned("scatter"))
    assert [place for place, name in enumerate(order, 1) if name.startswith("marked")] == [1, 6, 10]


def test_scatter_is_computed_again_in_every_round() -> None:
    order = [wave[0] for wave in names(planned("scatter", "--max-unavailable", "1"))]
    assert [place for place, name in enumerate(order, 1) if name.startswith("marked")] == [1, 5, 6]


def test_a_canary_by_selector() -> None:
    item = planned("canary")
    assert names(item) == [["web-canary-00000"], ["web-canary-00001"]]
    assert item["ending"] == "HeldBySelector"
    assert len(item["heldBack"]["selector"]) == 8


def test_priority() -> None:
    order = [wave[0].rpartition("-")[0] for wave in names(planned("priority"))]
    assert order == ["foo", "foo", "bar", "bar", "plain", "plain"]


def test_a_hot_upgrade_swaps_and_empties() -> None:
    item = planned("hot-upgrade")
    assert [wave["kind"] for wave in item["waves"]] == ["upgrade", "reset", "upgrade", "reset"]
    upgrade, reset = (item["waves"][index]["pods"][0] for index in (0, 1))
    assert [(image["container"], image["after"].rpartition("/")[2]) for image in upgrade["images"]] == [
        ("sidecar-2", "sidecar:2.0")
    ]
    assert [(image["container"], image["after"].rpartition("/")[2]) for image in reset["images"]] == [
        ("sidecar-1", "empty:1.0")
    ]
    assert item["ending"] == "Complete"


@pytest.mark.parametrize("sample", sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir()))
def test_every_sample_is_described_in_the_readme(sample: str) -> None:
    assert f"| {sample} |" in (SAMPLES / "README.md").read_text()
