"""The sources that docstrings name: the page exists, and so do the quoted headings."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_PAGE = re.compile(r'(?:docs/behavior/)?(?P<page>[a-z-]+)\.md(?P<quoted>(?:,? (?:and )?"[^"]+")*)')
_OF_BEHAVIOUR = ("injection", "sidecarset", "rollout")


def sources(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The pages that a module names, each with the headings that it quotes."""
    for cited in re.finditer(r"docs/behavior/[^\n]*(?:\n[^\n]*)?", path.read_text()):
        found = _PAGE.match(cited[0].replace("\n", " "))
        assert found, f"{path}: {cited[0]}"
        yield found["page"], re.findall(r'"([^"]+)"', found["quoted"])


@pytest.mark.parametrize("package", ["api", *_OF_BEHAVIOUR, "validation", "inputs", "operations", "plan_file", "krm"])
def test_every_source_can_be_looked_up(package: str) -> None:
    for path in sorted((ROOT / "sidecarctl" / package).rglob("*.py")):
        for page, headings in sources(path):
            text = (ROOT / "docs" / "behavior" / f"{page}.md").read_text()
            titles = re.findall(r"^#+ (.+)|^\*\*([^*]+?)\.?\*\*", text, re.MULTILINE)
            known = {title.rstrip(".:") for pair in titles for title in pair if title}
            assert set(headings) <= known, f"{path.name}: {set(headings) - known} of {page}.md"


@pytest.mark.parametrize("package", _OF_BEHAVIOUR)
def test_most_modules_of_behavior_name_their_source(package: str) -> None:
    modules = [path for path in (ROOT / "sidecarctl" / package).rglob("*.py") if path.name != "__init__.py"]
    named = [path for path in modules if any(sources(path))]
    assert len(named) >= 0.6 * len(modules)


WRITTEN = {"comment.md", "ticket.md"}
"""Files that commands of the pages write."""


def test_the_pages_need_nothing_outside_the_repository() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for name in re.findall(r"`?([\w./-]+\.md)\b", page.read_text()):
            places = (page.parent / name, ROOT / name, ROOT / "docs" / "behavior" / name)
            assert name in WRITTEN or any(place.is_file() for place in places), f"{page.name}: {name}"
