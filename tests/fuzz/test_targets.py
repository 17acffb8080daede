"""The fuzzed promises, on a few mutations of every ugly manifest, without the fuzzer."""

import random

import pytest

from tests.corpus.test_manifests import MANIFESTS
from tests.effort import sampled, unmeasured
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS


@unmeasured
@pytest.mark.parametrize("target", sampled(list(TARGETS), 3))
def test_mutated_manifests_break_no_promise(target: str) -> None:
    chance = random.Random(7)  # noqa: S311 - the same texts each time
    step = 8 if target == "patch" else 1  # it starts a process for each text
    for path in MANIFESTS[::step]:
        for _ in range(3):
            TARGETS[target](mutated(path.read_bytes(), chance))
