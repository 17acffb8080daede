"""docs/questions.md: every command in it runs, and its output contains the quoted text."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run

ROOT = Path(__file__).parents[3]
TEXT = " ".join((ROOT / "docs" / "questions.md").read_text().split())
ANSWERS = re.findall(r'`sidecarctl ([^`]+)`(?: says "([^"]+)")?', TEXT)


@pytest.mark.parametrize(("command", "said"), ANSWERS, ids=[command for command, _ in ANSWERS])
def test_a_command_says_what_is_quoted(command: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ended = run(*shlex.split(command))
    assert ended.code in (0, 1), ended.stderr
    assert said
    assert said in " ".join((ended.stdout + ended.stderr).split())


def test_all_54_questions_are_there() -> None:
    numbers = re.findall(r"^(\d+)\. \*\*", (ROOT / "docs" / "questions.md").read_text(), re.MULTILINE)
    assert numbers == [str(number) for number in range(1, 55)]
