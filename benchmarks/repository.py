"""`python -m benchmarks.repository [DIR]`: the commands over a tree like real ones, or over any folder.

Each is compared with a bare pass over the parser's events of the same files, in turns; start-up is included. Beside
them are other tools that read or check the same files, where they are installed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.manifests import SIDECARSET, UNMATCHED
from benchmarks.measuring import FOLDER, installed, kept, run
from benchmarks.real_tree import make_tree
from benchmarks.table import Row, show

_ENDS = (0, 1, 2)
"""Exit codes that are no failure to measure: a file of a repository may not be readable."""

_BARE = """\
import sys
from pathlib import Path
from ruamel.yaml import CParser
from ruamel.yaml.error import YAMLError
for path in sorted(Path(sys.argv[1]).rglob("*.y*ml")):
    try:
        parser = CParser(path.read_text().replace("=:", "="))
        while parser.get_event():
            pass
    except (YAMLError, OSError, UnicodeError):
        pass
"""


def measured(programs: Path, folder: Path | None = None, runs: int = 5) -> Iterator[Row]:
    """A row for each command; `programs` is the folder of the installed ones."""
    tree = (folder or _generated()).resolve()
    bare = (programs / "python", "-c", _BARE, tree)
    aims = not folder
    yield Row(f"a bare pass over {folder or 'a tree like real ones'}", f"{_typical(bare, runs):.2f} s")
    os.chdir(tree)
    for what, words, aim in _commands(programs / "sidecarctl", tree):
        yield Row(what, f"{_ratio(words, bare, runs):.2f} x", aim if aims else "")
    for what, words in _others(tree):
        yield Row(what, f"{_ratio(words, bare, runs):.2f} x")
    if not folder:
        workloads = (programs / "python", "-c", _BARE, tree / "apps")
        for what, words, aim in _of_workloads(programs / "sidecarctl", tree / "apps"):
            yield Row(what, f"{_ratio(words, workloads, runs):.2f} x", aim)
        validate, inject = _with_pods(programs / "sidecarctl", tree / "apps")
        yield Row("validate, of inject --check of them", f"{_ratio(validate, inject, runs):.2f} x", "1.5 x")


def _generated() -> Path:
    """The tree, as a repository with one commit."""
    folder = FOLDER / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    make_tree(folder)
    git = ("git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@example.com")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "all")):
        subprocess.run([*git, *words], check=True)
    return folder


Words = Sequence[str | Path]


def _commands(program: Path, tree: Path) -> Iterator[tuple[str, Words, str]]:
    sets, others = kept("set.yaml", SIDECARSET), kept("other.yaml", UNMATCHED)
    inject = (program, "inject", "-q", "-s", sets, tree)
    yield "inject --check", (*inject, "--check"), "1.3 x"
    yield "inject --check, nothing matches", (program, "inject", "-q", "--check", "-s", others, tree), ""
    yield "inject -d", (*inject, "-d", FOLDER / "out"), "2.0 x"
    yield "inject --diff", (*inject, "--diff"), ""
    yield "validate, nothing matches", (program, "validate", "-q", others, tree), "2.0 x"
    if (tree / ".git").exists():
        trees = ("--before", "git:HEAD", "--after", ".")
        yield "diff --before git:HEAD --after .", (program, "diff", "-q", "-s", sets, *trees), "2.9 x"


def _of_workloads(program: Path, folder: Path) -> Iterator[tuple[str, Words, str]]:
    sets, others = kept("set.yaml", SIDECARSET), kept("other.yaml", UNMATCHED)
    yield "the workloads alone, half match", (program, "inject", "-q", "-s", sets, "--check", folder), "3.6 x"
    yield "  nothing matches", (program, "inject", "-q", "-s", others, "--check", folder), "1.2 x"


def _with_pods(program: Path, folder: Path) -> tuple[Words, Words]:
    """validate, which checks each pod as it will run, and inject, which only makes it; in one process each."""
    sets = kept("set.yaml", SIDECARSET)
    return (program, "validate", "-q", sets, folder), (
        program,
        "inject",
        "-q",
        "-j",
        "1",
        "-s",
        sets,
        "--check",
        folder,
    )


def _others(tree: Path) -> Iterator[tuple[str, Words]]:
    """Other tools over the same files, where they are installed."""
    tools = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sidecarctl-tools" / "bin"
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    files = sorted(tree.rglob("*.yaml"))
    yq = shutil.which("yq", path=path)
    if yq and b"mikefarah" in subprocess.run([yq, "--version"], capture_output=True, check=False).stdout:
        yield "yq .", (yq, ".", *files)
    if kubeconform := shutil.which("kubeconform", path=path):
        no_schemas = ("-ignore-missing-schemas", "-schema-location", tree / "none")
        yield "kubeconform, without schemas", (kubeconform, *no_schemas, tree)
    kustomize = shutil.which("kustomize", path=path)
    if kustomize and (tree / "kustomization.yaml").exists():
        yield "kustomize build", (kustomize, "build", tree)


def _typical(words: Words, runs: int) -> float:
    return median(run(*words, ends=_ENDS).cpu for _ in range(runs))


def _ratio(words: Words, bare: Words, runs: int) -> float:
    """How many times the CPU time of a bare pass a command takes; they run in turns, as machines change."""
    pairs = [(run(*words, ends=_ENDS).cpu, run(*bare, ends=_ENDS).cpu) for _ in range(runs)]
    return median(cpu for cpu, _ in pairs) / median(cpu for _, cpu in pairs)


if __name__ == "__main__":
    show(measured(installed(), Path(sys.argv[1]).resolve() if sys.argv[1:] else None))
