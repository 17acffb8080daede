"""`...` where an example of a manual leaves lines out."""

import pytest

from sidecarctl.engine.facts.errors import InputError
from tests.engine.validation.examples import read


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("spec:\n  containers:\n  - name: a\n    ....\n    image: a:1\n", 4),
        ("spec:\n  selector:\n    ...\n  containers:\n    - name: a\n     ...\n  volumes: []\n", 6),
        ("spec:\n  containers:\n  - name: a\n    ...  # more\n    image: a:1\n", 4),
    ],
)
def test_lines_that_were_left_out(text: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    [finding] = caught.value.findings
    assert finding.message == "`...` stands for lines that were left out"
    assert finding.hint == "write them, or delete it"
    assert finding.place is not None
    assert finding.place.line == line


def test_another_error_stays_as_it_is() -> None:
    with pytest.raises(InputError) as caught:
        read('a: "..."\nb: [\nc: 1\n')
    [finding] = caught.value.findings
    assert "left out" not in finding.message
