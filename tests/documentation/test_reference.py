"""The reference pages are the program's own: commands, formats, exit codes."""

from pathlib import Path

import pytest

from sidecarctl.cli import formats
from sidecarctl.engine.facts import exit_codes
from sidecarctl.render.run.formats import REPORT_FORMATS
from tests.documentation.reference import COMMANDS, DOCUMENTS, WITHOUT_OUTPUT, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_is_what_the_program_generates(page: Path) -> None:
    assert page.read_text() == pages()[page], "python -m tests.documentation writes it"


def test_every_command_kind_and_code_is_in_the_reference() -> None:
    commands, forms, codes, _ = pages().values()
    assert all(f"\n## {name}\n" in commands for name in COMMANDS)
    assert set(DOCUMENTS) | WITHOUT_OUTPUT == set(formats._MODULES)
    assert all(f"\n| {form} | " in forms for form in REPORT_FORMATS)
    values = [value for name, value in vars(exit_codes).items() if name.isupper()]
    assert all(f"\n| {value} | " in codes for value in values)
