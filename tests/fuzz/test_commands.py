"""A few of the trials that `make fuzz` makes for longer: the same ones each time."""

from pathlib import Path

import pytest

from tests.effort import sampled
from tests.fuzz.commands import check, trial_of


@pytest.mark.parametrize("first", sampled(range(0, 300, 50), 6))
def test_mutated_nodes_fault_no_command(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(first, first + 50):
        check(trial_of(seed, with_options=seed % 2 == 1))


@pytest.mark.parametrize("seed", [6558, 106826, 107646, 121070, 144865, 146557, 148031, 5022745, 5026140])
def test_what_broke_once_breaks_no_more(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check(trial_of(seed))
