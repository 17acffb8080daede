"""The sources that docstrings name: the page exists, and so do the quoted headings."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_PAGE = re.compile(r'(?:docs/behavior/)?(?P<page>[a-z-]+)\.md(?P<quoted>(?:,? (?:and )?"[^"]+")*)')
PACKAGE = ROOT / "sidecarctl"
_OF_BEHAVIOR = ("injection", "sidecarset", "rollout")


def sources(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The pages that a module names, each with the headings that it quotes."""
    for cited in re.finditer(r"docs/behavior/[^\n]*(?:\n[^\n]*)?", path.read_text()):
        found = _PAGE.match(cited[0].replace("\n", " "))
        assert found, f"{path}: {cited[0]}"
        yield found["page"], re.findall(r'"([^"]+)"', found["quoted"])


def test_every_source_can_be_looked_up() -> None:
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if "docs/behavior/" in path.read_text()]
    assert len(paths) > 100
    for path in paths:
        for page, headings in sources(path):
            text = (ROOT / "docs" / "behavior" / f"{page}.md").read_text()
            titles = re.findall(r"^#+ (.+)|^\*\*([^*]+?)\.?\*\*", text, re.MULTILINE)
            known = {title.rstrip(".:") for pair in titles for title in pair if title}
            assert set(headings) <= known, f"{path.name}: {set(headings) - known} of {page}.md"


@pytest.mark.parametrize("package", _OF_BEHAVIOR)
def test_most_modules_of_behavior_name_their_source(package: str) -> None:
    modules = [path for path in (PACKAGE / "engine" / package).rglob("*.py") if path.name != "__init__.py"]
    named = [path for path in modules if any(sources(path))]
    assert len(modules) > 10
    assert len(named) >= 0.6 * len(modules)


def test_no_public_class_name_is_there_twice() -> None:
    found = (re.findall(r"^class ([A-Z]\w*)", path.read_text(), re.MULTILINE) for path in PACKAGE.rglob("*.py"))
    names = Counter(name for every in found for name in every)
    assert [name for name, number in names.items() if number > 1] == []


WRITTEN = {"comment.md", "ticket.md"}
"""Files that commands of the pages write."""


def test_the_pages_need_nothing_outside_the_repository() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for name in re.findall(r"`?([\w./-]+\.md)\b", page.read_text()):
            places = (page.parent / name, ROOT / name, ROOT / "docs" / "behavior" / name)
            assert name in WRITTEN or any(place.is_file() for place in places), f"{page.name}: {name}"
