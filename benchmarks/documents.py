"""`python -m benchmarks.documents [COUNT]`: CPU time and memory of `inject`, from the installed wheel."""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.manifests import SIDECARSET, UNMATCHED, deployments, pods, stream
from benchmarks.measuring import FOLDER, Measured, installed, kept, run
from benchmarks.table import Row, show

_BARE = (
    "import sys; from ruamel.yaml import CParser; p = CParser(open(sys.argv[1]).read())\nwhile p.get_event(): pass"
)


def measured(programs: Path, count: int) -> Iterator[Row]:
    """A row for each kind of work; `programs` is the folder of the installed ones."""
    matching, other = kept("set.yaml", SIDECARSET), kept("other.yaml", UNMATCHED)
    many = kept("deployments.yaml", stream(deployments(count)))
    some = kept("pods.yaml", stream(pods(count)))

    def inject(sidecarset: Path, *words: str | Path) -> Measured:
        return run(programs / "sidecarctl", "inject", "-q", "-s", sidecarset, *words)

    bare = run(programs / "python", "-c", _BARE, many).cpu / count
    yield Row("a bare pass over the parser's events, Deployments", _ms(bare))
    injected = inject(matching, many)
    yield Row("inject, Deployments of 4 KB", _ms(injected.cpu / count), "1.0 ms")
    yield Row("  against the bare pass", f"{injected.cpu / count / bare:.1f} x", "3.3 x")
    single = inject(matching, some)
    yield Row("inject, pods of 1.3 KB", _ms(single.cpu / count), "0.5 ms")
    yield Row("no set matches, Deployments", _ms(inject(other, many).cpu / count), "0.5 ms")
    yield Row("no set matches, pods", _ms(inject(other, some).cpu / count), "0.25 ms")
    two = inject(matching, "-j", "2", many)
    yield Row("inject -j 2, wall time against one process", f"{two.wall / injected.wall:.2f} x", "0.6 x")
    yield from _memory(single, matching, programs, count)


def _memory(single: Measured, matching: Path, programs: Path, count: int) -> Iterator[Row]:
    yield Row(f"peak memory, {count:,} pods", f"{single.memory:.0f} MB", "150 MB")
    path = FOLDER / "more-pods.yaml"
    with path.open("w") as file:
        for index, pod in enumerate(pods(10 * count)):
            file.write(f"---\n{pod}" if index else pod)
    words = (programs / "sidecarctl", "inject", "-q", "-s", matching)
    from_file, from_stdin = run(*words, path).memory, run(*words, "-", stdin=path).memory
    yield Row(f"peak memory, {10 * count:,} pods", f"{from_file:.0f} MB", "150 MB")
    yield Row("  from standard input", f"{from_stdin:.0f} MB", "150 MB")
    yield Row("  against a tenth of them", f"{max(from_file, from_stdin) / single.memory:.2f} x", "1.3 x")
    path.unlink()


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


if __name__ == "__main__":
    show(measured(installed(), *map(int, sys.argv[1:] or ["10000"])))
