"""docs/kustomize-and-kpt.md: every command in it is run, in order, and prints what is shown."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.tools.running import ROOT, clean_environment, need

PAGE = ROOT / "docs" / "kustomize-and-kpt.md"
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_TIME = re.compile(r"in \d+(\.\d+)?m?s\b")


def test_every_command_gives_what_is_shown(tmp_path: Path) -> None:
    for tool in ("kustomize", "kpt", "kubectl"):
        need(tool)
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    page = PAGE.read_text()
    now = _CONSOLE.sub(lambda block: f"```console\n{shown(block[1], tmp_path)}```", page)
    if os.environ.get("REWRITE"):  # the outputs are written again, for a look at what changed in them
        PAGE.write_text(now)
    assert now == page


def shown(block: str, folder: Path) -> str:
    """The commands of a block, each with its output, stderr included."""
    return "".join(
        f"{line}\n{output(line.removeprefix('$ '), folder)}" for line in block.splitlines() if line.startswith("$ ")
    )


def output(command: str, folder: Path) -> str:
    """What a command says, with times that do not vary."""
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=clean_environment(),
        check=False,
    )
    return _TIME.sub("in 100ms", ended.stdout).replace(str(folder), "...")
