"""Reason codes: each has a meaning, something to do about it, and a row on their page."""

import pytest

from sidecarctl.facts.reason_remedies import REMEDIES
from sidecarctl.facts.reasons import Reason
from tests.reasons_page import PAGE, page


@pytest.mark.parametrize("reason", Reason)
def test_each_says_what_it_means_and_what_to_do(reason: Reason) -> None:
    for text in (reason.sentence, REMEDIES[reason]):
        assert text.endswith(".")
        assert text[0].isupper() or text.startswith(("kubectl", "kpt", "targetContainersMode"))


def test_there_is_no_remedy_without_a_reason() -> None:
    assert set(REMEDIES) == set(Reason)


def test_the_page_is_the_one_that_is_generated() -> None:
    assert PAGE.read_text() == page(), "python -m tests.reasons_page writes it again"
