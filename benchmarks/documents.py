"""`python -m benchmarks.documents [COUNT]`: CPU time and memory of `inject` and `uninject`, from the installed wheel.

Beside each time is what it is of a bare pass over the parser's events of the same documents: that does not depend on
the machine. The colons that libyaml alone refuses are left out of the pass.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.manifests import SIDECARSET, UNMATCHED, deployments, parts, pods
from benchmarks.measuring import FOLDER, Measured, installed, kept, multiple, run, typical
from benchmarks.table import Row, show
from benchmarks.varied_manifests import varied_deployments

_BARE = """\
import sys
from ruamel.yaml import CParser
parser = CParser(open(sys.argv[1]).read().replace("=:", "="))
while parser.get_event():
    pass
"""


def measured(programs: Path, count: int) -> Iterator[Row]:
    """A row for each kind of work; `programs` is the folder of the installed ones."""
    program = programs / "sidecarctl"
    matching, other = kept("set.yaml", SIDECARSET), kept("other.yaml", UNMATCHED)
    many = kept("deployments.yaml", parts(deployments(count)))
    some = kept("pods.yaml", parts(pods(count)))
    varied = kept("varied.yaml", parts(varied_deployments(count)))

    def rows(what: str, path: Path, *aims: str) -> Iterator[Row]:
        bare = (programs / "python", "-c", _BARE, path)
        yield Row(f"a bare pass over the parser's events, {what}", f"{typical(*bare, runs=3) / count * 1000:.2f} ms")
        inject = (program, "inject", "-q", "-s", matching, path)
        for told, words, aim in (
            ("inject", inject, aims[0]),
            ("no set matches", (program, "inject", "-q", "-s", other, path), aims[1]),
        ):
            yield Row(f"{told}, {what}", f"{multiple(*words, unit=bare, runs=3):.1f} x", aim)
        run(*inject, "-d", FOLDER / "injected")
        uninject = (program, "uninject", "-q", "-s", matching, FOLDER / "injected" / path.name)
        yield Row(f"uninject, {what}, of inject", f"{multiple(*uninject, unit=inject, runs=3):.1f} x", "1.3 x")

    yield from rows("Deployments of 4 KB", many, "3.0 x", "1.2 x")
    yield from rows("pods of 1.3 KB", some, "4.5 x", "1.2 x")
    yield from rows("Deployments of ever another shape", varied, "3.6 x", "1.2 x")
    alone, two = (run(program, "inject", "-q", "-s", matching, "-j", jobs, varied) for jobs in "12")
    yield Row("inject -j 2 of these, wall time against one process", f"{two.wall / alone.wall:.2f} x", "0.58 x")
    single = run(program, "inject", "-q", "-s", matching, "-j", "1", some)
    yield from _memory(single, matching, programs, count)


def _memory(single: Measured, matching: Path, programs: Path, count: int) -> Iterator[Row]:
    yield Row(f"peak memory, {count:,} pods", f"{single.memory:.0f} MB", "150 MB")
    path = kept("more-pods.yaml", parts(pods(10 * count)))
    words = (programs / "sidecarctl", "inject", "-q", "-s", matching, "-j", "1")
    from_file, from_stdin = run(*words, path).memory, run(*words, "-", stdin=path).memory
    yield Row(f"peak memory, {10 * count:,} pods", f"{from_file:.0f} MB", "150 MB")
    yield Row("  from standard input", f"{from_stdin:.0f} MB", "150 MB")
    yield Row("  against a tenth of them", f"{max(from_file, from_stdin) / single.memory:.2f} x", "1.3 x")
    path.unlink()


if __name__ == "__main__":
    show(measured(installed(), *map(int, sys.argv[1:] or ["10000"])))
