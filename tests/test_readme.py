"""The README's examples: each command is run, and its output must match what is shown."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_README = (ROOT / "README.md").read_text()
_CONSOLE = re.compile(
    r"```console\n\$ (?P<command>.+)\n(?P<stdout>(?:.*\n)*?)```\n(?:\n```text\n(?P<stderr>(?:.*\n)*?)```)?"
)
_PROGRAM = [os.environ["README_PROGRAM"]] if "README_PROGRAM" in os.environ else [sys.executable, "-m", "sidecarctl"]
"""The program of this checkout; `make release-check` names one that is installed."""
EXAMPLES = list(_CONSOLE.finditer(_README))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3
    assert _README.count("```console") == len(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["command"] for example in EXAMPLES])
def test_an_example_gives_what_is_shown(example: re.Match[str]) -> None:
    program, *arguments = shlex.split(example["command"])
    assert program == "sidecarctl"
    ended = subprocess.run([*_PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if os.environ.get("REWRITE"):  # records the outputs again, to review what changed in them
        record(example, ended)
    assert ended.stdout == example["stdout"]
    if example["stderr"]:
        assert ended.stderr == example["stderr"]


def record(example: re.Match[str], ended: subprocess.CompletedProcess[str]) -> None:
    """Put the outputs of a command into the README."""
    block = example[0].replace(example["stdout"], ended.stdout) if example["stdout"] else example[0]
    if example["stderr"]:
        block = block.replace(example["stderr"], ended.stderr)
    page = ROOT / "README.md"
    page.write_text(page.read_text().replace(example[0], block))


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (ROOT / target).exists(), f"{page.name}: {target}"


def test_it_is_in_the_order_of_a_first_visit() -> None:
    sections = re.findall(r"^## (.+)$", _README, re.MULTILINE)
    assert sections[:3] == ["Install", "Use", "Use it in CI"]
    assert sections[-1] == "Read on"
    assert len(_README.splitlines()) <= 120


def test_install_names_the_commands_to_begin_with() -> None:
    [section] = re.findall(r"^## Install\n(.*?)^## ", _README, re.MULTILINE | re.DOTALL)
    assert {"`make demo`", "`make test`"} <= set(re.findall(r"`[^`\n]+`", section))


def test_the_contributor_s_page_names_what_exists() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    walks = (ROOT / "docs" / "internals" / "walks.md").read_text()
    for path in re.findall(r"`([a-z_]+/[a-z_/]+\.(?:py|json|md))`", page + walks):
        assert (ROOT / "sidecarctl" / path).exists() or (ROOT / path).exists(), path
    package = ROOT / "sidecarctl"
    house = page[page.index("    sidecarctl/\n") : page.index("A feature imports the engine")]
    for folder in ("engine", "features", "."):
        rooms = {path.parent.name for path in (package / folder).glob("*/__init__.py")}
        assert all(re.search(rf"\b{room}\b", house) for room in rooms), folder
