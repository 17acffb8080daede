"""The twenty questions in CONTRIBUTING.md: each answer exists, and is at most two clicks from the README."""

import re
from collections.abc import Iterable
from pathlib import Path

from tests.documentation.examples import CONSOLE, ROOT

PAGE = ROOT / "CONTRIBUTING.md"
ANSWERS = re.findall(r"^\| .+\? \| \[[^]]+\]\(([^)#]+)#([^)]+)\) \|$", PAGE.read_text(), re.MULTILINE)


def test_each_answer_is_two_clicks_from_the_readme() -> None:
    first = links(ROOT / "README.md")
    near = first.union(*map(links, first))
    assert len(ANSWERS) == 20
    assert {(PAGE.parent / page).resolve() for page, _ in ANSWERS} <= near


def test_each_answer_has_its_heading() -> None:
    wrong = [f"{page}#{anchor}" for page, anchor in ANSWERS if anchor not in anchors(PAGE.parent / page)]
    assert wrong == []


def links(page: Path) -> set[Path]:
    """The pages that a page links to."""
    return {
        (page.parent / target).resolve() for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text())
    }


def anchors(page: Path) -> Iterable[str]:
    """The anchors of the headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.+)$", CONSOLE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
