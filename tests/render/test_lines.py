"""Lines about findings stay readable, whatever a manifest contains."""

import pytest

from sidecarctl.engine.facts.findings import error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.krm.output import result_of
from sidecarctl.render.lines import finding_line, shortened


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a short one", "a short one"),
        (f'the expression "{"x" * 300}" is wrong', f'the expression "{"x" * 80}…" is wrong'),
        (f"the image {'y' * 300}{'z' * 300} is wrong", f"the image {'y' * 200}…{'z' * 60} is wrong"),
        (f"the path {'a/' * 150}", f"the path {'a/' * 150}"),
    ],
)
def test_long_quotations_and_long_words_are_shortened(text: str, line: str) -> None:
    assert shortened(text) == line
    finding = error(Reason.WRONG_TYPE, text)
    assert line in finding_line(finding)
    assert result_of(finding)["message"] == line


def test_many_words_are_shortened_too() -> None:
    line = shortened("word " * 5000 + "end")
    assert len(line) <= 4001
    assert line.endswith("word end")
