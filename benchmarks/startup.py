"""`python -m benchmarks.startup`: CPU time of whole short processes, as multiples of `python -c pass`."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.manifests import SIDECARSET, pods
from benchmarks.measuring import installed, kept, multiple, typical
from benchmarks.table import Row, show


def measured(programs: Path) -> Iterator[Row]:
    """A row for each program; `programs` is the folder of the installed ones."""
    python, sidecarctl = programs / "python", programs / "sidecarctl"
    sidecarset, pod = kept("set.yaml", SIDECARSET), kept("pod.yaml", next(pods(1)))
    nothing = (python, "-c", "pass")

    def times(*words: str | Path) -> str:
        return f"{multiple(*words, unit=nothing):.1f} x"

    yield Row("python -c pass", f"{typical(*nothing) * 1000:.1f} ms")
    yield Row("  importing Typer alone", times(python, "-c", "import typer"))
    yield Row("sidecarctl --version", times(sidecarctl, "--version"), "2.5 x")
    inject = (sidecarctl, "inject", "-s", sidecarset, pod)
    yield Row("sidecarctl inject, one pod", times(*inject), "9.5 x")
    yield Row("sidecarctl validate, one file", times(sidecarctl, "validate", sidecarset), "10 x")
    explain = multiple(sidecarctl, "explain", "-s", sidecarset, pod, unit=inject)
    yield Row("sidecarctl explain, one pod", f"{explain:.2f} x inject", "1.2 x inject")


if __name__ == "__main__":
    show(measured(installed()))
