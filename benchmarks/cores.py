"""`python -m benchmarks.cores`: time on the clock with two processes, relative to one, over many varied files."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.manifests import SIDECARSET, UNMATCHED
from benchmarks.measuring import FOLDER, Measured, installed, kept, run
from benchmarks.table import Row, show
from benchmarks.varied_manifests import varied_deployments

_RUNS = 3


def measured(programs: Path, count: int = 1000) -> Iterator[Row]:
    """A row for each command that takes `-j`; `programs` is the folder of the installed ones."""
    program = programs / "sidecarctl"
    sets, others = kept("set.yaml", SIDECARSET), kept("other.yaml", UNMATCHED)
    old, new = (_folder(name, count, memory) for name, memory in (("old", "128Mi"), ("new", "256Mi")))
    for what, words in (
        ("inject --check", ("inject", "-q", "--check", "-s", sets, new / "apps")),
        ("validate", ("validate", "-q", new)),
        ("validate, nothing matches", ("validate", "-q", others, new / "apps")),
        ("diff --before --after", ("diff", "-q", "--before", old, "--after", new)),
        ("plan --from", ("plan", "-q", "--from", old / "set.yaml", new)),
        ("images", ("images", "-q", new)),
        ("cost", ("cost", "-q", new)),
    ):
        one, two = _least((program, *words), "-j1", "-j2")
        yield Row(f"-j 2 of {what}, {count:,} workloads", f"{two.wall / one.wall:.2f} x", "0.58 x")
        yield Row("  peak memory of the process", f"{one.memory:,.0f} and {two.memory:,.0f} MB")
    shutil.rmtree(old)
    shutil.rmtree(new)


def _folder(name: str, count: int, memory: str) -> Path:
    """A file for each workload, and the SidecarSet with that much memory for its container."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "apps").mkdir(parents=True)
    (folder / "set.yaml").write_text(SIDECARSET.replace("128Mi", memory))
    for number, text in enumerate(varied_deployments(count)):
        (folder / "apps" / f"workload-{number:04}.yaml").write_text(text)
    return folder


def _least(words: Sequence[str | Path], *ends: str) -> list[Measured]:
    """The shortest run with each of the ends; they run in turns, as machines change."""
    rounds = [[run(*words, end, ends=(0, 1)) for end in ends] for _ in range(_RUNS)]
    return [min(column, key=lambda each: each.wall) for column in zip(*rounds, strict=True)]


if __name__ == "__main__":
    show(measured(installed()))
