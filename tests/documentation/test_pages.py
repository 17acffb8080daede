"""Every command of a page is run, and its output is what the page shows."""

import os
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from sidecarctl.cli.app import app
from tests.documentation.examples import CONSOLE, DOCS, ROOT, commands_not_run, page_as_run

ELSEWHERE = {"kustomize-and-kpt.md", "push.md"}
"""Pages with a test of their own, as the Chinese ones have."""
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.name not in ELSEWHERE and page.parent.name != "zh")
EVERY_PAGE = [ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted(DOCS.rglob("*.md"))]
QUICK = DOCS / "how-to" / "canary.md"
"""A page that is run every day; the others are run by `make test-slow`."""
WITH_EXAMPLES = [
    pytest.param(page, id=str(page.relative_to(DOCS)), marks=[] if page == QUICK else [pytest.mark.slow])
    for page in PAGES
    if CONSOLE.search(page.read_text())
]
SHOWN = [
    pytest.param(command, id=f"{page.relative_to(ROOT)}: {command[:60]}")
    for page in (ROOT / "README.md", *PAGES)
    for command in commands_not_run(page.read_text())
]


def test_there_are_pages_with_examples() -> None:
    assert len(WITH_EXAMPLES) >= 7
    assert len(SHOWN) >= 10


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_every_command_gives_what_is_shown(page: Path, tmp_path: Path) -> None:
    text = page.read_text()
    now = page_as_run(text, tmp_path)
    if os.environ.get("REWRITE"):  # records the outputs again, to review what changed in them
        page.write_text(now)
    assert now == text


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_that_is_only_shown_has_existing_options(command: str) -> None:
    name, *arguments = shlex.split(command)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    found = group.get_command(typer.Context(group), name)
    assert found is not None
    found.make_context(name, arguments)  # raises for an unknown option or a missing argument


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_measurements_say_how_to_repeat_them() -> None:
    measured = (DOCS / "internals" / "measurements.md").read_text()
    assert "`make bench`" in measured
    for work in ("Deployments", "pods", "no SidecarSet matches", "memory", "`-j 2`", "`--version`"):
        assert work in measured
