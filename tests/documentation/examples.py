"""The commands that a page shows, run as a reader would run them.

A block `console` has lines `$ COMMAND`, each followed by what a terminal shows: stdout and stderr. A comment
`<!-- setup: COMMANDS -->` prepares the folder, which begins as a copy of `samples/`.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_SETUP = re.compile(r"<!-- setup: (.*?) -->", re.DOTALL)
_SHELL = re.compile(r"```(?:sh|yaml)\n(.*?)```", re.DOTALL)


def page_as_run(text: str, folder: Path) -> str:
    """The page with the outputs that its commands have now, run in order in the folder."""
    shutil.copytree(ROOT / "samples", folder / "samples")
    for setup in _SETUP.findall(text):
        output(setup, folder, check=True)
    return CONSOLE.sub(lambda block: f"```console\n{''.join(_answers(block[1], folder))}```", text)


def _answers(block: str, folder: Path) -> Iterator[str]:
    for line in block.splitlines():
        if line.startswith("$ "):
            yield f"{line}\n{output(line.removeprefix('$ '), folder)}"


def output(command: str, folder: Path, *, check: bool = False) -> str:
    """What a terminal shows of a command."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SIDECARCTL_", "GIT_"))}
    environment = kept | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=check,
    )
    return ended.stdout.replace(str(folder), "...")


def commands_not_run(text: str) -> Iterator[str]:
    """The command lines of sidecarctl in blocks that are only shown: scripts for clusters and CI."""
    for block in _SHELL.findall(text):
        for line in re.findall(r"(?m)^[^#\n]*\bsidecarctl (?=[a-z])([^#\n]*)", block):
            yield re.split(r"\s[|>]|\s&&", line)[0].strip()
