"""Reason codes: each has a meaning, something to do about it, and a row on their page."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from sidecarctl.engine.facts import reason_remedies
from sidecarctl.engine.facts.reason_remedies import REMEDIES
from sidecarctl.engine.facts.reasons import Reason
from tests.reasons_page import PAGE, page


@pytest.mark.parametrize("reason", Reason)
def test_each_says_what_it_means_and_what_to_do(reason: Reason) -> None:
    for text in (reason.sentence, REMEDIES[reason]):
        assert text.endswith(".")
        assert text[0].isupper() or text.startswith(("kubectl", "kpt", "targetContainersMode"))


def test_there_is_no_remedy_without_a_reason() -> None:
    assert set(REMEDIES) == set(Reason)


def test_no_code_stands_for_two_reasons() -> None:
    assert len(Reason.__members__) == len(list(Reason))


def test_no_reason_has_two_remedies() -> None:
    """The last of two would win, and nobody would see that the other is never shown."""
    tree = ast.parse(Path(str(reason_remedies.__file__)).read_text())
    [table] = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    keys = Counter(ast.unparse(key) for key in table.keys if key)
    assert not [key for key, count in keys.items() if count > 1]


def test_the_page_is_the_one_that_is_generated() -> None:
    assert PAGE.read_text() == page(), "python -m tests.reasons_page writes it again"
