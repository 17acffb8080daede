"""`python -m benchmarks.startup`: CPU time of whole short processes, as multiples of `python -c pass`."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.manifests import SIDECARSET, pods
from benchmarks.measuring import installed, kept, typical
from benchmarks.table import Row, show


def measured(programs: Path) -> Iterator[Row]:
    """A row for each program; `programs` is the folder of the installed ones."""
    python, sidecarctl = programs / "python", programs / "sidecarctl"
    sidecarset, pod = kept("set.yaml", SIDECARSET), kept("pod.yaml", next(pods(1)))
    nothing = typical(python, "-c", "pass")
    yield Row("python -c pass", f"{nothing * 1000:.1f} ms")
    packages = typical(python, "-c", "import typer, ruamel.yaml.events, _ruamel_yaml")
    yield Row("  importing typer and the YAML parser alone", f"{packages / nothing:.1f} x")
    yield Row("sidecarctl --version", f"{typical(sidecarctl, '--version') / nothing:.1f} x", "6 x")
    inject = typical(sidecarctl, "inject", "-s", sidecarset, pod)
    yield Row("sidecarctl inject, one pod", f"{inject / nothing:.1f} x", "7.5 x")
    validate = typical(sidecarctl, "validate", sidecarset)
    yield Row("sidecarctl validate, one file", f"{validate / nothing:.1f} x", "10 x")


if __name__ == "__main__":
    show(measured(installed()))
