"""What a plan says of its assumption about scattered pods."""

from pathlib import Path

from sidecarctl.engine.facts.values import Value
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.plan.planning import dump

SCATTER = [{"key": "zone", "value": "a"}]


def told(folder: Path, **strategy: Value) -> str:
    pods = [pod(f"p{index}", labels={"zone": "a" if index < 3 else "b"}) for index in range(6)]
    dump(folder / "all.json", [*pods, sidecarset("2", updateStrategy=strategy).manifest])
    ended = run("plan", folder / "all.json", "--strict")
    assert ended.code == 0, ended.stderr
    return ended.stderr


def test_the_waves_assume_that_pods_become_ready_together(tmp_path: Path) -> None:
    text = told(tmp_path, scatterStrategy=SCATTER, maxUnavailable=2)
    assert "the pods of a wave become ready together: Kruise scatters the remaining pods again" in text
    assert "[ScatterAssumesWaves]" in text
    assert "in place of others" not in text


def test_a_partition_may_hold_back_others(tmp_path: Path) -> None:
    text = told(tmp_path, scatterStrategy=SCATTER, maxUnavailable=2, partition=1)
    assert "; the pod that the partition holds back may be updated instead of others" in text
    text = told(tmp_path, scatterStrategy=SCATTER, maxUnavailable=1, partition=4)
    assert "; up to 1 of the 4 pods that" in text


def test_pods_that_scatter_keeps_out_of_the_first_wave_are_counted(tmp_path: Path) -> None:
    """Both strategies meet: the pods of the highest priority are not all first."""
    priority: Value = {"weightPriority": [{"weight": 100, "matchSelector": {"matchLabels": {"zone": "a"}}}]}
    pods = [pod(f"p{index}", labels={"zone": "a" if index < 3 else "b"}) for index in range(6)]

    def planned(**strategy: Value) -> str:
        manifest = sidecarset("2", updateStrategy={"maxUnavailable": 2, **strategy}).manifest
        dump(tmp_path / "all.json", [*pods, manifest])
        return " ".join(run("plan", tmp_path / "all.json").stdout.split())

    said = "first wave 2 pods of higher priority (100) are not in it: scatterStrategy spreads the pods after"
    assert said in planned(scatterStrategy=SCATTER, priorityStrategy=priority)
    assert "first wave" not in planned(priorityStrategy=priority)
    assert "first wave" not in planned(scatterStrategy=SCATTER)


def test_one_wave_or_no_scatter_assumes_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, scatterStrategy=SCATTER, maxUnavailable=6) == ""
    assert told(tmp_path, maxUnavailable=1) == ""
