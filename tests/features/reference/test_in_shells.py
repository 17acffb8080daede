"""Completion in three real shells: what they show after typing and pressing tab."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.cli.manifests import SET
from tests.tools.running import PATH, need

_READY = "ready> "
_START: dict[str, tuple[list[str], list[str]]] = {
    "bash": (["--norc", "--noprofile"], [f"PS1='{_READY}'", 'eval "$(sidecarctl completion bash)"']),
    "zsh": (["-f"], [f"PS1='{_READY}'", "source <(sidecarctl completion zsh)"]),
    "fish": (
        ["--no-config"],
        [f"function fish_prompt; echo -n '{_READY}'; end", "sidecarctl completion fish | source"],
    ),
}
"""How to start each shell without user settings, and what to type first."""
_LISTED = [
    ("sidecarctl pl", ["plan", "plugin"]),
    ("sidecarctl plan --max-", ["--max-document-size", "--max-unavailable"]),
    ("sidecarctl plan sets.yaml --only ", ["logs", "metrics"]),
    ("sidecarctl inject -o json", ["json", "jsonpatch"]),
]
_COMPLETED = [
    ("sidecarctl unin", "uninject "),
    ("sidecarctl plan --assume", "--assume-ready "),
    ("sidecarctl validate -o m", "-o markdown "),
    ("sidecarctl plan set", "plan sets.yaml "),
    ("sidecarctl plan -o html=onl", "html=only.html "),
    ("sidecarctl plan sets.yaml --only met", "--only metrics "),
    ("sidecarctl plan app", "plan apps/"),
]


@pytest.fixture(params=list(_START))
def typed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """Types a line in a shell, then something more, and returns what the shell shows from there on."""
    shell: str = request.param
    need(shell)
    (tmp_path / "sets.yaml").write_text(SET + "---\n" + SET.replace("name: logs", "name: metrics"))
    (tmp_path / "only.html").touch()
    (tmp_path / "apps").mkdir()
    options, lines = _START[shell]
    env = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{PATH}",
        "HOME": str(tmp_path),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
    }
    process = pexpect.spawn(
        shell, options, cwd=str(tmp_path), env=env, encoding="utf-8", timeout=60, dimensions=(50, 160)
    )
    for line in lines:
        process.sendline(line)
    process.sendline("echo be''gin")
    process.expect("begin")

    def type_in(line: str, until: str) -> str:
        process.send(f"{line}\t")
        if shell == "bash":
            process.send("\t")  # the first one only completes
        process.expect(until)
        return plain(f"{process.before}{process.after}")

    yield type_in
    process.close(force=True)


def plain(text: str) -> str:
    """What the terminal shows, without what moves its cursor."""
    return re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|\([A-Z0-9]|[=>78])|[\r\x07\x0f]", "", text)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "values"), _LISTED, ids=[line for line, _ in _LISTED])
def test_a_shell_lists_what_may_follow(typed: Callable[[str, str], str], line: str, values: list[str]) -> None:
    last = re.escape(values[-1]) + r"[^\w-]"
    told = typed(line, last)
    assert all(value in told for value in values)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "completed"), _COMPLETED, ids=[line for line, _ in _COMPLETED])
def test_a_shell_completes_the_only_possibility(typed: Callable[[str, str], str], line: str, completed: str) -> None:
    begun, rest = line.rpartition(" ")[2], completed.rpartition(" ")[0] or completed
    missing = rest.rpartition(" ")[2].removeprefix(begun)
    told = typed(line, re.escape(missing))
    assert missing in told
