"""The Chinese pages have the blocks of the English ones, which are run: commands, outputs and settings."""

import os
import re
from pathlib import Path

import pytest

from tests.documentation.examples import DOCS, ROOT

_BLOCK = re.compile(r"```(?:console|sh|yaml)\n.*?```|<!-- setup: .*? -->", re.DOTALL)
_CONSOLE = re.compile(r"```console\n.*?```|<!-- setup: .*? -->", re.DOTALL)
ENGLISH = {
    ROOT / "README.zh-CN.md": ROOT / "README.md",
    DOCS / "zh" / "tour.md": DOCS / "tour.md",
    DOCS / "zh" / "ci.md": DOCS / "ci.md",
    DOCS / "zh" / "push.md": DOCS / "push.md",
    **{
        DOCS / "zh" / f"{name}.md": DOCS / "how-to" / f"{name}.md"
        for name in ("review-a-change", "canary", "hot-upgrade")
    },
}
WITHOUT_COMMANDS = {DOCS / "zh" / "glossary.md"}


def test_every_chinese_page_has_an_english_one() -> None:
    assert {ROOT / "README.zh-CN.md", *DOCS.glob("zh/*.md")} == ENGLISH.keys() | WITHOUT_COMMANDS


@pytest.mark.parametrize("page", ENGLISH, ids=lambda page: page.name)
def test_it_shows_the_commands_and_outputs_of_the_english_page(page: Path) -> None:
    english, chinese = ENGLISH[page].read_text(), page.read_text()
    if os.environ.get("REWRITE"):
        recorded = iter(_CONSOLE.findall(english))
        chinese = _CONSOLE.sub(lambda block: next(recorded, block[0]), chinese)
        page.write_text(chinese)
    assert _CONSOLE.findall(chinese) == _CONSOLE.findall(english)
    assert set(_BLOCK.findall(chinese)) <= set(_BLOCK.findall(english))


@pytest.mark.parametrize("page", ENGLISH, ids=lambda page: page.name)
def test_the_two_link_each_other(page: Path) -> None:
    english = ENGLISH[page]
    assert f"]({os.path.relpath(english, page.parent)})" in page.read_text()
    assert f"]({os.path.relpath(page, english.parent)})" in english.read_text()
