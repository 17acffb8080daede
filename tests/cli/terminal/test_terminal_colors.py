"""Colors on a terminal: they add nothing but themselves."""

import os
import pty
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from sidecarctl.cli.terminal import STATES, ColorChoice, choose_colors, colored_diff, colored_report, shows_colors
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.features.status.report import color_of

SAMPLES = Path(__file__).parents[3] / "samples"
QUICKSTART, PARTITION = SAMPLES / "quickstart", SAMPLES / "rollouts" / "partition-50"
_ESCAPES = re.compile("\x1b\\[[0-9;]*m")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    choose_colors(ColorChoice.AUTO)  # whatever a command of another test was asked for


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb")])
def test_who_wants_none_gets_none(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shows_colors(Terminal())
    monkeypatch.setenv(name, value)
    assert not shows_colors(Terminal())


def test_elsewhere_text_stays_as_it_is() -> None:
    assert colored_report("error: no", StringIO()) == "error: no"
    assert colored_diff("+ a", StringIO()) == "+ a"


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
        ("  a  NeverInjected  -", "  a  \x1b[1;31mNeverInjected\x1b[0m  -"),
        ("logs: NotReady", "\x1b[1mlogs: \x1b[0m\x1b[1;35mNotReady\x1b[0m"),
        ("5 pods, Updated: Pod a", "5 pods, \x1b[32mUpdated\x1b[0m: Pod a"),
        ("Updated pods are Paused again", "Updated pods are Paused again"),
        ("failed     [bold]not[/bold]", "\x1b[1;31mfailed\x1b[0m     [bold]not[/bold]"),
    ],
)
def test_lines_of_a_report(line: str, painted: str) -> None:
    assert colored_report(f"{line}\nnext\n", Terminal()) == f"{painted}\nnext\n"


def test_lines_of_a_diff() -> None:
    lines = [("1", "--- a/x"), ("1", "+++ b/x"), ("36", "@@ -1 +1 @@"), ("31", "-old"), ("32", "+new")]
    painted = "".join(f"\x1b[{color}m{line}\x1b[0m\n" for color, line in lines)
    assert colored_diff("".join(f"{line}\n" for _, line in lines) + " same\n", Terminal()) == painted + " same\n"


@pytest.mark.slow
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


def test_states_have_the_colors_of_the_pages() -> None:
    by_page = {str(state): color_of(state) for state in (*PodState, Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING)}
    assert by_page == {state: color for color, words in STATES.items() for state in words.split("|")}
