"""The command line in this process, and in one of its own."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from sidecarctl.cli.app import app


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def run(*arguments: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ended:
    """Run the command line in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


def run_process(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> Ended:
    """Run the command line in a process of its own."""
    words = [sys.executable, "-m", "sidecarctl", *map(str, arguments)]
    ended = subprocess.run(words, input=stdin, capture_output=True, cwd=cwd, check=False)
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())
