"""docs/behavior/releases.md shows the tables that the program computes with."""

import os
import re
from pathlib import Path

import pytest

from tests.engine.releases.tables import field_table, meanings, profile_table, switch_names, switch_table

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "behavior" / "releases.md"
DEFINING = ("release.py", "profiles.py")
TABLES = {"profiles": profile_table, "fields": field_table, "switches": switch_table}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_is_the_table_of_the_program(name: str) -> None:
    page = PAGE.read_text()
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    now = re.sub(f"(?s){begin}.*?{end}", lambda _: begin + TABLES[name]() + end, page)
    if os.environ.get("REWRITE"):
        PAGE.write_text(now)
    assert now == page
    assert begin in page


def test_every_switch_says_what_it_changes() -> None:
    assert list(meanings()) == switch_names()


def test_every_switch_is_asked_somewhere() -> None:
    sources = [file.read_text() for file in (ROOT / "sidecarctl").rglob("*.py") if file.name not in DEFINING]
    asked = {name for name in switch_names() if any(re.search(rf"release\.{name}\b", text) for text in sources)}
    assert set(switch_names()) == asked
