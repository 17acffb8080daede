"""Colours on a terminal: they add nothing but themselves."""

import os
import pty
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from sidecarctl.cli.terminal import coloured_diff, coloured_report, shows_colours

SAMPLES = Path(__file__).parents[2] / "samples"
QUICKSTART, PARTITION = SAMPLES / "quickstart", SAMPLES / "rollouts" / "partition-50"
_ESCAPES = re.compile("\x1b\\[[0-9;]*m")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb")])
def test_who_wants_none_gets_none(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shows_colours(Terminal())
    monkeypatch.setenv(name, value)
    assert not shows_colours(Terminal())


def test_elsewhere_text_stays_as_it_is() -> None:
    assert coloured_report("error: no", StringIO()) == "error: no"
    assert coloured_diff("+ a", StringIO()) == "+ a"


@pytest.mark.parametrize(
    ("line", "painted"),
    [
        ("injected   Pod a  logs (agent)", "\x1b[32minjected\x1b[0m   Pod a  logs (agent)"),
        ("to inject  Pod a", "\x1b[33mto inject\x1b[0m  Pod a"),
        ("skipped    Pod a", "\x1b[2mskipped\x1b[0m    Pod a"),
        ("warning: a: b [Ties]", "\x1b[33mwarning\x1b[0m: a: b \x1b[2m[Ties]\x1b[0m"),
        ("error: a", "\x1b[1;31merror\x1b[0m: a"),
        ("  WAVE    PODS  NAMES", "\x1b[1m  WAVE    PODS  NAMES\x1b[0m"),
        ("    web-0  ██  errors", "    web-0  \x1b[36m██\x1b[0m  errors"),
        ("failed     [bold]not[/bold]", "\x1b[1;31mfailed\x1b[0m     [bold]not[/bold]"),
    ],
)
def test_lines_of_a_report(line: str, painted: str) -> None:
    assert coloured_report(f"{line}\nnext\n", Terminal()) == f"{painted}\nnext\n"


def test_lines_of_a_diff() -> None:
    lines = [("1", "--- a/x"), ("1", "+++ b/x"), ("36", "@@ -1 +1 @@"), ("31", "-old"), ("32", "+new")]
    painted = "".join(f"\x1b[{colour}m{line}\x1b[0m\n" for colour, line in lines)
    assert coloured_diff("".join(f"{line}\n" for _, line in lines) + " same\n", Terminal()) == painted + " same\n"


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("500", ("inject", "-s", QUICKSTART / "sidecarset.yaml", QUICKSTART / "deployment.yaml", "--diff")),
        (
            "100",
            ("plan", PARTITION / "sidecarset.yaml", PARTITION / "workloads.yaml", "--from", PARTITION / "old.yaml"),
        ),
        ("500", ("diff", PARTITION / "old.yaml", PARTITION / "sidecarset.yaml")),
    ],
)
def test_a_terminal_shows_the_same_text(columns: str, words: tuple[str | Path, ...]) -> None:
    call = [sys.executable, "-m", "sidecarctl", *map(str, words)]
    plain = subprocess.run(call, capture_output=True, text=True, check=True)
    read, write = pty.openpty()
    try:
        env = os.environ | {"COLUMNS": columns}
        subprocess.run(call, stdout=write, stderr=subprocess.PIPE, check=True, env=env)
        shown = os.read(read, 1 << 16).decode().replace("\r\n", "\n")
    finally:
        os.close(read)
        os.close(write)
    assert "\x1b[" in shown
    assert _ESCAPES.sub("", shown) == plain.stdout
