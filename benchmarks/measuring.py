"""Processes measured: CPU time, wall time, memory; and the installed wheel that they run from."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "bench"
_ENVIRONMENT = {
    key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_", "SIDECARCTL_"))
}


class Measured(NamedTuple):
    """One run: seconds of CPU (user and system, with what it started), seconds on the clock, megabytes at most."""

    cpu: float
    wall: float
    memory: float


def run(*words: str | Path, stdin: Path | None = None, ends: Container[int] = (0,)) -> Measured:
    """Run a program to its end, its output thrown away; an error where its exit code is none of `ends`."""
    with (stdin or Path(os.devnull)).open("rb") as source, tempfile.TemporaryFile() as errors:
        start = perf_counter()
        process = subprocess.Popen(
            [str(word) for word in words],
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=_ENVIRONMENT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in ends:
            errors.seek(0)
            raise SystemExit(f"{' '.join(map(str, words))}: exit {process.returncode}\n{errors.read().decode()}")
    return Measured(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def typical(*words: str | Path, runs: int = 15) -> float:
    """The median CPU time of a short program, in seconds."""
    return median(run(*words).cpu for _ in range(runs))


def multiple(*words: str | Path, unit: Sequence[str | Path], stdin: Path | None = None, runs: int = 15) -> float:
    """How many times the CPU time of another short program one takes; they run in turns, as machines change."""
    pairs = [(run(*words, stdin=stdin).cpu, run(*unit).cpu) for _ in range(runs)]
    return median(cpu for cpu, _ in pairs) / median(cpu for _, cpu in pairs)


def installed() -> Path:
    """The folder of the programs of a fresh installation of the wheel, compiled."""
    environment = FOLDER / "environment"
    call = [sys.executable, "-m", "build", "--wheel", "--outdir", str(FOLDER / "wheel"), str(ROOT)]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(environment)], check=True)
    [wheel] = (FOLDER / "wheel").glob("*.whl")
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", str(ROOT / "constraints.txt"), str(wheel)], check=True)
    compile_all = [str(environment / "bin" / "python"), "-m", "compileall", "-qq", str(environment / "lib")]
    subprocess.run(compile_all, check=True, env=_ENVIRONMENT)
    return environment / "bin"


def kept(name: str, text: str | Iterable[str]) -> Path:
    """A file of that text, or of its parts, to measure with."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / name
    with path.open("w") as file:
        file.writelines([text] if isinstance(text, str) else text)
    return path
