"""`python -m tests.fuzz TARGET FOLDER SECONDS [SEEDS]`: fuzz one target, seeded by a folder of manifests.

What breaks a target is written into the folder as `crash-*`; 1 is the exit code then.
"""

import gc
import random
import sys
from itertools import count
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["sidecarctl"]):
    from tests.fuzz.mutations import mutated
    from tests.fuzz.targets import TARGETS

_COLLECTED = 100
"""Runs after which garbage is collected: commands leave the collector off."""
SEEDS = Path(__file__).parents[1] / "manifests"


def mutate(data: bytes, size: int, seed: int) -> bytes:
    """Lines changed, or bytes."""
    chance = random.Random(seed)  # noqa: S311 - libFuzzer's own seed, no secret
    changed: bytes = mutated(data, chance) if chance.random() < 0.8 else atheris.Mutate(data, size)
    return changed[:size]


def main(target: str, folder: str, seconds: str, seeds: str = str(SEEDS)) -> None:
    """Fuzz for this many seconds."""
    corpus = Path(folder, "corpus", target)
    corpus.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={folder}/{target}-", "-max_len=16384", "-timeout=20"]
    words = [sys.argv[0], *options, str(corpus), seeds]

    runs = count(1)

    def tried(data: bytes) -> None:
        TARGETS[target](data)
        gc.unfreeze()  # each command freezes what it leaves, as if it were the last one
        if next(runs) % _COLLECTED == 0:
            gc.collect()

    atheris.Setup(words, tried, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
