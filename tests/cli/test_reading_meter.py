"""The line of progress: after a second, on a terminal alone, and gone before the output."""

import os
import re
import sys
import threading
import time
from pathlib import Path

import pexpect
import pytest

from sidecarctl.cli.reading_meter import ReadingMeter
from tests.cli.manifests import SET


def test_words() -> None:
    meter = ReadingMeter(clock=lambda: 0.0)
    for _ in range(3):
        meter.read("pods.json", 1_000_000)
    meter.read("sets.yaml", 500_000)
    assert meter.so_far("pods\x1b.json", 2.0) == "read 2 files, 3.5 MB (1.8 MB/s): pods\ufffd.json"


def test_nothing_is_shown_within_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[float] = []
    times = [10.0]
    meter = ReadingMeter(clock=lambda: times[-1])
    monkeypatch.setattr(meter, "_show", lambda _name, seconds: shown.append(round(seconds, 2)))
    for now in (10.0, 10.5, 10.99, 11.0, 11.05, 11.2):
        times.append(now)
        meter.read("kubectl get --raw /api/v1/pods", 1)
    assert shown == [1.0, 1.2]


def slowly(pipe: Path, seconds: float) -> None:
    with pipe.open("wb", buffering=0) as file:
        for part in (SET[:40], SET[40:80], SET[80:]):
            file.write(part.encode())
            time.sleep(seconds / 2)


PATIENT = "from sidecarctl.cli import reading_meter; reading_meter._PATIENCE = 3600"
"""On a busy machine anything may take a second."""


@pytest.mark.parametrize(
    ("seconds", "before", "env", "is_shown"),
    [
        (3.0, "", {}, True),
        (0.2, PATIENT, {}, False),
        (3.0, "", {"CI": "true"}, False),
        (3.0, "", {"TERM": "dumb"}, False),
    ],
    ids=["slow", "quick", "in CI", "dumb terminal"],
)
def test_a_terminal_shows_what_is_read(
    tmp_path: Path, seconds: float, before: str, env: dict[str, str], *, is_shown: bool
) -> None:
    pipe = tmp_path / "set.yaml"
    os.mkfifo(pipe)
    threading.Thread(target=slowly, args=(pipe, seconds), daemon=True).start()
    clean: dict[str, str] = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", **env}
    program = f"{before}\nfrom sidecarctl.__main__ import main\nmain()"
    words = ["-c", program, "hash", str(pipe)]
    told = pexpect.spawn(sys.executable, words, env=clean, encoding="utf-8", timeout=60, dimensions=(24, 160)).read()
    assert bool(re.search(r"read 1 file, 0\.0 MB \(0\.0 MB/s\): \S+set\.yaml", told)) is is_shown
    assert re.search(r"logs  \w{64}  \w{64}\s+$", told)
