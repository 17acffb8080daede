"""The man pages are made from the help, and groff reads them without a warning."""

from pathlib import Path

import pytest

from tests.cli.running import run
from tests.documentation.manual import FOLDER, escaped, man_pages
from tests.documentation.reference import COMMANDS
from tests.tools.running import run as run_tool


def test_the_pages_are_those_of_the_commands() -> None:
    pages = man_pages()
    assert sorted(FOLDER.iterdir()) == sorted(pages)
    for page, text in pages.items():
        assert page.read_text() == text, "python -m tests.documentation writes it"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_every_option(name: str) -> None:
    page = (FOLDER / f"sidecarctl-{name}.1").read_text().replace("\\-", "-")
    for line in run(name, "--help-all").stdout.splitlines():
        words = line.split()
        if line.startswith("  -") and words[0] not in ("--help-all", "-h,"):
            assert words[0].rstrip(",") in page


def test_no_line_of_a_text_is_a_request() -> None:
    assert escaped(".sidecarctl.yaml\n'a' -o \\x") == "\\&.sidecarctl.yaml\n\\&'a' \\-o \\ex"


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(FOLDER.iterdir()), ids=lambda page: page.name)
def test_groff_has_nothing_to_say(page: Path) -> None:
    ended = run_tool("groff", "-man", "-Tutf8", "-P-cbou", "-ww", page)  # letters that are not printed twice
    assert (ended.code, ended.stderr) == (0, "")
    assert "NAME" in ended.stdout
