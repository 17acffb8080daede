"""A command with --watch in a process of its own, whose lines are read one by one."""

import queue
import signal
import subprocess
import sys
import threading
from typing import IO, Self


def words(command: str, *options: str) -> list[str]:
    """The words of a command that watches a cluster."""
    return [sys.executable, "-m", "sidecarctl", command, "--live", "--watch", "--kruise", "1.9", *options]


class Watching:
    """A command with --watch in a process of its own; it ends at the latest with the context."""

    def __init__(self, command: str, *options: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words(command, *options), stdout=pipe, stderr=pipe, text=True)
        self._lines, self._news = _Lines(self.process.stdout), _Lines(self.process.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._lines.close()
        self._news.close()

    def line(self) -> str:
        """The next line of stdout."""
        return self._lines.next()

    def wait_for_news(self, text: str) -> None:
        """Wait until a line of stderr has the text."""
        while text not in self._news.next():
            pass

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send a signal; the exit code, and all of stderr."""
        self.process.send_signal(number)
        code = self.process.wait(240)
        self._news.close()
        return code, "\n".join(self._news.every)


class _Lines:
    """The lines of a pipe, which a thread reads."""

    def __init__(self, pipe: IO[str] | None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self.every: list[str] = []
        self._waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def next(self) -> str:
        return self._waiting.get(timeout=240)

    def close(self) -> None:
        """Read to the end, which comes with the end of the process."""
        self._thread.join()
        self._pipe.close()

    def _read(self) -> None:
        for line in self._pipe:
            self.every.append(line.rstrip("\n"))
            self._waiting.put(self.every[-1])
