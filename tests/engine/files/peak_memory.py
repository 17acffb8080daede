"""The peak memory of a command."""

import subprocess
import sys
from pathlib import Path

_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Measures in a small process of its own, since a process inherits the peak of the one that starts it."""


def peak_memory(*arguments: str | Path, cwd: Path) -> int:
    """The peak memory of the command line in bytes; CalledProcessError if it fails."""
    words = [sys.executable, "-m", "sidecarctl", *map(str, arguments)]
    ended = subprocess.run([sys.executable, "-c", _MEASURED, *words], cwd=cwd, capture_output=True, check=True)
    return int(ended.stdout) * 1024
