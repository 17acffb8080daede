"""A command with --watch in a process of its own, whose lines are read one by one."""

import queue
import signal
import subprocess
import sys
import threading
from typing import Self


def words(command: str, *options: str) -> list[str]:
    """The words of a command that watches a cluster."""
    return [sys.executable, "-m", "sidecarctl", command, "--live", "--watch", "--kruise", "1.9", *options]


class Watching:
    """A command with --watch in a process of its own; it ends at the latest with the context."""

    def __init__(self, command: str, *options: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words(command, *options), stdout=pipe, stderr=pipe, text=True)
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self._reader.join()
        self.process.communicate()

    def line(self) -> str:
        """The next line of stdout."""
        return self._said.get(timeout=240)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send a signal; the exit code, and stderr."""
        self.process.send_signal(number)
        assert self.process.stderr is not None
        told = self.process.stderr.read()
        return self.process.wait(240), told

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line.rstrip("\n"))
