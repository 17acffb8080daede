"""In the log of a GitHub workflow nothing that comes from a manifest is a command."""

import re
from pathlib import Path

import pytest

from tests.cli.manifests import SET
from tests.cli.running import Ended, run

POD = """\
apiVersion: v1
kind: Pod
metadata:
  {name: web-0, namespace: "::error::gone", labels: {app: web}}
spec: {containers: [{name: web, image: "web:1"}]}
status: {phase: Running}
"""
COMMAND = re.compile(r"(?m)^[ \t]*::|##\[")
"""As the runner finds them."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("pod.yaml").write_text(POD)
    Path("odd.yaml").write_text(SET.replace("name: logs", 'name: "::stop-commands::x"'))
    Path("##[add-mask]a.yaml").write_text(POD)


def ended(monkeypatch: pytest.MonkeyPatch, *words: str, workflow: bool) -> Ended:
    monkeypatch.setenv("GITHUB_ACTIONS", "true" if workflow else "")
    return run(*words)


CALLS = [
    "status set.yaml pod.yaml",
    "status odd.yaml pod.yaml",
    "diff set.yaml odd.yaml",
    "status set.yaml ##[add-mask]a.yaml",
]


@pytest.mark.parametrize("call", CALLS)
def test_names_are_no_commands(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = ended(monkeypatch, *call.split(), workflow=False)
    within = ended(monkeypatch, *call.split(), workflow=True)
    assert COMMAND.search(elsewhere.stdout + elsewhere.stderr)
    assert not COMMAND.search(within.stdout + within.stderr)
    unmarked = (within.stdout + within.stderr).replace("\\::", "::").replace("##\\[", "##[").replace("\\##[", "##[")
    assert unmarked == elsewhere.stdout + elsewhere.stderr
    assert within.code == elsewhere.code


def test_the_commands_of_a_report_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("bad.yaml").write_text("a: [\n")
    said = ended(monkeypatch, "inject", "-s", "set.yaml", "bad.yaml", "--report", "github", workflow=True).stderr
    assert said.startswith("::error file=bad.yaml,line=2")
