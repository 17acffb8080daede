"""A few of the trials that `make fuzz` makes for longer: the same ones each time."""

from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.effort import sampled
from tests.fuzz.commands import WORLD, Trial, check, trial_of


@pytest.mark.parametrize("first", sampled(range(0, 300, 50), 6))
def test_mutated_nodes_fault_no_command(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(first, first + 50):
        check(trial_of(seed, with_options=seed % 2 == 1))


@pytest.mark.parametrize("seed", [6558, 106826, 107646, 121070, 144865, 146557, 148031, 5022745, 5026140])
def test_what_broke_once_breaks_no_more(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check(trial_of(seed))


@pytest.mark.parametrize(
    ("command", "name", "index", "change"),
    [
        ("validate simple apps beside -o json", "simple", 0, {"metadata": {"NAME": "logs"}}),
        ("diff simple live beside --delete logs", "beside", 8, {"metadata": True}),
    ],
)
def test_objects_with_odd_metadata_fault_no_command(
    command: str, name: str, index: int, change: Object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = dict(WORLD)
    files[name] = [{**item, **change} if at == index else item for at, item in enumerate(files[name])]
    check(Trial(0, command, is_json=True, files=files))
